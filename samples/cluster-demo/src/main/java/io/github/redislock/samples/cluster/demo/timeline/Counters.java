package io.github.redislock.samples.cluster.demo.timeline;

import io.github.redislock.samples.cluster.message.Kind;

/**
 * The number of events of each kind.
 *
 * @param acquisitions how many times the lock was acquired
 * @param handOvers how many times the lock was handed over to a worker that waited for it
 * @param losses how many times a worker was notified that it had lost the lock
 * @param kills how many times a worker process was killed
 * @param refusals how many writes came too late and were refused
 * @param violations how many times two workers held the lock at the same time, or tokens
 * did not increase
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
