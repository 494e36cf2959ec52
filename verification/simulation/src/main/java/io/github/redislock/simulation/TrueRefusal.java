package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.simulation.redis.StoredKey;

/**
 * "Somebody else has it" is true: the lock was held, or kept for somebody, while the
 * caller waited.
 */
final class TrueRefusal extends Rule {

	/** What an instance was told a heart-beat ago, it tells a new caller, too. */
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
	 * It was held until now for all that its instance knew, be the data lost.
	 */
	@Override
	void lost(Attempt attempt) {
		noteBusy(attempt);
	}

	/**
	 * It was held until now, also if Redis has not heard of that for a while: an instance
	 * tells what Redis said last until its open question is replied to, or fails.
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
		boolean busy = attempt.ask()
			.target()
			.names()
			.stream()
			.map(LockNames::lock)
			.anyMatch((name) -> isBusy(name) || isHeldBeside(attempt)
					|| this.busyAt.getOrDefault(name, Long.MIN_VALUE / 2) >= attempt.askedAt() - HEARTBEAT);
		if (!busy) {
			broken("caller %s of %s was told that somebody else has '%s', but nobody had: %s".formatted(attempt,
					attempt.instance(), attempt.ask().target(), failure.getMessage()));
		}
	}

	/**
	 * Return whether a caller of the same instance believes to hold it, after a loss of
	 * data that it has not been told of.
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
