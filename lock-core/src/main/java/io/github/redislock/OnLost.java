package io.github.redislock;

/**
 * What becomes of the work whose lock is lost while it runs.
 *
 * @see LockOptions#onLost(OnLost)
 */
public enum OnLost {

	/**
	 * Let the work go on to its end, and then throw {@link LockLostException}; suppressed
	 * into the work's own exception if it ends with one.
	 */
	THROW,

	/**
	 * Interrupt the thread that runs the work, as soon as the loss is known, and throw
	 * {@link LockLostException} when it has ended, in whatever way; the work's own
	 * exception is suppressed into that one.
	 * <p>
	 * The thread is never interrupted after it has left the work, nor does the interrupt
	 * flag outlive it: what is left of this interrupt is cleared, also if the work has
	 * restored the flag. An interrupt by somebody else stays, if it came before this one;
	 * if it comes after it while the work still runs, the two cannot be told apart, and
	 * the {@link LockLostException} stands for both.
	 */
	INTERRUPT,

	/**
	 * Answer the work's result, and let a transaction commit, as if nothing had happened.
	 * The loss is logged, and listeners hear of it.
	 */
	IGNORE

}
