package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.SortedMap;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * What the servers know of holders: seen after each script.
 */
final class Grants {

	/** In which generation of the data a server has first given a lock to an owner. */
	private final Map<String, Integer> generations = new HashMap<>();

	/** When a lock was last taken by force from an owner. */
	private final Map<String, Long> forced = new HashMap<>();

	void ran(Server.Evaluation evaluation) {
		Server server = evaluation.server();
		if (evaluation.keys().isEmpty()) {
			return;
		}
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(server, keys.get(name), keys.get(LockNames.places(name)));
			}
		}
	}

	private void note(Server server, @Nullable StoredKey lock, @Nullable StoredKey places) {
		if (lock != null && lock.value() instanceof StoredValue.Text owner) {
			this.generations.putIfAbsent(owner.content(), server.generation());
		}
		if (places != null && places.value() instanceof StoredValue.SortedSet set) {
			set.members().forEach((member) -> this.generations.putIfAbsent(member.name(), server.generation()));
		}
	}

	/**
	 * Return in which generation an owner was first given a lock.
	 */
	int generation(String owner) {
		return this.generations.getOrDefault(owner, 0);
	}

	/**
	 * Note that a lock is taken by force from all who hold it.
	 */
	void forced(String owner, long now) {
		this.forced.put(owner, now);
	}

	boolean isForced(String owner) {
		return this.forced.containsKey(owner);
	}

}
