package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * What its holder knows of a lock without asking anybody, however he waits for answers.
 * <p>
 * Thread-safe; nothing in here blocks.
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
	 * Return what is held, and whether alone or together with others: after a downgrade,
	 * the lock to read.
	 * @return the lock, or several
	 */
	LockTarget target();

	/**
	 * Return the token by which the store knows that the lock is ours.
	 * <p>
	 * Whoever knows it can release the lock: keep it out of logs. A program in another
	 * language that compares it with the lock's key in Redis needs a token of your own
	 * ({@link LockOptions#owner(String)}): beside one of ours the key may hold more.
	 * Callers of one process to whom the lock passes without the store have the same one
	 * after another: what tells their holds apart is {@link #fencingToken()}.
	 * @return the owner token
	 */
	String owner();

	/**
	 * Return a number greater than that of every earlier hold of the same lock, as long
	 * as the clock of the server that grants is not behind an earlier grant.
	 * <p>
	 * Hand it to the resource that the lock protects and let that refuse smaller ones:
	 * then a holder that was stopped past its lease can do no harm. Each caller has a
	 * token of its own, also where the lock passes from caller to caller of one process.
	 * @return the fencing token; equal for re-entrant holds of one thread
	 */
	long fencingToken();

	/**
	 * Return whether the lock is still ours, as far as this process knows.
	 * <p>
	 * Also true after a release that waits for the end of a transaction, until that end.
	 * Local and free. Never true after the lease has run out, even when the store could
	 * not be asked; a lock that was lost stays lost. Where the time of day has jumped
	 * past the end of the lease, as after a suspension of the machine, false until the
	 * store has confirmed the lock.
	 * @return whether work under the lock is still protected
	 */
	boolean isHeld();

	/**
	 * Return how long this lock stays ours if nobody extends it, as far as this process
	 * knows.
	 * <p>
	 * Counted from before the request was sent, so the true value is never shorter. Zero
	 * once the lock was released or lost; {@link ChronoUnit#FOREVER} for a lock that
	 * never expires. Less than a second at first if the lock was handed over: it gets its
	 * whole lease by itself a moment later, automatic renewal or not.
	 * @return the remaining time
	 * @see LockState#freeIn()
	 */
	Duration remaining();

	/**
	 * Run something as soon as the lock is known to be lost.
	 * <p>
	 * Runs once, on a thread of the library, at once if the lock is lost already; not if
	 * it is lost only after its release was called. Does not wait for other actions; one
	 * that runs longer than a second after the end of its template is interrupted.
	 * @param action what to do
	 */
	void onLost(Runnable action);

}
