package io.github.redislock;

import org.jspecify.annotations.Nullable;

/**
 * Base of all exceptions that concern a lock at run time.
 * <p>
 * There is one subclass for each way in which a caller may react:
 * {@link LockNotAcquiredException} (another owner holds it), {@link LockLostException}
 * (it was lost), {@link LockStoreException} (the store did not reply),
 * {@link LockKeyConflictException} (another program uses its key),
 * {@link LockInterruptedException} (the thread was interrupted),
 * {@link LockCancelledException} (the caller stopped waiting; for listeners only) and
 * {@link LockShutdownException} (this instance is shutting down).
 */
public abstract class LockException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	private final LockTarget target;

	protected LockException(LockTarget target, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.target = target;
	}

	/**
	 * Return the lock that this exception is about. Its {@link LockTarget#metricName()}
	 * is the declared name, such as {@code payment} for {@code payment:42}.
	 * @return the lock as it was requested or held, exclusive or shared; if there are
	 * several, all of them or the one that failed
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
