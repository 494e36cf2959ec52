package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.redislock.HeldLock;
import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * Once an instance was told that a lock was taken by force, no hold begins there of the
 * turn that it was taken from.
 */
final class TurnEndsByForce extends Rule {

	/** From the network to the callers. */
	private static final long HOPS = 1_000_000;

	private static final String FORCED = "forced ";

	private final Map<String, String> holders = new HashMap<>();

	/** From which owners a lock was taken; and when their instances were told. */
	private final Set<String> taken = new HashSet<>();

	private final Map<String, Long> told = new HashMap<>();

	/** Holds that have begun: to enter one of them again begins none. */
	private final Set<String> begun = new HashSet<>();

	TurnEndsByForce(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(evaluation, evaluation.server().name() + name, evaluation.keysAfter().get(name));
			}
		}
	}

	private void note(Server.Evaluation evaluation, String lock, @Nullable StoredKey stored) {
		String holder = Holding.owner(stored);
		String before = (holder != null) ? this.holders.put(lock, holder) : this.holders.remove(lock);
		if (holder != null && !holder.equals(before)) {
			this.taken.remove(holder);
			this.told.remove(holder);
		}
		if (before != null && !before.equals(holder) && evaluation.script().equals("FORCE_RELEASE")) {
			this.taken.add(before);
		}
	}

	@Override
	void heard(String instance, String message) {
		if (message.startsWith(FORCED)) {
			this.taken.stream()
				.filter((owner) -> owner.startsWith(instance + "/"))
				.forEach((owner) -> this.told.putIfAbsent(owner, world().time().now()));
		}
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		if (!this.begun.add(handle.owner() + " " + handle.fencingToken())) {
			return;
		}
		Long told = this.told.get(handle.owner());
		if (told != null && world().time().now() - told > HOPS && world().setting().servers() == 1) {
			broken("caller %s of %s has '%s', which was taken by force from its instance; that was told %.1f ms ago"
				.formatted(attempt, attempt.instance(), handle.target(), (world().time().now() - told) / 1e6));
		}
	}

}
