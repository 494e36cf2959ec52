package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Base of everything that goes wrong with a lock at run time.
 * <p>
 * Its kinds are what callers react to in different ways: {@link LockNotAcquiredException}
 * (somebody else has it), {@link LockLostException} (it was ours and is not any more),
 * {@link LockStoreException} (the store did not answer), {@link LockKeyConflictException}
 * (its key is another program's), {@link LockInterruptedException} (the thread was
 * interrupted) and {@link LockShutdownException} (this instance is shutting down).
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final LockTarget target;

	protected LockException(LockTarget target, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.target = target;
	}

	/**
	 * Return which lock it is about.
	 * @return the lock, in the way in which it was wanted or held; if several were, all
	 * of them, or the one that was in the way
	 */
	public LockTarget getTarget() {
		return this.target;
	}

	/**
	 * Return the name of the lock.
	 * @return the {@linkplain LockTarget#name() name} of the target, without the store's
	 * prefix
	 */
	public String getLockName() {
		return this.target.name();
	}

}
