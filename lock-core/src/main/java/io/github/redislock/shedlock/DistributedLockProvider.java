package io.github.redislock.shedlock;

import java.time.Duration;
import java.util.Optional;

import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;

/**
 * Takes ShedLock's locks where all other locks are. <pre class="code">
 * &#64;Bean
 * LockProvider lockProvider(LockOperations locks) {
 *     return new DistributedLockProvider(locks);
 * }
 * </pre>
 * <p>
 * A lock has ShedLock's name, so {@code @SchedulerLock(name = "report")} and
 * {@code @DistributedLock(name = "report")} exclude one another. As ShedLock promises, a
 * lock that is taken is never waited for, not even by its own thread; it ends after
 * {@code lockAtMostFor}, which is not renewed unless somebody extends it; and it stays
 * closed for {@code lockAtLeastFor}. Times are those of this process and of the store,
 * not of {@link LockConfiguration}'s clock. Thread-safe.
 * <p>
 * Unlike with other providers, whoever lets go late never frees the lock of the next
 * holder, and a lock that ran out before is reported like any other loss.
 */
public final class DistributedLockProvider implements ExtensibleLockProvider {

	private final LockOperations locks;

	/**
	 * Create a provider.
	 * @param locks takes the locks
	 */
	public DistributedLockProvider(LockOperations locks) {
		this.locks = locks;
	}

	/**
	 * Take a lock if it is free right now.
	 * @throws net.javacrumbs.shedlock.support.LockException if the store did not answer,
	 * the thread was interrupted or the application shuts down: nobody knows whether
	 * somebody else holds the lock
	 */
	@Override
	public Optional<SimpleLock> lock(LockConfiguration configuration) {
		try {
			LockHandle lock = this.locks.tryAcquire(configuration.getName(), options(configuration));
			return Optional.ofNullable(lock).map((held) -> new HeldSimpleLock(configuration, held));
		}
		catch (LockException ex) {
			throw failure(ex);
		}
	}

	/**
	 * Return what ShedLock says when a store has failed.
	 */
	static net.javacrumbs.shedlock.support.LockException failure(LockException cause) {
		return new net.javacrumbs.shedlock.support.LockException(String.valueOf(cause.getMessage()), cause);
	}

	private static LockOptions options(LockConfiguration configuration) {
		Duration lease = configuration.getLockAtMostFor();
		return LockOptions.timeout(lease)
			// A default for all locks must not shorten it.
			.maxHold(lease)
			.autoRenew(false)
			.atLeastFor(configuration.getLockAtLeastFor())
			.waitTime(Duration.ZERO)
			.reentrant(false);
	}

}
