package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import io.github.redislock.HeldLock;
import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * A lock stays locked to other callers until its minimum hold is over, counted from the
 * grant by any clock. Exceptions are shared locks, a loss of data, and forced releases.
 */
final class StaysClosed extends Rule {

	/** The tolerance for clocks that are stepped. */
	private static final Duration STEPS = Duration.ofMillis(100);

	private final Map<String, Closing> closings = new HashMap<>();

	/** The holder of each lock after the last script, and the time of its grant. */
	private final Map<String, Holder> holders = new HashMap<>();

	StaysClosed(World world) {
		super(world);
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		Duration atLeast = attempt.ask().terms().atLeastFor();
		if (!atLeast.isZero() && handle.isHeld() && !handle.target().isShared()) {
			long least = atLeast.minus(atLeast.dividedBy(100)).minus(STEPS).toNanos();
			handle.target().names().stream().map(LockNames::lock).forEach((lock) -> {
				Holder holder = this.holders.get(lock);
				if (holder != null && holder.is(handle.owner())) {
					this.closings.put(lock,
							new Closing(handle.owner(), holder.since() + least, world().grants().generation(handle)));
				}
			});
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(name, evaluation.keysAfter().get(name));
			}
		}
	}

	private void note(String lock, @Nullable StoredKey stored) {
		String owner = Holding.owner(stored);
		Holder before = this.holders.get(lock);
		if (owner == null) {
			this.holders.remove(lock);
			return;
		}
		if (before == null || !before.is(owner)) {
			this.holders.put(lock, new Holder(owner, world().time().now()));
			requireOpen(lock, owner);
		}
	}

	private void requireOpen(String lock, String owner) {
		Closing closing = this.closings.remove(lock);
		if (closing != null && !closing.owner().equals(owner) && world().time().now() < closing.until()
				&& closing.generation() == world().generation() && !world().grants().isForced(closing.owner())) {
			broken("%s has '%s', which should have stayed closed for another %d ms after the hold of %s"
				.formatted(owner, lock, (closing.until() - world().time().now()) / 1_000_000, closing.owner()));
		}
	}

	private record Holder(String owner, long since) {

		private boolean is(String other) {
			return this.owner.equals(other);
		}

	}

	private record Closing(String owner, long until, int generation) {
	}

}
