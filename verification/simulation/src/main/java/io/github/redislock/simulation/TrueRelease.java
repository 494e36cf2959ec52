package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * No release reports a loss to a caller that held the lock by its own clock. Exceptions
 * are data that Redis loses, forced releases, shared owner tokens, and a lease that is
 * over when the reply arrives. A release that arrives twice is also an exception if the
 * lock has had another holder in between, other than the one to which the first arrival
 * handed the lock, because Redis then no longer knows about the release.
 */
final class TrueRelease extends Rule {

	/** When the lease of each released lock would have ended, in true time. */
	private final Map<Attempt, Long> heldUntil = new HashMap<>();

	private final Map<String, String> last = new HashMap<>();

	/** How often each lock got a holder other than its last one. */
	private final Map<String, Integer> changes = new HashMap<>();

	/** The number of changes after an owner's release arrived for the first time. */
	private final Map<String, Integer> left = new HashMap<>();

	/** Owners whose release arrived again after Redis had forgotten it. */
	private final Set<String> forgotten = new HashSet<>();

	TrueRelease(World world) {
		super(world);
	}

	@Override
	void releasing(Attempt attempt) {
		if (!attempt.isLost() && attempt.handle().isHeld() && isPromised(attempt)) {
			this.heldUntil.put(attempt, world().time().now() + World.remaining(attempt.handle()).toNanos());
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		boolean release = evaluation.script().startsWith("RELEASE") || evaluation.script().equals("YIELD");
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				String lock = evaluation.server().name() + name;
				int before = this.changes.getOrDefault(lock, 0);
				String owner = Holding.owner(evaluation.keysAfter().get(name));
				if (owner != null && !owner.equals(this.last.put(lock, owner))) {
					this.changes.merge(lock, 1, Integer::sum);
				}
				if (release) {
					arrived(lock, Words.text(evaluation.arguments().get(0)), before);
				}
			}
		}
	}

	private void arrived(String lock, String owner, int before) {
		Integer left = this.left.putIfAbsent(lock + ' ' + owner, this.changes.getOrDefault(lock, 0));
		if (left != null && left != before) {
			this.forgotten.add(owner);
		}
	}

	@Override
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
		if (outcome == ReleaseOutcome.NOT_HELD && isPromised(attempt)
				&& world().time().now() < this.heldUntil.getOrDefault(attempt, Long.MIN_VALUE)) {
			broken("caller %s of %s reported that it had lost '%s', but no other caller had it".formatted(attempt,
					attempt.instance(), attempt.ask().target()));
		}
	}

	private boolean isPromised(Attempt attempt) {
		String owner = attempt.handle().owner();
		return !this.forgotten.contains(owner) && !world().isShared(attempt) && !world().grants().isForced(owner)
				&& world().grants().generation(attempt.handle()) == world().generation()
				&& world().servers().stream().allMatch(this::isWhole);
	}

	/**
	 * Return whether a server has never lost data, or is the only server. On a quorum
	 * whose servers have lost data, a release may find that a majority has forgotten the
	 * lock.
	 */
	private boolean isWhole(Server server) {
		return world().servers().size() == 1 || (server.generation() == 0 && server.dataLife() == 0);
	}

}
