package io.github.redislock.shedlock;

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
	 * or a time in the past.
	 */
	private final long closedUntil;

	HeldSimpleLock(LockConfiguration configuration, LockHandle lock) {
		this(configuration, lock, System.nanoTime());
	}

	private HeldSimpleLock(LockConfiguration configuration, LockHandle lock, long closedUntil) {
		super(configuration);
		this.lock = lock;
		this.closedUntil = closedUntil;
		// Any thread may release the lock, and the thread that acquired it may have ended
		// by then.
		lock.detach();
	}

	@Override
	protected void doUnlock() {
		long rest = this.closedUntil - System.nanoTime();
		if (rest <= 0) {
			this.lock.release();
		}
		else {
			// The store knows only the lockAtLeastFor of the acquisition. If this process
			// dies before the release, the lease ends on its own. If the process shuts
			// down, it waits for this lock as for any held lock, and then releases it.
			LATER.schedule(this.lock::release, rest, TimeUnit.NANOSECONDS);
		}
	}

	@Override
	protected Optional<SimpleLock> doExtend(LockConfiguration configuration) {
		try {
			if (!this.lock.verify()) {
				return Optional.empty();
			}
			this.lock.renew(DistributedLockProvider.lease(configuration));
			return Optional.of(new HeldSimpleLock(configuration, this.lock,
					System.nanoTime() + configuration.getLockAtLeastFor().toNanos()));
		}
		catch (LockLostException ex) {
			return Optional.empty();
		}
		catch (LockException ex) {
			throw DistributedLockProvider.failure(ex);
		}
	}

}
