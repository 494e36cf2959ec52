package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;

import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * The votes and tokens that each server of a quorum must remember so that no majority can
 * forget a holder. They are recorded after each script.
 */
final class Votes {

	private static final long MICRO = 1_000;

	private final World world;

	private final Map<String, Vote> votes = new HashMap<>();

	/**
	 * Requests that an instance has withdrawn from a server. The server does not
	 * necessarily know that yet.
	 */
	private final Set<String> givenUp = new HashSet<>();

	private final Map<String, Fence> fences = new HashMap<>();

	Votes(World world) {
		this.world = world;
	}

	void ran(Server.Evaluation evaluation) {
		Server server = evaluation.server();
		if (evaluation.script().startsWith("WITHDRAW")) {
			giveUp(server, Asker.of(evaluation.script(), evaluation.arguments()));
		}
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				Remembered grant = Remembered.of(keys, name);
				noteHolder(server, keys.get(name), grant);
				noteTokens(server, grant);
			}
		}
	}

	/**
	 * Record a request. A withdrawn vote does not count, even if the server keeps the
	 * vote for a while or grants it only later.
	 */
	void asked(Server server, String script, List<byte[]> arguments) {
		Asker asker = Asker.of(script, arguments);
		if (script.startsWith("WITHDRAW")) {
			giveUp(server, asker);
		}
		else if (asker != null) {
			this.givenUp.remove(server.name() + asker.request());
		}
	}

	private void giveUp(Server server, @Nullable Asker withdrawn) {
		String owner = Objects.requireNonNull(withdrawn).owner();
		String question = withdrawn.request();
		Vote vote = this.votes.get(server.name() + owner);
		boolean given = vote != null && vote.question().equals(question);
		// The vote of a holder still counts.
		boolean held = isHeld(owner);
		if (!given || !held) {
			this.givenUp.add(server.name() + question);
		}
		if (given && !held) {
			this.votes.remove(server.name() + owner);
		}
	}

	private boolean isHeld(String owner) {
		return this.world.attempts()
			.stream()
			.anyMatch((attempt) -> attempt.isHolding() && attempt.handle().owner().equals(owner));
	}

	private boolean isRemembered(Server server, String owner) {
		Vote vote = this.votes.get(server.name() + owner);
		return vote != null && vote.generation() == server.generation();
	}

	private void noteHolder(Server server, @Nullable StoredKey lock, @Nullable Remembered grant) {
		String owner = Holding.owner(lock);
		if (lock == null || owner == null) {
			return;
		}
		if (!isRemembered(server, owner) && isHeld(owner)) {
			// The server granted the lock only after the caller had acquired it, for
			// example because the server was down. This grant may be lost or withdrawn.
			return;
		}
		String question = (grant != null) ? grant.request() : "";
		if (!this.givenUp.contains(server.name() + question)) {
			long until = this.world.time().now() + (lock.expiresAt() * MICRO - server.micros()) * MICRO;
			this.votes.put(server.name() + owner, new Vote(until, server.generation(), question));
		}
	}

	private void noteTokens(Server server, @Nullable Remembered grant) {
		if (grant != null) {
			this.fences.merge(server.name() + grant.owner(), new Fence(grant.next(), server.dataLife()), (before,
					now) -> (before.dataLife() == now.dataLife() && before.next() > now.next()) ? before : now);
		}
	}

	/**
	 * Return whether no majority can grant a lock to another owner, because too many
	 * servers have granted or renewed the lock of this owner and must remember that.
	 */
	boolean keepOthersOut(String owner) {
		long now = this.world.time().now();
		return isMajorityLeft(this.world.servers().stream().filter((server) -> {
			Vote vote = this.votes.get(server.name() + owner);
			return vote != null && vote.until() > now && vote.generation() == server.generation();
		}).count());
	}

	/**
	 * Return whether a server has granted the lock to an owner and then lost its data.
	 */
	boolean isLost(String owner) {
		return this.world.servers()
			.stream()
			.anyMatch((server) -> this.votes.containsKey(server.name() + owner) && !isRemembered(server, owner));
	}

	/**
	 * Return whether every majority issues tokens greater than a token of an owner.
	 */
	boolean exceed(String owner, long token) {
		return isMajorityLeft(this.world.servers().stream().filter((server) -> {
			Fence fence = this.fences.get(server.name() + owner);
			return fence != null && fence.next() > token && fence.dataLife() == server.dataLife() && !server.wentBack();
		}).count());
	}

	/**
	 * Return whether the servers that may have forgotten are fewer than a majority.
	 */
	private boolean isMajorityLeft(long remembering) {
		int size = this.world.servers().size();
		return size - remembering < size / 2 + 1;
	}

	/**
	 * A server's vote for an owner.
	 *
	 * @param until the end of the vote in true time
	 * @param generation the generation of the server's data
	 * @param question the request that the server granted
	 */
	private record Vote(long until, int generation, String question) {
	}

	/**
	 * The end of the tokens that a server has issued to an owner.
	 *
	 * @param next the smallest token that the server may issue next
	 * @param dataLife how many times the server's data had been replaced before the token
	 * was issued
	 */
	private record Fence(long next, int dataLife) {
	}

}
