package io.github.redislock.simulation;

import java.time.Duration;

import io.github.redislock.HeldLock;

/**
 * After a forced release, no hold of the former turn begins for long: a grant that was
 * not seen yet may come within the command timeout, one that was handed over 0.4 s after
 * the last request, and the turn is over after its slice. An instance that was stopped
 * cannot know. In a quorum there are no turns.
 */
final class ForceHeard extends Rule {

	private static final Duration UNSEEN = Duration.ofMillis(400);

	private static final Duration SLICE = Duration.ofMillis(20);

	/** For hops between threads, and for a clock that runs slowly. */
	private static final Duration HOPS = Duration.ofMillis(50);

	ForceHeard(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		long bound = world().setting().commandTimeout().plus(UNSEEN).plus(SLICE).plus(HOPS).toNanos();
		long late = world().time().now() - world().grants().forcedAt(handle.owner());
		if (!world().isQuorum() && late > bound && attempt.instance().host().stopped() == 0) {
			broken("caller %s of %s is given '%s' %d ms after that was taken by force from its owner".formatted(attempt,
					attempt.instance(), handle.target(), late / 1_000_000));
		}
	}

}
