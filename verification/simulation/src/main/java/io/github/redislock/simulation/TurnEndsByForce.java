package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

import io.github.redislock.HeldLock;

/**
 * Once an instance knows about a forced release, no hold of the ended turn begins there.
 * Such a hold would have the same owner and a fencing token that was reserved before the
 * release. If the token is greater, the owner has acquired the lock again. Not checked on
 * a quorum.
 */
final class TurnEndsByForce extends Rule {

	/** The tolerance for hops from the network to the callers. */
	private static final long HOPS = 1_000_000;

	private static final String FORCED = "forced ";

	private final Map<String, String> holders = new HashMap<>();

	/** The first fencing token of each lock that is not reserved. */
	private final Map<String, Long> next = new HashMap<>();

	/**
	 * The owners whose lock was released by force, with the first token that was not
	 * reserved for them.
	 */
	private final Map<String, Long> taken = new HashMap<>();

	private final Map<String, Long> told = new HashMap<>();

	TurnEndsByForce(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(evaluation, name);
			}
		}
	}

	private void note(Server.Evaluation evaluation, String key) {
		Holding holding = Holding.of(evaluation.keysAfter().get(key));
		Remembered grant = Remembered.of(evaluation.keysAfter(), key);
		String lock = evaluation.server().name() + key;
		String holder = (holding != null) ? holding.owner() : null;
		String before = (holder != null) ? this.holders.put(lock, holder) : this.holders.remove(lock);
		if (holder != null && !holder.equals(before)) {
			this.taken.remove(holder);
			this.told.remove(holder);
		}
		if (before != null && !before.equals(holder) && evaluation.script().equals("FORCE_RELEASE")) {
			this.taken.put(before, this.next.getOrDefault(lock, Long.MAX_VALUE));
		}
		if (grant != null) {
			this.next.put(lock, grant.next());
		}
	}

	@Override
	void heard(String instance, String message) {
		if (message.startsWith(FORCED)) {
			this.taken.keySet()
				.stream()
				.filter((owner) -> owner.startsWith(instance + "/"))
				.forEach((owner) -> this.told.putIfAbsent(owner, world().time().now()));
		}
	}

	@Override
	void began(Attempt attempt, HeldLock handle) {
		Long told = this.told.get(handle.owner());
		if (told != null && handle.fencingToken() < this.taken.getOrDefault(handle.owner(), 0L)
				&& world().time().now() - told > HOPS && world().setting().servers() == 1) {
			broken("caller %s of %s has '%s', but its instance was notified of a forced release %.1f ms ago"
				.formatted(attempt, attempt.instance(), handle.target(), (world().time().now() - told) / 1e6));
		}
	}

}
