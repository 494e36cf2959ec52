package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * A caller that asks for a lock, does something while it has it, and releases it.
 *
 * @param at when it asks
 * @param instance of which instance it is
 * @param target the lock
 * @param options how to take and keep it
 * @param waitTime how long it waits
 * @param hold how long it needs the lock
 * @param twist what it does besides
 * @param after how long after it has asked, or has got the lock
 */
record Ask(long at, int instance, LockTarget target, LockOptions options, Duration lease, Duration waitTime,
		Duration hold, Twist twist, Duration after) implements Step {

	@Override
	public void happen(World world) {
		world.ask(this);
	}

	@Override
	public String toString() {
		return "%s, lease %d ms, wait %d ms, hold %d ms%s".formatted(this.target, this.lease.toMillis(),
				this.waitTime.toMillis(), this.hold.toMillis(),
				(this.twist != Twist.NONE) ? ", " + this.twist + " after " + this.after.toMillis() + " ms" : "");
	}

	/**
	 * What a caller does besides.
	 */
	enum Twist {

		NONE,

		/** Stops waiting. */
		CANCEL,

		EXTEND, RENEW,

		/** Renews with a shorter lease. */
		SHORTEN,

		VERIFY, DOWNGRADE

	}

}
