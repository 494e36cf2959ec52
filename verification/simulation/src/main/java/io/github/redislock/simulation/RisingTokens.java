package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.HeldLock;

/**
 * Each hold has a token greater than that of every earlier hold of the name, as long as
 * the clock of the Redis that grants is not behind an earlier grant; after force or a
 * loss of data, once the former instance has been told.
 */
final class RisingTokens extends Rule {

	private final Map<String, Long> greatest = new HashMap<>();

	/** What each caller's token has to exceed. */
	private final Map<Attempt, Long> before = new HashMap<>();

	RisingTokens(World world) {
		super(world);
	}

	/** In a quorum. */
	private final List<Attempt> earlier = new ArrayList<>();

	@Override
	void asked(Attempt attempt) {
		// Of those who share a lock, the answers may cross each other.
		this.before.put(attempt, greatest(attempt));
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		if (world().attempts().stream().anyMatch((other) -> !other.equals(attempt) && other.sharesGrant(attempt))) {
			return;
		}
		if (world().isQuorum()) {
			compareWithEach(attempt, handle);
			return;
		}
		boolean shared = handle.target().isShared();
		long least = shared ? this.before.getOrDefault(attempt, 0L) : greatest(attempt);
		if (handle.fencingToken() <= least && isPromised(handle)) {
			broken("caller %s of %s has '%s' with token %d, but there was one with %d before".formatted(attempt,
					attempt.instance(), handle.target(), handle.fencingToken(), least));
		}
		handle.target().names().forEach((name) -> this.greatest.merge(name, handle.fencingToken(), Math::max));
	}

	/**
	 * Hold a token against all earlier ones that every majority has to exceed.
	 */
	private void compareWithEach(Attempt attempt, HeldLock handle) {
		for (Attempt before : this.earlier) {
			HeldLock held = before.handle();
			if (handle.fencingToken() <= held.fencingToken()
					&& !Collections.disjoint(handle.target().names(), held.target().names())
					&& !world().grants().isForced(handle.owner())
					&& world().votes().exceed(held.owner(), held.fencingToken())) {
				broken("caller %s of %s has '%s' with token %d, but caller %s had %d before".formatted(attempt,
						attempt.instance(), handle.target(), handle.fencingToken(), before, held.fencingToken()));
			}
		}
		this.earlier.add(attempt);
	}

	private boolean isPromised(HeldLock handle) {
		Grants grants = world().grants();
		return grants.generation(handle) == world().generation() && !grants.isForced(handle.owner())
				&& world().servers().stream().noneMatch(Server::wentBack);
	}

	private long greatest(Attempt attempt) {
		return attempt.ask()
			.target()
			.names()
			.stream()
			.mapToLong((name) -> this.greatest.getOrDefault(name, 0L))
			.max()
			.orElse(0);
	}

}
