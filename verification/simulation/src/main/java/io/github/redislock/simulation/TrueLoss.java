package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.HeldLock;
import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;

/**
 * No loss is reported to a caller before its deadline as long as Redis loses no data and
 * the caller's owner token still has the lock. Exceptions are closed, crashed and
 * suspended instances, forced releases, and shared owner tokens.
 */
final class TrueLoss extends Rule {

	/** The tolerance for hops between threads, and for a clock that runs slowly. */
	private static final long HOPS = 1_000_000;

	/** The last known deadline of each hold, by the clock of its instance. */
	private final Map<Attempt, Long> deadlines = new HashMap<>();

	TrueLoss(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		look();
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		look();
	}

	@Override
	void replied(String script, List<byte[]> arguments, Object reply) {
		look();
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		look();
	}

	private void look() {
		for (Attempt attempt : world().attempts()) {
			if (attempt.isHolding() && !attempt.instance().host().isDead() && attempt.handle().isHeld()) {
				this.deadlines.put(attempt,
						attempt.instance().host().nanoTime() + World.remaining(attempt.handle()).toNanos());
			}
		}
	}

	@Override
	void lost(Attempt attempt) {
		Host host = attempt.instance().host();
		long left = this.deadlines.getOrDefault(attempt, host.nanoTime()) - host.nanoTime();
		String owner = attempt.handle().owner();
		if (left > HOPS && attempt.instance().isOpen() && !world().isShared(attempt) && !host.wasSuspended()
				&& !world().grants().isForced(owner)
				&& world().grants().generation(attempt.handle()) == world().generation() && isOwners(attempt, owner)) {
			broken("caller %s of %s has lost '%s' %.1f ms before its deadline, but its owner still has it in Redis"
				.formatted(attempt, attempt.instance(), attempt.ask().target(), left / 1e6));
		}
	}

	private boolean isOwners(Attempt attempt, String owner) {
		return attempt.ask().target().names().stream().map(LockNames::lock).allMatch((lock) -> {
			long keeping = world().servers().stream().filter((server) -> isOwners(server, lock, owner)).count();
			return 2 * keeping > world().servers().size();
		});
	}

	private static boolean isOwners(Server server, String lock, String owner) {
		StoredKey places = server.keys().get(LockNames.places(lock));
		Holding holding = Holding.of(server.keys().get(lock));
		if (holding == null) {
			return false;
		}
		if (!holding.shared()) {
			return holding.owner().equals(owner);
		}
		return places != null && places.value() instanceof StoredValue.SortedSet set
				&& set.members()
					.stream()
					.anyMatch((member) -> member.name().equals(owner) && member.score() * 1_000 > server.micros());
	}

}
