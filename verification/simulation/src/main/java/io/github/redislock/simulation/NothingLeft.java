package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.simulation.redis.StoredKey;

/**
 * When all callers have finished, no living instance keeps a lock in Redis or state of a
 * lock in memory. When the leases of dead instances are over, nothing is left in Redis.
 */
final class NothingLeft extends Rule {

	/**
	 * Owners whose request arrived after Redis had forgotten its withdrawal.
	 */
	private final Set<String> tooLate = new HashSet<>();

	/** The requests that each server received. */
	private final Set<String> questions = new HashSet<>();

	/** How many times each server had lost data when it received a withdrawal. */
	private final Map<String, Integer> withdrawn = new HashMap<>();

	NothingLeft(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		int asker = switch (evaluation.script()) {
			case "ACQUIRE", "ACQUIRE_ALL", "ACQUIRE_SHARED" -> 0;
			case "YIELD" -> 2;
			default -> -1;
		};
		if (asker >= 0) {
			long timeToLive = Long.parseLong(Words.text(evaluation.arguments().get(asker + 2)));
			if (timeToLive > 0 && evaluation.age() > timeToLive * 1_000_000) {
				this.tooLate.add(Words.text(evaluation.arguments().get(asker)));
			}
			noteCopy(evaluation, asker);
		}
		else if (evaluation.script().startsWith("WITHDRAW")) {
			this.withdrawn.put(evaluation.server().name() + Words.text(evaluation.arguments().get(1)),
					evaluation.server().forgetful());
		}
	}

	/**
	 * Record a duplicate of a request. The duplicate may acquire the lock again, unless
	 * the server remembers that the request was withdrawn.
	 */
	private void noteCopy(Server.Evaluation evaluation, int asker) {
		List<String> arguments = evaluation.arguments().stream().map(Words::text).toList();
		String server = evaluation.server().name();
		Integer withdrawn = this.withdrawn.get(server + arguments.get(asker + 1));
		boolean copy = !this.questions.add(server + arguments);
		if ((withdrawn != null) ? withdrawn != evaluation.server().forgetful() : copy) {
			this.tooLate.add(arguments.get(asker));
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
			.ifPresent((instance) -> broken("%s still has state of a lock that no caller has".formatted(instance)));
	}

	private void requireExcused(Server server, Map.Entry<String, StoredKey> lock) {
		String owner = Holding.owner(lock.getValue());
		if (owner == null || !excuses(server, lock.getKey(), owner)) {
			broken("%s still holds '%s' on %s for %s, but no caller has it".formatted(owner, lock.getKey(),
					server.name(), lock.getValue()));
		}
	}

	/**
	 * Return whether a server may keep a lock for an owner that has no caller.
	 */
	boolean excuses(Server server, String lock, String owner) {
		// Lost data may include withdrawals and releases. If a clock was set back, a lock
		// that could not be released lasts longer.
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
