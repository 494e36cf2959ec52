package io.github.redislock.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Durations;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Provides the application's locks to ShedLock. <pre class="code">
 * &#64;Bean
 * LockProvider lockProvider(LockOperations locks) {
 *     return new DistributedLockProvider(locks);
 * }
 * </pre>
 * <p>
 * A lock has the name that ShedLock uses, so {@code @SchedulerLock(name = "report")} and
 * {@code @DistributedLock(name = "report")} exclude one another. As ShedLock requires, a
 * caller never waits for a lock, and cannot re-enter a lock that its own thread holds. A
 * lock ends after {@code lockAtMostFor}, at least 10 ms, unless it is extended; it is not
 * renewed automatically. It is held for at least {@code lockAtLeastFor}. If a lock is not
 * released, other callers can acquire it only after {@code lockAtMostFor} and a grace
 * period, which guards against steps of the store's clock. By default, that period is 5 %
 * of {@code lockAtMostFor} but at least 100 ms. Times are measured by the clocks of this
 * process and of the store, not by ShedLock's clock. Thread-safe.
 * <p>
 * A late release never frees the lock of the next holder. A lock that expired before its
 * release is reported like any other loss.
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

	private static final Duration SHORTEST_LEASE = Duration.ofMillis(10);

	private final LockOperations locks;

	/**
	 * Create a provider.
	 * @param locks acquires the locks
	 */
	public DistributedLockProvider(LockOperations locks) {
		this.locks = locks;
	}

	/**
	 * Acquire a lock if it is free right now.
	 * @throws net.javacrumbs.shedlock.support.LockException for example if the store did
	 * not reply, the thread was interrupted or the application shuts down
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		try {
			LockHandle lock = this.locks.tryAcquire(LockTarget.of(configuration.getName()), options(configuration));
			return Optional.ofNullable(lock).map((held) -> new HeldSimpleLock(configuration, held));
		}
		catch (LockException ex) {
			throw failure(ex);
		}
	}

	static net.javacrumbs.shedlock.support.LockException failure(LockException cause) {
		return new net.javacrumbs.shedlock.support.LockException(String.valueOf(cause.getMessage()), cause);
	}

	/**
	 * Return {@code lockAtMostFor}, but at least 10 ms.
	 */
	static Duration lease(LockConfiguration configuration) {
		return Durations.max(configuration.getLockAtMostFor(), SHORTEST_LEASE);
	}

	private static LockOptions options(LockConfiguration configuration) {
		Duration lease = lease(configuration);
		return LockOptions.options()
			.timeout(lease)
			// The template's default for all locks must not shorten the lease.
			.maxHold(lease)
			.autoRenew(false)
			.atLeastFor(configuration.getLockAtLeastFor())
			.waitTime(Duration.ZERO)
			.reentrant(false);
	}

}
