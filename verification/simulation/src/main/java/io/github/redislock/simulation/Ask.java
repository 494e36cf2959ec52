package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.LockTarget;

/**
 * A caller that acquires a lock, does something while it holds it, and releases it.
 *
 * @param at when the caller requests the lock, in nanoseconds since the world began
 * @param instance the number of the caller's instance
 * @param target the lock
 * @param terms the options with which the caller acquires the lock
 * @param hold how long the caller needs the lock
 * @param face the API that the caller uses
 * @param twist an additional action of the caller
 * @param after the time until the twist, counted from the request if the caller stops
 * waiting, and otherwise from the grant
 */
record Ask(long at, int instance, LockTarget target, Terms terms, Duration hold, Face face, Twist twist,
		Duration after) implements Step {

	@Override
	public void happen(World world) {
		world.ask(this);
	}

	@Override
	public Step later(long nanos) {
		return new Ask(this.at + nanos, this.instance, this.target, this.terms, this.hold, this.face, this.twist,
				this.after);
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
	 * Return the request of a caller that acquires the same lock again while it holds the
	 * lock.
	 */
	Ask again(LockTarget again) {
		return new Ask(this.at, this.instance, again, this.terms, this.after, this.face, Twist.NONE, this.after);
	}

	/**
	 * Return the request of the same caller for another lock while it holds this one. The
	 * waiting time is limited, but usually long enough for a deadlock to be found.
	 */
	Ask another() {
		char own = this.target.name().charAt(0);
		char other = (char) ('a' + (own - 'a' + 1 + this.after.toMillis() % 2) % Scenario.NESTED_NAMES);
		return new Ask(this.at, this.instance, LockTarget.of(String.valueOf(other)),
				this.terms.waitTime(this.hold.plusSeconds(2)), this.after, this.face, Twist.NONE, this.after);
	}

	enum Face {

		ASYNC,

		/** The caller blocks its thread while it waits. */
		BLOCKING

	}

	enum Twist {

		NONE,

		/**
		 * The caller cancels its future or is interrupted, possibly after its wait has
		 * ended.
		 */
		STOP_WAITING,

		/**
		 * The caller is interrupted just before it sees the reply. Blocking callers only.
		 */
		INTERRUPT_AT_ANSWER,

		EXTEND, RENEW,

		/** The caller renews the lock with a shorter lease. */
		SHORTEN,

		VERIFY,

		/**
		 * The caller acquires the lock again, and releases it twice. Blocking callers
		 * only.
		 */
		AGAIN,

		/**
		 * The caller acquires its lock for reading as well, and releases the two in any
		 * order. Blocking callers only.
		 */
		READ,

		/**
		 * The caller waits for another lock while it holds this one. Blocking callers
		 * only.
		 */
		ANOTHER;

		boolean changesLease() {
			return this == EXTEND || this == RENEW || this == SHORTEN;
		}

		boolean needsLock() {
			return this != NONE && this != STOP_WAITING && this != INTERRUPT_AT_ANSWER;
		}

	}

}
