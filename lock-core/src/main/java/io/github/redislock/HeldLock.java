package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * What the holder of a lock knows about it without asking the store, for blocking,
 * asynchronous and reactive callers alike.
 * <p>
 * Thread-safe; no method blocks.
 *
 * @see LockHandle
 * @see AsyncLockHandle
 */
public interface HeldLock {

	/**
	 * Return the name of the lock.
	 * @return the name as the caller gave it, without the store's prefix
	 */
	String name();

	/**
	 * Return the lock in the mode in which it is held: after a downgrade, the lock for
	 * reading.
	 * @return the lock, or several
	 */
	LockTarget target();

	/**
	 * Return the token by which the store knows that the lock is ours.
	 * <p>
	 * Knowing it is enough to release the lock: keep it out of logs. If a program in
	 * another language compares the token with the value of the lock's key in Redis, set
	 * a token of your own ({@link LockOptions#owner(String)}). With a generated token the
	 * key may hold further data. Callers of one process that hand the lock over without
	 * the store use the same token one after another. Their holds differ by
	 * {@link #fencingToken()}.
	 * @return the owner token
	 */
	String owner();

	/**
	 * Return a number greater than that of every earlier hold of the same lock, if the
	 * clock of the granting server is not behind an earlier grant.
	 * <p>
	 * Pass it to the resource that the lock protects, and let the resource refuse smaller
	 * ones. Then a holder that was paused past its lease does no harm. Each caller has
	 * its own fencing token, even if the lock passes between callers of one process.
	 * @return the fencing token; equal for re-entrant holds of one thread
	 */
	long fencingToken();

	/**
	 * Return whether the lock is still ours, as far as this process knows.
	 * <p>
	 * Local: the store is not asked. Never true after the lease has run out, even if the
	 * store could not be reached; a lock that was lost stays lost. If a release waits for
	 * the end of a transaction, it stays true until then. If the time of day jumps past
	 * the end of the lease, as after a suspension of the machine, the result is false
	 * until the store has confirmed the lock.
	 * @return whether work under the lock is still protected
	 */
	boolean isHeld();

	/**
	 * Return how long this lock stays ours without renewal, as far as this process knows.
	 * <p>
	 * Counted from before the request was sent, so the true value is never shorter. Zero
	 * once the lock was released or lost; {@link ChronoUnit#FOREVER} for a lock that
	 * never expires. A lock that was handed over has less than a second at first, and
	 * gets its whole lease a moment later, with or without automatic renewal.
	 * @return the remaining time
	 * @see LockState#freeIn()
	 */
	Duration remaining();

	/**
	 * Run an action as soon as the lock is known to be lost.
	 * <p>
	 * It runs once, on a thread of the library, and at once if the lock is lost already.
	 * It does not run if the lock is lost only after its release was called. It does not
	 * wait for other actions, but before JDK 21 at most 128 run at once. An action that
	 * still runs a second after the end of its template is interrupted.
	 * @param action what to do
	 */
	void onLost(Runnable action);

}
