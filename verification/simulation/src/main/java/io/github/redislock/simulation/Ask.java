package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.LockTarget;

/**
 * A caller that acquires a lock, does something while it holds it, and releases it.
 *
 * @param at when it requests the lock
 * @param instance the number of its instance
 * @param target the lock
 * @param terms how it acquires and keeps the lock
 * @param hold how long it needs the lock
 * @param face which API it uses
 * @param twist what else it does
 * @param after the time from the request or the grant to the twist
 */
record Ask(long at, int instance, LockTarget target, Terms terms, Duration hold, Face face, Twist twist,
		Duration after) implements Step {

	@Override
	public void happen(World world) {
		world.ask(this);
	}

	@Override
	public String toString() {
		return "%s, %s, %s, hold %d ms%s".formatted(this.target, this.face, this.terms, this.hold.toMillis(),
				(this.twist != Twist.NONE) ? ", " + this.twist + " after " + this.after.toMillis() + " ms" : "");
	}

	Ask with(LockTarget target, Terms terms, Duration hold) {
		return new Ask(this.at, this.instance, target, terms, hold, this.face, this.twist, this.after);
	}

	/**
	 * Return an ask for a caller that acquires a lock that it already holds.
	 */
	Ask again() {
		return new Ask(this.at, this.instance, this.target, this.terms, this.after, this.face, Twist.NONE, this.after);
	}

	/**
	 * Return an ask for a caller that waits for another lock while it holds this one. It
	 * waits long enough for a deadlock to be found, but not forever.
	 */
	Ask another() {
		char own = this.target.name().charAt(0);
		char other = (char) ('a' + (own - 'a' + 1 + this.after.toMillis() % 2) % Scenario.NESTED_NAMES);
		return new Ask(this.at, this.instance, LockTarget.of(String.valueOf(other)),
				this.terms.waitTime(this.hold.plusSeconds(2)), this.after, this.face, Twist.NONE, this.after);
	}

	/**
	 * The API that a caller uses.
	 */
	enum Face {

		ASYNC,

		/** The caller waits on a separate thread. */
		BLOCKING

	}

	/**
	 * An additional action of a caller.
	 */
	enum Twist {

		NONE,

		/** Cancels its future or is interrupted, possibly when it no longer waits. */
		STOP_WAITING,

		/** Is interrupted just before it sees the reply. Blocking only. */
		INTERRUPT_AT_ANSWER,

		EXTEND, RENEW,

		/** Renews with a shorter lease. */
		SHORTEN,

		VERIFY, DOWNGRADE,

		/** Acquires the lock again, and releases it twice. Blocking only. */
		AGAIN,

		/** Waits for another lock while it holds this one. Blocking only. */
		ANOTHER;

		/**
		 * Return whether this twist changes the lease.
		 */
		boolean changesLease() {
			return this == EXTEND || this == RENEW || this == SHORTEN;
		}

		/**
		 * Return whether this twist requires that the caller holds the lock.
		 */
		boolean needsLock() {
			return this != NONE && this != STOP_WAITING && this != INTERRUPT_AT_ANSWER;
		}

	}

}
