package io.github.redislock;

/**
 * What happens to work whose lock is lost while it runs.
 *
 * @see LockOptions#onLost(OnLost)
 */
public enum OnLost {

	/**
	 * Let the work run to its end, and then throw {@link LockLostException}. If the work
	 * fails, its own exception is thrown with this one as a suppressed exception.
	 */
	THROW,

	/**
	 * Interrupt the thread that runs the work, or cancel the future of asynchronous work,
	 * as soon as the loss is known, and throw {@link LockLostException} when the work has
	 * returned or failed. The work's own exception, if any, is added to it as a
	 * suppressed exception.
	 * <p>
	 * The thread is never interrupted after it has left the work. The interrupt flag is
	 * cleared when the work ends, even if the work has restored it. An interrupt from
	 * elsewhere is preserved if it came before the one for the loss. A later one cannot
	 * be distinguished from the one for the loss while the work runs, so
	 * {@link LockLostException} reports both.
	 */
	INTERRUPT,

	/**
	 * Return the work's result and let a transaction commit, as if nothing had happened.
	 * The loss is logged and reported to listeners.
	 */
	IGNORE

}
