package io.github.redislock.leadership;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

import io.github.redislock.LockState;

/**
 * A role that at most one of several instances has at a time. The instance usually keeps
 * the role as long as it runs and can reach the store.
 * <p>
 * All instances are candidates, and wait in the order of arrival. One leads until it
 * {@linkplain #resign() resigns}, stops, or loses the lock, for example because it cannot
 * renew its lease in time. A leader that is cut off from the store stops leading at the
 * end of its lease, by its own clock, before any other instance can lead.
 * <pre class="code">
 * mailer.onGranted((term) -&gt; mailbox.open(term));
 * mailer.onRevoked((term) -&gt; mailbox.close());
 * </pre>
 * <p>
 * All listeners of a role are called one after the other, on a separate thread, in the
 * order in which they were added. They may block, but must not wait for the future of
 * {@link #resign()}. The next leadership of this instance begins only when the listeners
 * of {@link #onRevoked} have returned. A failure of a listener is logged. Thread-safe.
 *
 * @see LockLeadership
 */
public interface Leadership {

	/**
	 * Return the role.
	 * @return the name of the role, which is the same in all instances
	 */
	String role();

	/**
	 * Return whether this instance leads.
	 * <p>
	 * Does not ask the store. Returns false once the lease is over, even if the store
	 * cannot be reached. Check again before each step of long work, or pass
	 * {@link #term()} to what the work changes.
	 * @return whether this instance may do the leader's work now
	 */
	boolean isLeader();

	/**
	 * Return the fencing token of the current leadership, which is greater than that of
	 * every earlier leadership of any instance, unless the store's clock was set back.
	 * @return the token, or empty if this instance does not lead
	 */
	OptionalLong term();

	/**
	 * Ask the store which instance leads, since when, and how long the store keeps its
	 * lock without a renewal. Blocks until the store has replied.
	 * @return the holder of the role's lock, or empty if no instance leads
	 */
	Optional<LockState> leader();

	/**
	 * Call a listener each time this instance becomes the leader, and also for the
	 * current leadership if it already leads.
	 * <p>
	 * The listener is not called for a leadership that is already over. If the leadership
	 * ends while the listener runs, {@link #isLeader()} returns false at once, and the
	 * listeners of {@link #onRevoked} are called next.
	 * @param listener receives the {@link #term()}
	 */
	void onGranted(LongConsumer listener);

	/**
	 * Call a listener each time this instance stops leading, if the listeners of
	 * {@link #onGranted} were called for that leadership: at the end of the lease if the
	 * lease could not be renewed, as soon as a forced release is noticed, and at
	 * {@link #resign()} before another instance can lead. Use it to end what a listener
	 * of {@link #onGranted} has begun.
	 * @param listener receives the {@link #term()} that is over
	 */
	void onRevoked(LongConsumer listener);

	/**
	 * Stop leading, and hand the role over to the instance that has waited longest.
	 * <p>
	 * {@link #isLeader()} returns false at once. Listeners of {@link #onRevoked} are
	 * called before the lock is released, so that the next leader begins after this one
	 * has stopped. Then this instance is a candidate again, behind all others. If there
	 * are no others, it leads again. Does nothing if this instance does not lead.
	 * @return a future that completes when another instance may lead, and never fails
	 */
	CompletableFuture<Void> resign();

}
