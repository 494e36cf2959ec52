package io.github.redislock.campaign.worker;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.campaign.history.Outcome;

/**
 * The locks of this project, as its users see them.
 */
final class ProductLocks implements Locks {

	private final Application application;

	private final Duration lease;

	ProductLocks(Setup setup) {
		this.application = new Application(setup);
		this.lease = setup.lease();
	}

	LockOperations template() {
		return this.application.locks();
	}

	@Override
	public Held acquire(Want want) throws DeniedException {
		// Some handles are released by another thread, so their locks are not reentrant.
		LockOptions options = LockOptions.options()
			.timeout(this.lease)
			.waitTime(want.waitTime())
			.autoRenew(want.renewed())
			.reentrant(want.ofThread());
		try {
			return new ProductHold(this.application.locks()
				.acquire(LockTarget.of(want.key()), (want.owner() != null) ? options.owner(want.owner()) : options));
		}
		catch (LockNotAcquiredException ex) {
			LockState holder = ex.getHolder();
			throw new DeniedException(Outcome.REFUSED, (holder != null) ? holder.shortOwner() : null, ex);
		}
		catch (LockInterruptedException ex) {
			throw new DeniedException(Outcome.INTERRUPTED, null, ex);
		}
		catch (LockShutdownException ex) {
			throw new DeniedException(Outcome.CLOSED, null, ex);
		}
		catch (LockStoreException ex) {
			throw new DeniedException(Outcome.STORE_FAILURE, null, ex);
		}
	}

	@Override
	public void close() {
		this.application.close();
	}

	private record ProductHold(LockHandle handle) implements Held {

		@Override
		public long token() {
			return this.handle.fencingToken();
		}

		@Override
		public String owner() {
			return this.handle.owner();
		}

		@Override
		public boolean isHeld() {
			return this.handle.isHeld();
		}

		@Override
		public Duration remaining() {
			return this.handle.remaining();
		}

		@Override
		public void renew(Duration lease) {
			change(() -> this.handle.renew(lease));
		}

		@Override
		public void extend(Duration additional) {
			change(() -> this.handle.extend(additional));
		}

		private static void change(Runnable change) {
			try {
				change.run();
			}
			catch (LockStoreException | LockLostException ex) {
				// The failure is ignored, because the handle knows whether the lock is
				// still held.
			}
		}

		@Override
		public ReleaseOutcome release() {
			return this.handle.release();
		}

	}

}
