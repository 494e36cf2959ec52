package io.github.redislock.campaign.worker;

import java.time.Duration;

import io.github.redislock.ReleaseOutcome;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Recorder;

/**
 * The critical section of a contender. Watches how long the handle claims that the lock
 * is held. Used by one thread at a time.
 */
final class Section {

	private final Held lock;

	private final Recorder recorder;

	private final Witness witness;

	private final Closing closing;

	private final long attempt;

	private final int key;

	private final long entry;

	private final long replied;

	/** When the handle was last seen to claim the lock. */
	private long lastSeen;

	/**
	 * The time until which the handle would have claimed the lock if nothing had happened
	 * since.
	 */
	private long claimedUntil;

	Section(Held lock, Recorder recorder, Witness witness, Closing closing, long attempt, int key, long entry,
			long replied) {
		this.lock = lock;
		this.recorder = recorder;
		this.witness = witness;
		this.closing = closing;
		this.attempt = attempt;
		this.key = key;
		this.entry = entry;
		this.replied = replied;
		this.lastSeen = replied;
		this.claimedUntil = replied;
	}

	/**
	 * Enter the section.
	 * @return {@code false} if the lock is not held any more
	 */
	boolean enter() {
		boolean held = look();
		this.recorder.has(this.attempt, this.lock.token(), this.lock.owner(), this.replied, this.claimedUntil);
		if (held) {
			this.witness.enter(this.key, this.entry, this.claimedUntil, this.lock::isHeld);
			renounceWhenClosing();
		}
		return held;
	}

	/**
	 * Work under the lock for a moment.
	 * @return {@code false} if the lock is not held any more
	 */
	boolean work() {
		if (!look()) {
			return false;
		}
		this.witness.rely(this.key, this.entry, this.claimedUntil);
		renounceWhenClosing();
		this.witness.write(this.key, this.lock.token(), this.lock::isHeld);
		return true;
	}

	void renew(Duration lease) {
		// The new lease may be shorter. The handle applies it before it sends the
		// request.
		this.claimedUntil = Math.min(this.claimedUntil, System.nanoTime() + lease.toNanos());
		this.witness.rely(this.key, this.entry, this.claimedUntil);
		this.lock.renew(lease);
		look();
	}

	void extend(Duration additional) {
		this.lock.extend(additional);
		look();
	}

	/**
	 * Release the lock, and record the outcome.
	 * @return the time until which the handle claimed that the lock is held
	 */
	long end() {
		boolean held = look();
		if (!held) {
			// Write anyway, like a process that was stopped between its check and its
			// write.
			this.witness.write(this.key, this.lock.token(), this.lock::isHeld);
		}
		this.witness.leave(this.key, this.entry);
		this.recorder.lets(this.attempt, Math.min(this.claimedUntil, System.nanoTime()));
		long releasedAt = System.nanoTime();
		ReleaseOutcome reply = this.lock.release();
		long until = Math.min(this.claimedUntil, releasedAt);
		boolean early = !held && releasedAt < this.claimedUntil;
		if (early) {
			until = this.lastSeen;
		}
		boolean closed = this.closing.at() < releasedAt;
		until = Math.max(Math.min(until, this.closing.at()), this.replied);
		this.recorder.ends(this.attempt, outcome(reply, early || held, closed), until);
		return until;
	}

	private Outcome outcome(ReleaseOutcome reply, boolean early, boolean closed) {
		if (reply == ReleaseOutcome.NOT_HELD) {
			return (early && !closed && System.nanoTime() < this.claimedUntil) ? Outcome.TAKEN : Outcome.LOST;
		}
		return (reply == ReleaseOutcome.UNKNOWN) ? Outcome.UNKNOWN : Outcome.RELEASED;
	}

	private void renounceWhenClosing() {
		if (this.closing.isBegun()) {
			this.witness.rely(this.key, this.entry, 0);
		}
	}

	/**
	 * Check whether the handle claims the lock, and until when. The clock is read first,
	 * so that the recorded claim is never longer than the real one.
	 */
	private boolean look() {
		long now = System.nanoTime();
		Duration remaining = this.lock.remaining();
		if (!this.lock.isHeld()) {
			return false;
		}
		this.lastSeen = now;
		this.claimedUntil = now + remaining.toNanos();
		return true;
	}

}
