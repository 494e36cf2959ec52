package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.HeldLock;
import io.github.redislock.simulation.redis.StoredKey;

/**
 * Each hold of a lock has a greater fencing token than all earlier holds of that lock,
 * unless the clock of a server was set back. Holds whose grant was lost with the data or
 * released by force are not checked. A call that fails takes back a grant that it shares
 * with a later call of the same owner token, so the hold of that call is not checked
 * either.
 * <p>
 * On each server, the tokens of a lock's grants also increase. While the lock's fence
 * exists, they do so even if the clock was set back. This is not checked on a quorum.
 */
final class RisingTokens extends Rule {

	private static final long MILLI = 1_000;

	private final Map<String, Long> greatest = new HashMap<>();

	/**
	 * The last grant of each lock, with the smallest token that the next one may have.
	 */
	private final Map<String, Granted> granted = new HashMap<>();

	/** For each attempt, the greatest token of the lock before the request. */
	private final Map<Attempt, Long> before = new HashMap<>();

	RisingTokens(World world) {
		super(world);
	}

	private final List<Attempt> earlier = new ArrayList<>();

	@Override
	void ran(Server.Evaluation evaluation) {
		if (world().isQuorum()) {
			// On a quorum, a token may be raised to the token of other servers, or
			// lowered again.
			return;
		}
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(evaluation, name);
			}
		}
	}

	private void note(Server.Evaluation evaluation, String lock) {
		Server server = evaluation.server();
		Granted before = this.granted.get(lock);
		if (before == null || before.dataLife() != server.dataLife()) {
			before = new Granted(0, 0, 0, server.dataLife());
		}
		StoredKey fence = evaluation.keysAfter().get(LockNames.fence(lock));
		Remembered remembered = Remembered.of(fence);
		Remembered last = Remembered.of(evaluation.keysAfter(), lock);
		// The fence of a lock that has expired may be older than its last grant.
		Remembered grant = (last != null && last.token() > 0
				&& (evaluation.keysAfter().containsKey(lock) || last.token() > before.token())) ? last : null;
		long token = (grant != null) ? grant.token() : before.token();
		long next = (grant != null) ? grant.next() : before.next();
		boolean mustRise = before.fenceUntil() * MILLI > server.micros() || server.micros() >= before.next();
		if (token != before.token() && token < before.next() && mustRise) {
			broken("'%s' is granted with token %d on %s, but all tokens below %d were reserved".formatted(lock, token,
					server.name(), before.next()));
		}
		long fenceUntil = 0;
		if (fence != null && remembered != null && remembered.next() >= next) {
			fenceUntil = fence.expires() ? fence.expiresAt() : Long.MAX_VALUE / MILLI;
		}
		this.granted.put(lock, new Granted(token, next, fenceUntil, server.dataLife()));
	}

	@Override
	void asked(Attempt attempt) {
		// The replies for a shared lock may arrive in any order, so its token is compared
		// with the greatest token before the request.
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
		if (handle.fencingToken() <= least && isPromised(attempt)) {
			broken("caller %s of %s has '%s' with token %d, but an earlier hold had %d".formatted(attempt,
					attempt.instance(), handle.target(), handle.fencingToken(), least));
		}
		handle.target().names().forEach((name) -> this.greatest.merge(name, handle.fencingToken(), Math::max));
	}

	/**
	 * Compare a hold with all earlier holds whose token every majority must exceed,
	 * unless a server has lost the hold's own grant.
	 */
	private void compareWithEach(Attempt attempt, HeldLock handle) {
		for (Attempt before : this.earlier) {
			HeldLock held = before.handle();
			if (handle.fencingToken() <= held.fencingToken() && !mayBeTakenBack(attempt)
					&& !world().votes().isLost(handle.owner())
					&& !Collections.disjoint(handle.target().names(), held.target().names())
					&& !world().grants().isForced(handle.owner())
					&& world().votes().exceed(held.owner(), held.fencingToken())) {
				broken("caller %s of %s has '%s' with token %d, but caller %s had %d before".formatted(attempt,
						attempt.instance(), handle.target(), handle.fencingToken(), before, held.fencingToken()));
			}
		}
		this.earlier.add(attempt);
	}

	private boolean mayBeTakenBack(Attempt attempt) {
		return world().attempts().stream().anyMatch((other) -> other.hasFailed() && other.sharesOwner(attempt));
	}

	private boolean isPromised(Attempt attempt) {
		Grants grants = world().grants();
		HeldLock handle = attempt.handle();
		return !mayBeTakenBack(attempt) && grants.generation(handle) == world().generation()
				&& !grants.isForced(handle.owner()) && world().servers().stream().noneMatch(Server::wentBack);
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

	/**
	 * The last grant of a lock.
	 *
	 * @param next the first token that is not reserved
	 * @param fenceUntil when the fence expires, in milliseconds of the server's clock
	 * @param dataLife how many times the server's data had been replaced before the grant
	 */
	private record Granted(long token, long next, long fenceUntil, int dataLife) {
	}

}
