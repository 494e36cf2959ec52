package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

import io.github.redislock.LockState;
import org.jspecify.annotations.Nullable;

/**
 * The deadlock detector's data about a caller that waits while it holds locks.
 * Thread-safe.
 */
final class HoldingWait {

	/** Shorter waits do not count. */
	static final Duration SHORTEST = Duration.ofSeconds(2);

	private final List<Hold> holds;

	/** Used only by the {@link DeadlockDetector}'s timer task. */
	private long nextLookAt;

	/** The id of this wait in messages; {@code null} until one is sent. */
	private volatile @Nullable String id;

	private volatile @Nullable Finding finding;

	/**
	 * Create a wait that begins now.
	 * @param holds the caller's holds
	 * @param nextLookAt when to look for a deadlock
	 */
	HoldingWait(List<Hold> holds, long nextLookAt) {
		this.holds = holds;
		this.nextLookAt = nextLookAt;
	}

	/**
	 * Return whether this caller holds a lock that no other caller is known to use.
	 * @param monitor the waiting caller's monitor
	 */
	boolean holds(Hold hold, HoldMonitor monitor) {
		return this.holds.contains(hold) && hold.monitor().isUsedOnlyWith(monitor);
	}

	long nextLookAt() {
		return this.nextLookAt;
	}

	/**
	 * Schedule the next check for when the wait has doubled.
	 */
	void looked(long now, Duration waited) {
		this.nextLookAt = now + waited.toNanos();
	}

	@Nullable String id() {
		return this.id;
	}

	/**
	 * Return the id of this wait. It is created once, even if several threads need it at
	 * the same time.
	 */
	synchronized String id(Supplier<String> ids) {
		String known = this.id;
		if (known == null) {
			known = ids.get();
			this.id = known;
		}
		return known;
	}

	/**
	 * Record that this wait is part of a deadlock.
	 * @param description a description of the deadlock, the same for all of its waits
	 * @param holder the holder for which this caller waits
	 * @return whether this deadlock was not known before
	 */
	synchronized boolean found(String ids, String description, LockState holder) {
		Finding known = this.finding;
		if (known != null && known.ids.equals(ids)) {
			return false;
		}
		this.finding = new Finding(ids, description, holder);
		return true;
	}

	/**
	 * Return the description of the deadlock if the caller still waits for the same
	 * holder.
	 */
	@Nullable String deadlockWith(@Nullable LockState holder) {
		Finding known = this.finding;
		if (known == null || holder == null) {
			return null;
		}
		boolean same = known.holder.owner().equals(holder.owner()) && known.holder.name().equals(holder.name());
		return same ? known.description : null;
	}

	/**
	 * A deadlock.
	 *
	 * @param ids the ids of all its waits
	 */
	private record Finding(String ids, String description, LockState holder) {
	}

}
