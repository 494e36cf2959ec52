package io.github.redislock.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Supplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.LockState;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * The deadlock detector's data about a caller that waits while it holds locks.
 * Thread-safe.
 */
final class HoldingWait {

	/** Shorter waits are not checked for deadlocks. */
	static final Duration SHORTEST = Duration.ofSeconds(2);

	private final WatchedTimer timer;

	private final long startedAt;

	private final Instant since;

	private final HoldMonitor monitor;

	private final List<Hold> holds;

	private final Supplier<@Nullable LockState> holder;

	private @GuardedBy("this") Duration dueAfter = SHORTEST;

	/** Identifies this wait in snapshots; {@code null} until the first one. */
	private @GuardedBy("this") @Nullable String id;

	private @GuardedBy("this") @Nullable String behind;

	private @GuardedBy("this") @Nullable String deadlock;

	/**
	 * Create a wait that begins now.
	 * @param monitor the waiting caller's monitor
	 * @param holds the caller's holds
	 * @param holder returns the holder for which the caller waits, if known
	 */
	HoldingWait(WatchedTimer timer, HoldMonitor monitor, List<Hold> holds, Supplier<@Nullable LockState> holder) {
		this.timer = timer;
		this.startedAt = timer.nanoTime();
		this.since = timer.now();
		this.monitor = monitor;
		this.holds = holds;
		this.holder = holder;
	}

	/**
	 * Return whether this caller has the given hold, and no other caller is known to use
	 * it.
	 */
	boolean holds(Hold hold) {
		return this.holds.contains(hold) && hold.monitor().isUsedOnlyWith(this.monitor);
	}

	/**
	 * Return whether to check for a deadlock now. The next check is due when the wait has
	 * lasted twice as long.
	 */
	synchronized boolean isDue() {
		Duration waited = waited();
		boolean due = waited.compareTo(this.dueAfter) >= 0;
		this.dueAfter = due ? waited.multipliedBy(2) : this.dueAfter;
		return due;
	}

	private Duration waited() {
		return Duration.ofNanos(this.timer.nanoTime() - this.startedAt);
	}

	/**
	 * Return the current state of this wait.
	 * @param held the lock of this caller for which the previous caller in the chain
	 * waits; empty for the first caller
	 * @return {@code null} if the wait is too short, or if no holder is known
	 */
	@Nullable Snapshot now(String held, OwnerTokens tokens) {
		LockState known = this.holder.get();
		if (known == null || !known.held() || waited().compareTo(SHORTEST) < 0) {
			return null;
		}
		String name = this.monitor.threadName();
		// A wait is one line of a message, and its fields are separated by tabs.
		String thread = (name != null) ? name.replaceAll("\\p{Cntrl}", " ") : "";
		return new Snapshot(id(tokens), this.timer.nanoTime(), tokens.instance(), thread,
				this.since.truncatedTo(ChronoUnit.SECONDS).toString(), held, known.name(), known.shortOwner());
	}

	private synchronized String id(OwnerTokens tokens) {
		String known = (this.id != null) ? this.id : tokens.nextRandom();
		this.id = known;
		return known;
	}

	/**
	 * Record a deadlock if this wait is the given one.
	 * @param wait one wait of the deadlock
	 * @param description describes the deadlock in the same way for all of its waits
	 * @return whether this deadlock was not known before
	 */
	synchronized boolean found(Snapshot wait, String description) {
		if (!wait.id().equals(this.id)) {
			return false;
		}
		boolean news = !description.equals(this.deadlock);
		this.behind = wait.behind();
		this.deadlock = description;
		return news;
	}

	/**
	 * Return the description of the deadlock if the caller still waits for the same
	 * holder.
	 */
	synchronized @Nullable String deadlockWith(@Nullable LockState known) {
		return (known != null && (known.name() + '\t' + known.shortOwner()).equals(this.behind)) ? this.deadlock : null;
	}

	/**
	 * A wait, as seen by its process.
	 *
	 * @param seenAt when the process recorded the wait, by its monotonic clock
	 * @param thread the name of the thread; empty if the work belongs to no thread
	 * @param since when the wait began, by the clock of that process
	 * @param held the lock for which the previous caller in the chain waits; empty for
	 * the first caller
	 * @param lock the lock for which the caller waits
	 * @param owner enough of its holder's owner token to recognize it
	 */
	record Snapshot(String id, long seenAt, String instance, String thread, String since, String held, String lock,
			String owner) {

		static Snapshot read(String line) {
			String[] fields = line.split("\t", 8);
			return new Snapshot(fields[0], Long.parseLong(fields[1]), fields[2], fields[3], fields[4], fields[5],
					fields[6], fields[7]);
		}

		String text() {
			return String.join("\t", this.id, Long.toString(this.seenAt), this.instance, this.thread, this.since,
					this.held, behind());
		}

		/**
		 * Return the lock and its holder, separated by a tab.
		 */
		String behind() {
			return this.lock + '\t' + this.owner;
		}

		String describe() {
			String who = this.thread.isEmpty() ? "asynchronous work" : "thread '%s'".formatted(this.thread);
			return "%s of '%s' holds '%s' and waits for '%s'".formatted(who, this.instance, this.held, this.lock);
		}

	}

}
