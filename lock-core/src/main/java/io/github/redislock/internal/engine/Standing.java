package io.github.redislock.internal.engine;

/**
 * What a caller can rely on during its {@link Hold}. This table is the whole life of a
 * lock in this process; an empty cell changes nothing.
 *
 * <pre>
 * event                                   SURE       UNSURE     LOST        RELEASED
 * -------------------------------------------------------------------------------------
 * the wall clock jumps beyond the lease,
 * or a message says "released by force"   UNSURE
 * the store confirms the lock                        SURE
 * the lease is over, the store refuses
 * the lock, or the instance shuts down    LOST (1)   LOST (1)
 * the holder releases the lock            RELEASED   RELEASED   RELEASED    RELEASED
 *                                         (2)        (2)        (3)         (4)
 * </pre>
 *
 * (1) The queue requests the lock for the next caller, the holder's actions run, and then
 * the log and the listeners are told. (2) The lock passes to the next caller of this
 * process, or the store is asked to release it. If the store replies that the lock was
 * not ours, the log and the listeners are told of the loss. (3) The store is asked in the
 * background, in case it still has the lock; the outcome is {@code NOT_HELD}. (4) The
 * outcome is that of the first release.
 * <p>
 * Whether the lock is sure, unsure or lost is a property of its {@link Lease}, which all
 * holds of a {@link Tenure} share. A hold keeps how it ended: a loss or a release is
 * final, whatever the store replies later.
 */
enum Standing {

	/** The lock is ours. */
	SURE,

	/** Only the store knows whether the lock is still ours, and it has been asked. */
	UNSURE,

	/** The lock may be another owner's. */
	LOST,

	/** The caller no longer wants the lock. */
	RELEASED;

	/**
	 * Return whether the hold has not ended.
	 */
	boolean isOpen() {
		return this == SURE || this == UNSURE;
	}

}
