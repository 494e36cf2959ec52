package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * A held lock, as far as this process knows without a request to the store. Common to
 * blocking, asynchronous and reactive handles.
 * <p>
 * Thread-safe; no method blocks.
 *
 * @see LockHandle
 * @see AsyncLockHandle
 */
public interface HeldLock {

	/**
	 * Return the name of the lock.
	 * @return the {@linkplain LockTarget#name() name} of the target, without the store's
	 * prefix
	 */
	String name();

	/**
	 * Return the lock in the mode in which it is held.
	 * @return the lock or locks
	 */
	LockTarget target();

	/**
	 * Return the token by which the store recognizes the owner.
	 * <p>
	 * Anyone who knows the token can release the lock, so keep it out of logs. If a
	 * program in another language compares the token with the value of the lock's key in
	 * Redis, set your own token ({@link LockOptions#owner(String)}), because with a
	 * generated token the key may contain more data. Callers of one process that hand the
	 * lock over without the store use the same token one after another. Their holds
	 * differ in {@link #fencingToken()}.
	 * @return the owner token
	 */
	String owner();

	/**
	 * Return a number that is greater than that of every earlier hold of the same lock.
	 * <p>
	 * There are two exceptions. The number may be smaller if the granting server's clock
	 * is behind the time of an earlier grant. It is the same if this hold resumes an
	 * earlier one with its {@linkplain LockOptions#owner owner token}.
	 * <p>
	 * Pass it to the resource that the lock protects, and let the resource refuse smaller
	 * tokens. Then a holder that was paused beyond the end of its lease cannot overwrite
	 * the work of a later holder. If the lock passes between callers of one process, each
	 * of them has its own fencing token.
	 * @return the fencing token, which is the same for all entries into a re-entered lock
	 */
	long fencingToken();

	/**
	 * Return whether the lock is still held, as far as this process knows.
	 * <p>
	 * This method does not send a request to the store. It returns false once the lease
	 * is over, even if the store cannot be reached; a lost lock stays lost. A release
	 * that waits for the end of a transaction does not change the result. If the wall
	 * clock jumps past the end of the lease, for example after the machine was suspended,
	 * or if the lock may have been released by force, the result is false until the store
	 * has confirmed the lock.
	 * @return whether work under the lock is still protected
	 */
	boolean isHeld();

	/**
	 * Return how long this lock stays held without renewal, as far as this process knows.
	 * <p>
	 * The time is counted from before the request was sent, because it is unknown when
	 * the store processed it. The result is zero once the lock was released or lost, and
	 * {@link ChronoUnit#FOREVER} for a lock that never expires. A lock that the store
	 * handed over has less than a second at first, and gets its full lease a moment
	 * later, with or without automatic renewal.
	 * @return the remaining time
	 * @see LockState#freeIn()
	 */
	Duration remaining();

	/**
	 * Run an action as soon as the lock is known to be lost.
	 * <p>
	 * The action runs on a thread of the library, and at once if the lock is already
	 * lost. It does not run for a loss that is noticed only by or after the release, or
	 * if it is added after the release, except while the release is deferred to the end
	 * of a transaction. Actions do not wait for each other, but before JDK 21 at most 128
	 * run at the same time. Closing the template waits for them for up to one second, and
	 * does not interrupt them.
	 * @param action what to do
	 */
	void onLost(Runnable action);

}
