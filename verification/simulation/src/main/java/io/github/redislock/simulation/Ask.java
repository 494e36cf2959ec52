package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.LockTarget;

/**
 * A caller that asks for a lock, does something while it has it, and releases it.
 *
 * @param at when it asks
 * @param instance of which instance it is
 * @param target the lock
 * @param terms how it takes and keeps it
 * @param hold how long it needs the lock
 * @param face over which face
 * @param twist what it does besides
 * @param after how long after it has asked, or has got the lock
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
	 * Return what a caller asks that takes a lock once more which it has.
	 */
	Ask again() {
		return new Ask(this.at, this.instance, this.target, this.terms, this.after, this.face, Twist.NONE, this.after);
	}

	/**
	 * Return what a caller asks that waits for another lock while it has this one. It
	 * waits long enough for a dead-lock to be found, and not for ever.
	 */
	Ask another() {
		char own = this.target.name().charAt(0);
		char other = (char) ('a' + (own - 'a' + 1 + this.after.toMillis() % 2) % Scenario.NESTED_NAMES);
		return new Ask(this.at, this.instance, LockTarget.of(String.valueOf(other)),
				this.terms.waitTime(this.hold.plusSeconds(2)), this.after, this.face, Twist.NONE, this.after);
	}

	/**
	 * How a caller waits.
	 */
	enum Face {

		ASYNC,

		/** On its own thread. */
		BLOCKING

	}

	/**
	 * What a caller does besides.
	 */
	enum Twist {

		NONE,

		/** Cancels its future, or is interrupted; perhaps when it waits no more. */
		STOP_WAITING,

		/** Is interrupted at the moment at which it is replied to. Blocking only. */
		INTERRUPT_AT_ANSWER,

		EXTEND, RENEW,

		/** Renews with a shorter lease. */
		SHORTEN,

		VERIFY, DOWNGRADE,

		/** Takes the lock once more, and releases both. Blocking only. */
		AGAIN,

		/** Waits for another lock while it has this one. Blocking only. */
		ANOTHER;

		/**
		 * Return whether it says anew how long the lock is held.
		 */
		boolean changesLease() {
			return this == EXTEND || this == RENEW || this == SHORTEN;
		}

		/**
		 * Return whether it is done with the lock.
		 */
		boolean needsLock() {
			return this != NONE && this != STOP_WAITING && this != INTERRUPT_AT_ANSWER;
		}

	}

}
