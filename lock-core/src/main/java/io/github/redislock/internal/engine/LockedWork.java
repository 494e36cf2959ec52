package io.github.redislock.internal.engine;

import java.util.Objects;
import java.util.Optional;

import io.github.redislock.LockLostException;
import io.github.redislock.LockedSupplier;
import io.github.redislock.OnLost;
import io.github.redislock.internal.support.LateWork;
import org.jspecify.annotations.Nullable;

/**
 * Runs a caller's work under a lock.
 *
 * @param lock the lock, which is released when the work has ended
 */
record LockedWork(BlockingHandle lock) {

	<T extends @Nullable Object, E extends Throwable> T run(LockedSupplier<T, E> work) throws E {
		T result;
		try {
			result = runInside(work);
		}
		catch (Throwable failure) {
			LockLostException lost = lossInsteadOf(failure, release(), this.lock.onLost());
			if (lost != null) {
				throw lost;
			}
			throw failure;
		}
		this.lock.close();
		// An outer use, or a transaction, may still hold the lock.
		return (this.lock.hold().entries() > 0) ? result : LateWork.requireNone(this.lock.hold().target(), result);
	}

	/**
	 * Return the result of work that was only tried. An empty result means that the lock
	 * was refused.
	 */
	static <T> Optional<T> ofTried(@Nullable T result) {
		return Optional.of(Objects.requireNonNull(result, "work ran, but returned null instead of a result"));
	}

	private <T extends @Nullable Object, E extends Throwable> T runInside(LockedSupplier<T, E> work) throws E {
		ThreadLocks.beginWork(this.lock);
		WorkerInterrupt.Work interruptible = null;
		try {
			interruptible = (this.lock.onLost() == OnLost.INTERRUPT) ? WorkerInterrupt.begin(this.lock) : null;
			return work.get();
		}
		finally {
			if (interruptible != null) {
				interruptible.end();
			}
			ThreadLocks.endWork();
		}
	}

	private @Nullable LockLostException release() {
		this.lock.workFailed();
		try {
			this.lock.close();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	/**
	 * Return the loss if it is to be thrown instead of the work's failure. The exception
	 * that is not thrown is added to the other one as a suppressed exception, unless both
	 * report a loss of the same lock.
	 * @return the loss, or {@code null} if the failure is to be thrown
	 */
	static @Nullable LockLostException lossInsteadOf(Throwable failure, @Nullable LockLostException lost,
			OnLost onLost) {
		// The work itself may have failed because of the loss, for example at a commit.
		if (lost == null
				|| (failure instanceof LockLostException other && other.getLockName().equals(lost.getLockName()))) {
			return null;
		}
		if (onLost == OnLost.INTERRUPT) {
			return Loss.afterFailure(lost, failure);
		}
		failure.addSuppressed(lost);
		return null;
	}

}
