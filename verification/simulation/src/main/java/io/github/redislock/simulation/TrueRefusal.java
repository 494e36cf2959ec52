package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.simulation.redis.StoredKey;

/**
 * If a caller is refused because of another owner, the lock was held by an owner or
 * reserved for one while the caller waited, or at most one heartbeat earlier. An instance
 * that was stopped sends its heartbeats that much later.
 */
final class TrueRefusal extends Rule {

	/**
	 * The longest interval between two heartbeats, with some tolerance. An instance uses
	 * a reply for new callers until the next reply.
	 */
	private static final long HEARTBEAT = 1_200_000_000;

	private final Map<String, Long> busyAt = new HashMap<>();

	TrueRefusal(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name) && (keys.containsKey(name) || keys.containsKey(LockNames.queue(name)))) {
				this.busyAt.put(name, world().time().now());
			}
		}
	}

	/**
	 * Record that the lock was held until now. The instance of the caller believed this,
	 * even if Redis has lost the data.
	 */
	@Override
	void lost(Attempt attempt) {
		noteBusy(attempt);
	}

	/**
	 * Record that the lock was held until now, even if Redis got no request for a while.
	 * An instance uses the last reply of Redis until its pending request gets a reply or
	 * fails.
	 */
	@Override
	void releasing(Attempt attempt) {
		if (attempt.handle().isHeld()) {
			noteBusy(attempt);
		}
	}

	private void noteBusy(Attempt attempt) {
		attempt.ask().target().names().forEach((name) -> this.busyAt.put(LockNames.lock(name), world().time().now()));
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		if (!(failure instanceof LockNotAcquiredException)) {
			return;
		}
		long since = attempt.askedAt() - HEARTBEAT - attempt.instance().host().stopped();
		boolean busy = attempt.ask()
			.target()
			.names()
			.stream()
			.map(LockNames::lock)
			.anyMatch((name) -> isBusy(name) || isHeldBeside(attempt)
					|| this.busyAt.getOrDefault(name, Long.MIN_VALUE / 2) >= since);
		if (!busy) {
			broken("caller %s of %s was refused '%s' because of another caller, but no other caller had it: %s"
				.formatted(attempt, attempt.instance(), attempt.ask().target(), failure.getMessage()));
		}
	}

	/**
	 * Return whether another caller of the same instance was granted the lock and has not
	 * begun to release it, even if Redis has lost the data.
	 */
	private boolean isHeldBeside(Attempt attempt) {
		return world().attempts()
			.stream()
			.anyMatch((other) -> other.instance() == attempt.instance() && other.isHolding()
					&& !Collections.disjoint(other.ask().target().names(), attempt.ask().target().names()));
	}

	private boolean isBusy(String lock) {
		return world().servers()
			.stream()
			.map(Server::keys)
			.anyMatch((keys) -> keys.containsKey(lock) || keys.containsKey(LockNames.queue(lock)));
	}

}
