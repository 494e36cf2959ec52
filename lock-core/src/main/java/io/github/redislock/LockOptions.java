package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * How to take and keep a lock. Immutable; every method returns a changed copy.
 * <pre class="code">
 * LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofSeconds(5))
 * </pre>
 * <p>
 * What is not set comes from the template's defaults, and from {@link #builtIn()} where
 * these are silent too. Options have the names that they have in
 * {@link io.github.redislock.annotation.DistributedLock} and in the configuration.
 */
public sealed interface LockOptions permits OptionSet {

	/**
	 * Return options of which none is set: the beginning of all others.
	 * @return the empty options, with which the template's defaults apply
	 */
	static LockOptions options() {
		return OptionSet.UNSET;
	}

	/**
	 * Return the options that apply where nobody says anything: a lease of 30 s, renewed
	 * automatically; a waiting time of 3 × 100 ms; no minimum hold; re-entrant.
	 * @return the built-in options
	 */
	static LockOptions builtIn() {
		return OptionSet.BUILT_IN;
	}

	/**
	 * Set the lease: how long the lock stays ours without renewal.
	 * <p>
	 * It frees itself that long after its holder died. Default: 30 s.
	 * @param lease at least 10 ms
	 * @return changed options
	 */
	LockOptions timeout(Duration lease);

	/**
	 * Take the lock for good: it stays closed until it is released, even when its holder
	 * died.
	 * <p>
	 * After a crash only {@link LockOperations#forceRelease}, or a program that resumes
	 * it by its {@link #owner} token, can free it: take it with one. Who resumes it with
	 * a lease gives it one: from then on it ends like any other lock. It is not renewed,
	 * but looked at every half minute: a holder that it was taken from is told then at
	 * the latest. A process that shuts down in order releases it, as all others.
	 * @return changed options
	 */
	LockOptions neverExpires();

	/**
	 * Set how long to wait for a lock that is not free, in multiples of
	 * {@link #retryDelay}.
	 * <p>
	 * 0 asks once and never waits. Default: 3, and 0 for
	 * {@link LockOperations#tryAcquire(LockTarget, LockOptions) tryAcquire}. Replaces a
	 * default {@link #waitTime}.
	 * @param retry not negative
	 * @return changed options
	 */
	LockOptions retry(int retry);

	/**
	 * Set the time between two questions to the store, where it has to be asked: after an
	 * error, while a program holds the lock that tells nobody when it lets go, and where
	 * the store cannot tell. Default: 100 ms.
	 * <p>
	 * In the latter two cases it grows, to 100 ms and 250 ms. Everywhere else a lock is
	 * handed over to whoever waits as soon as it is let go, and who waits asks about once
	 * a second, whatever is set here.
	 * @param retryDelay at least 1 ms
	 * @return changed options
	 */
	LockOptions retryDelay(Duration retryDelay);

	/**
	 * Set how long to wait for the lock in all.
	 * <p>
	 * Those who wait get the lock in the order in which they came: among the callers of
	 * one process, and among the processes. Wins over {@link #retry}. Default:
	 * {@code retry × retryDelay}, and zero for
	 * {@link LockOperations#tryAcquire(LockTarget, LockOptions) tryAcquire}.
	 * @param waitTime not negative; zero never waits
	 * @return changed options
	 */
	LockOptions waitTime(Duration waitTime);

	/**
	 * Wait for the lock until it is had, however long that takes.
	 * <p>
	 * An interrupt, a cancelled future, the end of the template and a store that does not
	 * answer still end the wait. In the annotation and in the configuration this is the
	 * waiting time {@code forever}.
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
	 * Set for how long the lock may be held by renewing it: a holder that hangs must not
	 * keep it for ever. Default: without end.
	 * <p>
	 * After that time the lock is lost, and its holder told. The lease is never longer.
	 * What the holder extends by hand is his own affair and goes beyond.
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
	 * Use an owner token of one's own instead of a random one.
	 * <p>
	 * Whoever asks with the token of the present holder is answered "it is yours", at
	 * once and before all who wait: so a process that knows the token resumes the lock of
	 * one that died. It is the same grant, with the same fencing token; the lease is the
	 * longer of what was left and its own, and the next renewal makes it its own.
	 * <p>
	 * Two callers with the same token therefore do <em>not</em> exclude one another, nor
	 * does a fence at the resource tell them apart. Whichever lets go first, lets go for
	 * both: the other one is told with its next renewal, or when it asks
	 * ({@link LockHandle#verify()}). That counts for a release, too, that is repeated in
	 * the background because its answer was lost. Give up a token, or see that its holder
	 * is dead, before another process uses it. Use one lease for each token: a renewal
	 * that arrives late sets the life of whatever hold has the token by then.
	 * @param owner the token; 1 to 256 characters, unique for each piece of work
	 * @return changed options
	 */
	LockOptions owner(String owner);

	/**
	 * Set whether a thread that holds the lock may take it once more. Default:
	 * {@code true}.
	 * <p>
	 * A re-entrant hold is counted in this process; the options of the outermost hold
	 * apply. A hold that was lost cannot be entered: the lock is acquired anew, and the
	 * outer hold is told at its end. A handle that its thread passes on to another one
	 * should not be re-entrant, or that thread would still enter it.
	 * @param reentrant {@code false} to wait for oneself as for anybody else
	 * @return changed options
	 */
	LockOptions reentrant(boolean reentrant);

	/**
	 * Set what becomes of the work when its lock is lost. Default: {@link OnLost#THROW}.
	 * <p>
	 * For {@link LockOperations#execute}. A handle, which any thread may use, interrupts
	 * none: there {@link OnLost#INTERRUPT} is the same as {@link OnLost#THROW}, and
	 * {@link LockHandle#onLost(Runnable)} runs whatever is to be done.
	 * {@link OnLost#IGNORE} keeps {@link LockHandle#close()} from throwing.
	 * @param onLost what to do
	 * @return changed options
	 */
	LockOptions onLost(OnLost onLost);

	/**
	 * Return these options, with what they leave open taken from others.
	 * @param defaults what applies where these options are silent
	 * @return the merged options
	 */
	LockOptions orElse(LockOptions defaults);

}
