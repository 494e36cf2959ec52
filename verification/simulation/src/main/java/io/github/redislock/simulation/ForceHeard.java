package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;

/**
 * Soon after a forced release, no more holds of the former turn begin. An earlier grant
 * may still arrive for as long as the command timeout, and a handed-over lock for another
 * 0.4 s. Then the turn ends one slice later. Instances that were stopped are not checked,
 * nor are quorums.
 */
final class ForceHeard extends Rule {

	private static final Duration UNSEEN = Duration.ofMillis(400);

	private static final Duration SLICE = Duration.ofMillis(20);

	/** The tolerance for hops between threads, and for a clock that runs slowly. */
	private static final Duration HOPS = Duration.ofMillis(50);

	ForceHeard(World world) {
		super(world);
	}

	@Override
	void began(Attempt attempt, HeldLock handle) {
		long bound = world().setting().commandTimeout().plus(UNSEEN).plus(SLICE).plus(HOPS).toNanos();
		long late = world().time().now() - world().grants().forcedAt(handle.owner());
		if (!world().isQuorum() && late > bound && attempt.instance().host().stopped() == 0) {
			broken("caller %s of %s was granted '%s' %d ms after a forced release ended its turn".formatted(attempt,
					attempt.instance(), handle.target(), late / 1_000_000));
		}
	}

}
