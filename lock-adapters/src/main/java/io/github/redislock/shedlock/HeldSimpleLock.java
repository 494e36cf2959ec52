package io.github.redislock.shedlock;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.internal.support.DaemonThreads;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that ShedLock holds.
 */
final class HeldSimpleLock extends AbstractSimpleLock {

	/**
	 * Runs delayed releases. A release waits for a reply, so it must not run in a pool
	 * that the application uses for its work.
	 */
	private static final ScheduledExecutorService LATER = DaemonThreads.timer("redis-lock-shedlock");

	private final LockHandle lock;

	/**
	 * The {@link System#nanoTime()} until which the lock must be held after an extension,
	 * or {@code null} if there is no such time.
	 */
	private final @Nullable Long closedUntil;

	HeldSimpleLock(LockConfiguration configuration, LockHandle lock) {
		this(configuration, lock, null);
	}

	private HeldSimpleLock(LockConfiguration configuration, LockHandle lock, @Nullable Long closedUntil) {
		super(configuration);
		this.lock = lock;
		this.closedUntil = closedUntil;
		// Any thread may release the lock, and the thread that acquired it may have ended
		// by then.
		lock.detach();
	}

	@Override
	protected void doUnlock() {
		Duration rest = restOfClosing();
		if (rest.isZero()) {
			this.lock.release();
		}
		else {
			// The store knows only the lockAtLeastFor of the acquisition. If this process
			// dies before the release, the lease ends on its own. If the process shuts
			// down, it waits for this lock as for any held lock, and then releases it.
			LATER.schedule(this.lock::release, rest.toNanos(), TimeUnit.NANOSECONDS);
		}
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
		try {
			if (!this.lock.verify()) {
				return Optional.empty();
			}
			this.lock.renew(DistributedLockProvider.lease(configuration));
			return Optional.of(new HeldSimpleLock(configuration, this.lock, closedUntil(configuration)));
		}
		catch (LockLostException ex) {
			return Optional.empty();
		}
		catch (LockException ex) {
			throw DistributedLockProvider.failure(ex);
		}
	}

	private static @Nullable Long closedUntil(LockConfiguration configuration) {
		Duration atLeast = configuration.getLockAtLeastFor();
		return atLeast.isZero() ? null : System.nanoTime() + atLeast.toNanos();
	}

	private Duration restOfClosing() {
		Long end = this.closedUntil;
		return (end != null) ? Duration.ofNanos(Math.max(end - System.nanoTime(), 0)) : Duration.ZERO;
	}

}
