package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How to take and keep a lock. Immutable; every method returns a changed copy.
 * <pre class="code">
 * LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofSeconds(5))
 * </pre>
 * <p>
 * Options that are not set come from the template's defaults, and otherwise from
 * {@link #defaults()}. They have the same names as in
 * {@link io.github.redislock.annotation.DistributedLock} and in the configuration. A
 * value beyond its limits is refused with an {@link IllegalArgumentException}; no lease
 * may be longer than 3650 days.
 */
public sealed interface LockOptions permits OptionSet {

	/**
	 * Return empty options, as the starting point for others.
	 * @return options with which the template's defaults apply
	 */
	static LockOptions options() {
		return OptionSet.UNSET;
	}

	/**
	 * Return the default options: a lease of 30 s, renewed automatically; a waiting time
	 * of 3 × 100 ms; no minimum hold; re-entrant.
	 * @return options of which each has a value
	 */
	static LockOptions defaults() {
		return OptionSet.DEFAULTS;
	}

	/**
	 * Set the lease: how long the lock stays ours without renewal.
	 * <p>
	 * After its holder died, the lock frees itself when the lease and its grace period
	 * are over. Default: 30 s.
	 * @param lease at least 10 ms
	 * @return changed options
	 */
	LockOptions timeout(Duration lease);

	/**
	 * Take the lock without an expiry: it stays closed until it is released, even if its
	 * holder died.
	 * <p>
	 * After a crash it can be freed only by {@link LockOperations#forceRelease}, or by a
	 * program that resumes it with its {@link #owner} token. So set such a token. If the
	 * program resumes it with a lease, the lock has that lease and ends like any other. A
	 * lock without an expiry is not renewed, but checked every half minute: a holder that
	 * has lost it learns of the loss within that time. A process that shuts down in an
	 * orderly way releases it like all others.
	 * @return changed options
	 */
	LockOptions neverExpires();

	/**
	 * Set how long to wait for a lock that is not free, in multiples of
	 * {@link #retryDelay}.
	 * <p>
	 * 0 asks once and never waits. Default: 3, and 0 for
	 * {@link LockOperations#tryAcquire(LockTarget, LockOptions) tryAcquire}. Replaces a
	 * default {@link #waitTime}; one that is set in the same options takes precedence.
	 * @param retry not negative
	 * @return changed options
	 */
	LockOptions retry(int retry);

	/**
	 * Set the time between two requests to the store where it has to be polled. Default:
	 * 100 ms.
	 * <p>
	 * The store is polled after an error. It is also polled while a program holds the
	 * lock that does not announce its release (the time grows to 100 ms), and if the
	 * store cannot announce releases (to 250 ms). In all other cases a lock is handed
	 * over to the next waiter as soon as it is released, and a waiter asks about once a
	 * second, whatever is set here.
	 * @param retryDelay at least 1 ms
	 * @return changed options
	 */
	LockOptions retryDelay(Duration retryDelay);

	/**
	 * Set how long to wait for the lock in all.
	 * <p>
	 * Waiters get the lock in the order in which they came: among the callers of one
	 * process, and among the processes. If the store does not reply, a call takes as long
	 * as the command timeout of the store (2 s by default for Redis) if that is longer.
	 * In both cases it may take half a second more. Takes precedence over {@link #retry}
	 * in the same options. Default: {@code retry × retryDelay}, and zero for
	 * {@link LockOperations#tryAcquire(LockTarget, LockOptions) tryAcquire}.
	 * @param waitTime not negative; zero never waits
	 * @return changed options
	 */
	LockOptions waitTime(Duration waitTime);

	/**
	 * Wait until the lock is acquired, however long that takes.
	 * <p>
	 * The wait still ends with an interrupt, with a cancelled future, with the end of the
	 * template, and with a lasting failure of the store such as a missing permission. A
	 * store that does not reply does not end it. In the annotation and in the
	 * configuration this is the waiting time {@code forever}.
	 * @return changed options
	 */
	default LockOptions waitForever() {
		return waitTime(ChronoUnit.FOREVER.getDuration());
	}

	/**
	 * Set whether the lease is renewed while the lock is held. Default: {@code true}.
	 * <p>
	 * A lock that was handed over gets its whole lease, counted from the grant, in either
	 * case.
	 * @param autoRenew {@code false} to let the lock run out after its lease
	 * @return changed options
	 */
	LockOptions autoRenew(boolean autoRenew);

	/**
	 * Set how long the lock may be held by renewing it: a holder that hangs must not keep
	 * it forever. Default: without end.
	 * <p>
	 * After that time the lock counts as lost, and its holder is notified. The lease is
	 * never longer. A holder that extends the lease by hand may exceed it.
	 * @param maxHold at least 10 ms
	 * @return changed options
	 */
	LockOptions maxHold(Duration maxHold);

	/**
	 * Keep the lock closed at least that long, counted from its grant, even when it is
	 * released earlier. Default: zero.
	 * @param atLeastFor not negative
	 * @return changed options
	 */
	LockOptions atLeastFor(Duration atLeastFor);

	/**
	 * Use the caller's owner token instead of a random one.
	 * <p>
	 * A request with the token of the current holder succeeds at once, before all
	 * waiters: so a process that knows the token resumes the lock of one that died. It
	 * gets the same grant with the same fencing token. Its first lease is the requested
	 * one or the remaining one, whichever is longer; the next renewal sets the requested
	 * one.
	 * <p>
	 * Two callers with the same token therefore do <em>not</em> exclude one another, nor
	 * does a fence at the resource distinguish them. The first release releases the lock
	 * for both: the other caller learns of it with its next renewal, or when it asks
	 * ({@link LockHandle#verify()}). The same is true of a release that is repeated in
	 * the background because its reply was lost. Before another process uses a token,
	 * stop using it, or make sure that its holder is dead. Always use the same lease with
	 * a token: a late renewal sets the expiry of whichever hold then has the token.
	 * @param owner the token; 1 to 256 characters, unique for each piece of work
	 * @return changed options
	 */
	LockOptions owner(String owner);

	/**
	 * Set whether a thread that holds the lock may enter it again. Default: {@code true}.
	 * <p>
	 * A re-entrant hold is counted in this process; the options of the outermost hold
	 * apply. A hold that was lost cannot be entered: the lock is acquired again, and the
	 * outer hold reports its loss at its end. A handle that is passed to another thread
	 * should not be re-entrant, or the first thread could still enter it.
	 * @param reentrant {@code false} to make the thread wait even for its own lock
	 * @return changed options
	 */
	LockOptions reentrant(boolean reentrant);

	/**
	 * Set what happens to the work when its lock is lost. Default: {@link OnLost#THROW}.
	 * <p>
	 * For {@link LockOperations#execute}. A handle interrupts no thread, since any thread
	 * may use it: there {@link OnLost#INTERRUPT} is the same as {@link OnLost#THROW}, and
	 * {@link LockHandle#onLost(Runnable)} runs an action instead. {@link OnLost#IGNORE}
	 * keeps {@link LockHandle#close()} from throwing.
	 * @param onLost what to do
	 * @return changed options
	 */
	LockOptions onLost(OnLost onLost);

	/**
	 * Set how long the lock may be held before a warning is logged, once. Default: that
	 * of the template.
	 * <p>
	 * For a lock that is meant to be held much longer than others.
	 * @param warnAfter not negative; zero logs no warning
	 * @return changed options
	 * @see io.github.redislock.engine.LockConfiguration#warnAfter(Duration)
	 */
	LockOptions warnAfter(Duration warnAfter);

	/**
	 * Return these options, completed from others.
	 * @param defaults the values for what these options do not set
	 * @return the merged options
	 */
	LockOptions orElse(LockOptions defaults);

}
