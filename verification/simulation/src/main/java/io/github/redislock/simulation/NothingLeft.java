package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.github.redislock.simulation.redis.StoredKey;

/**
 * When all callers have finished, no living instance keeps a lock in Redis or state of a
 * lock in memory. The rule for Redis does not apply to late or duplicate requests, after
 * a loss of data, or after a clock was set back. When all instances have ended and all
 * leases are over, nothing is left in Redis except the key {@code since}, and no event is
 * scheduled.
 */
final class NothingLeft extends Rule {

	/**
	 * Owners of late or duplicate requests that Redis may grant because it has forgotten
	 * their withdrawal or release.
	 */
	private final Set<String> tooLate = new HashSet<>();

	private final Set<String> questions = new HashSet<>();

	/**
	 * For each server and withdrawn request, {@link Server#forgetful()} when the
	 * withdrawal arrived.
	 */
	private final Map<String, Integer> withdrawn = new HashMap<>();

	NothingLeft(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		Asker asker = Asker.of(evaluation.script(), evaluation.arguments());
		if (asker == null) {
			return;
		}
		if (evaluation.script().startsWith("WITHDRAW")) {
			this.withdrawn.put(evaluation.server().name() + asker.request(), evaluation.server().forgetful());
			return;
		}
		if (asker.timeToLive() > 0 && evaluation.age() > asker.timeToLive() * 1_000_000) {
			this.tooLate.add(asker.owner());
		}
		noteCopy(evaluation, asker);
	}

	/**
	 * Record a duplicate of a request. The duplicate may acquire the lock again, unless
	 * the server remembers that the request was withdrawn.
	 */
	private void noteCopy(Server.Evaluation evaluation, Asker asker) {
		String server = evaluation.server().name();
		long sentAt = world().time().now() - evaluation.age();
		Integer withdrawn = this.withdrawn.get(server + asker.request());
		boolean copy = !this.questions.add(server + asker + sentAt);
		if ((withdrawn != null) ? withdrawn != evaluation.server().forgetful() : copy) {
			this.tooLate.add(asker.owner());
		}
	}

	@Override
	void calm() {
		for (Server server : world().servers()) {
			server.keys()
				.entrySet()
				.stream()
				.filter((entry) -> LockNames.isLock(entry.getKey()))
				.forEach((entry) -> requireExcused(server, entry));
		}
		world().instances()
			.stream()
			.filter((instance) -> !instance.engine().isAtRest())
			.findFirst()
			.ifPresent((instance) -> broken("%s still has state of a lock that no caller holds".formatted(instance)));
	}

	private void requireExcused(Server server, Map.Entry<String, StoredKey> lock) {
		String owner = Holding.owner(lock.getValue());
		if (owner == null || !excuses(server, lock.getKey(), owner)) {
			broken("%s still has '%s' on %s (%s), although no caller holds it".formatted(owner, lock.getKey(),
					server.name(), lock.getValue()));
		}
	}

	/**
	 * Return whether a server may keep a lock for an owner that has no caller.
	 */
	boolean excuses(Server server, String lock, String owner) {
		// The lost data may include withdrawals and releases. A lock that could not be
		// released lasts longer if the clock was set back.
		boolean alive = world().isAlive(owner) || world().isAskedFor(lock, owner);
		return !alive || this.tooLate.contains(owner) || server.dataLife() > 0 || server.wentBack();
	}

	@Override
	void end() {
		for (Server server : world().servers()) {
			server.keys()
				.keySet()
				.stream()
				.filter((key) -> !key.equals(LockNames.SINCE))
				.findFirst()
				.ifPresent((key) -> broken("key '%s' is left on %s".formatted(key, server.name())));
		}
		if (!world().time().isEmpty()) {
			broken("events are still scheduled although all instances have ended");
		}
	}

}
