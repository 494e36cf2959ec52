package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Work that runs under a lock which was taken for it.
 */
final class LockedWork {

	private final TransactionalHandle lock;

	LockedWork(TransactionalHandle lock) {
		this.lock = lock;
	}

	/**
	 * Run the work and let the lock go.
	 */
	<T extends @Nullable Object, E extends Throwable> T run(LockedSupplier<T, E> work) throws E {
		T result;
		try {
			result = runInside(work);
		}
		catch (Throwable failure) {
			LockLostException lost = letGo();
			if (lost == null || isOfThisLock(failure)) {
				throw failure;
			}
			if (this.lock.onLost() == OnLost.INTERRUPT) {
				lost.addSuppressed(failure);
				throw lost;
			}
			failure.addSuppressed(lost);
			throw failure;
		}
		LockLostException lost = letGo();
		if (lost != null) {
			throw lost;
		}
		return result;
	}

	private <T extends @Nullable Object, E extends Throwable> T runInside(LockedSupplier<T, E> work) throws E {
		LockContext.enter(this.lock);
		try {
			return (this.lock.onLost() == OnLost.INTERRUPT) ? runInterruptibly(work) : work.get();
		}
		finally {
			LockContext.exit();
		}
	}

	private <T extends @Nullable Object, E extends Throwable> T runInterruptibly(LockedSupplier<T, E> work) throws E {
		WorkerInterrupt.Work interruptible = WorkerInterrupt.enter(this.lock);
		try {
			return work.get();
		}
		finally {
			interruptible.leave();
		}
	}

	private @Nullable LockLostException letGo() {
		try {
			this.lock.close();
			return null;
		}
		catch (LockLostException ex) {
			return ex;
		}
	}

	/**
	 * Return whether the work itself has ended with the loss, as at the commit of a
	 * transaction: there is nothing to add.
	 */
	private boolean isOfThisLock(Throwable failure) {
		return failure instanceof LockLostException lost && lost.getLockName().equals(this.lock.name());
	}

}
