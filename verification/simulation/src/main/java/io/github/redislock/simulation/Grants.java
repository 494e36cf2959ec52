package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

import io.github.redislock.HeldLock;
import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;

/**
 * The holders of all locks according to the servers, recorded after each script.
 */
final class Grants {

	/**
	 * For each owner and each of its fencing tokens, the generation of the data when the
	 * token was granted.
	 */
	private final Map<String, NavigableMap<Long, Integer>> generations = new HashMap<>();

	/** The holders of each lock after the last script, each with its first token. */
	private final Map<String, Map<String, String>> holders = new HashMap<>();

	/** For each server, lock and owner, the first token of the last grant. */
	private final Map<String, String> tokens = new HashMap<>();

	/**
	 * For each server and owner, when the owner's lock was released by force, unless it
	 * has been granted again since.
	 */
	private final Map<String, Long> forced = new HashMap<>();

	private final World world;

	Grants(World world) {
		this.world = world;
	}

	void ran(Server.Evaluation evaluation) {
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(evaluation, name);
			}
		}
	}

	private void note(Server.Evaluation evaluation, String lock) {
		Map<String, String> present = holders(evaluation.keysAfter(), lock);
		Map<String, String> before = this.holders.put(evaluation.server().name() + lock, present);
		Map<String, String> known = (before != null) ? before : Map.of();
		if ("FORCE_RELEASE".equals(evaluation.script())) {
			known.keySet()
				.stream()
				.filter((owner) -> !present.containsKey(owner))
				.forEach((owner) -> this.forced.put(evaluation.server().name() + owner, this.world.time().now()));
		}
		boolean raised = "RAISE".equals(evaluation.script());
		present.forEach((owner, token) -> {
			String last = this.tokens.put(evaluation.server().name() + lock + owner, token);
			if (!token.equals(last) && !raised) {
				this.generations.computeIfAbsent(owner, (name) -> new TreeMap<>())
					.put(token.isEmpty() ? 0 : Long.parseLong(token), this.world.generation());
				this.forced.remove(evaluation.server().name() + owner);
			}
		});
	}

	/**
	 * Return the holders of a lock, each with its first token. A different token means a
	 * different grant.
	 */
	private static Map<String, String> holders(SortedMap<String, StoredKey> keys, String lock) {
		Map<String, String> holders = new LinkedHashMap<>();
		Holding held = Holding.of(keys.get(lock));
		if (held != null && !held.shared()) {
			Remembered grant = Remembered.of(keys, lock);
			holders.put(held.owner(), (grant != null) ? String.valueOf(grant.token()) : "");
		}
		StoredKey grants = keys.get(LockNames.grants(lock));
		if (grants != null && grants.value() instanceof StoredValue.Hash shared) {
			shared.fields().forEach((owner, grant) -> holders.put(owner, first(grant)));
		}
		return holders;
	}

	private static String first(String fields) {
		return fields.split("[ +]", 2)[0];
	}

	/**
	 * Return the generation of the data in which a hold was granted. After a failover, a
	 * server may grant the same request again without the holder's knowledge.
	 */
	int generation(HeldLock handle) {
		NavigableMap<Long, Integer> all = this.generations.getOrDefault(handle.owner(),
				Collections.emptyNavigableMap());
		Map.Entry<Long, Integer> grant = all.floorEntry(handle.fencingToken());
		return (grant != null) ? grant.getValue() : 0;
	}

	boolean isForced(String owner) {
		return forcedAt(owner) != Long.MAX_VALUE;
	}

	/**
	 * Return when a lock of this owner was first released by force, in true time, or
	 * {@link Long#MAX_VALUE} if it was not, or has been granted again since.
	 */
	long forcedAt(String owner) {
		return this.world.servers()
			.stream()
			.mapToLong((server) -> this.forced.getOrDefault(server.name() + owner, Long.MAX_VALUE))
			.min()
			.orElse(Long.MAX_VALUE);
	}

}
