package io.github.redislock.samples.cluster.demo.timeline;

import io.github.redislock.samples.cluster.message.Kind;

/**
 * Counts of events.
 *
 * @param acquisitions the lock was acquired
 * @param handOvers the lock was handed over to a worker that waited for it
 * @param losses a worker was notified that it had lost the lock
 * @param kills a worker process was killed
 * @param refusals a write came too late and was refused
 * @param violations two workers held the lock at the same time, or tokens did not grow
 */
public record Counters(long acquisitions, long handOvers, long losses, long kills, long refusals, long violations) {

	static final Counters NONE = new Counters(0, 0, 0, 0, 0, 0);

	Counters plus(Kind kind) {
		return new Counters(this.acquisitions + one(kind == Kind.HOLDS), this.handOvers + one(kind == Kind.HANDED_OVER),
				this.losses + one(kind == Kind.LOST), this.kills + one(kind == Kind.KILLED),
				this.refusals + one(kind == Kind.REFUSED), this.violations + one(kind == Kind.VIOLATION));
	}

	private static int one(boolean yes) {
		return yes ? 1 : 0;
	}

}
