package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * What the servers know of holders: seen after each script.
 */
final class Grants {

	/** In which generation of the data a server gave a lock to an owner the last time. */
	private final Map<String, Integer> generations = new HashMap<>();

	/** Who held each lock after the last script. */
	private final Map<String, Holders> holders = new HashMap<>();

	/** From whom a lock was taken by force. */
	private final Set<String> forced = new HashSet<>();

	private final World world;

	Grants(World world) {
		this.world = world;
	}

	void ran(Server.Evaluation evaluation) {
		Server server = evaluation.server();
		if (evaluation.keys().isEmpty()) {
			return;
		}
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(name)) {
				note(evaluation, name, keys.get(name), keys.get(LockNames.places(name)));
			}
		}
	}

	private void note(Server.Evaluation evaluation, String name, @Nullable StoredKey lock, @Nullable StoredKey places) {
		Server server = evaluation.server();
		Set<String> owners = new HashSet<>();
		if (lock != null && lock.value() instanceof StoredValue.Text owner) {
			owners.add(owner.content());
		}
		if (places != null && places.value() instanceof StoredValue.SortedSet set) {
			set.members().forEach((member) -> owners.add(member.name()));
		}
		Holders before = this.holders.put(server.name() + name, new Holders(server.dataLife(), owners));
		if (before != null && "FORCE_RELEASE".equals(evaluation.script())) {
			before.owners().stream().filter((owner) -> !owners.contains(owner)).forEach(this.forced::add);
		}
		owners.stream()
			.filter((owner) -> before == null || before.dataLife() != server.dataLife()
					|| !before.owners().contains(owner))
			.forEach((owner) -> this.generations.put(owner, this.world.generation()));
	}

	/**
	 * Return in which generation an owner was given a lock the last time.
	 */
	int generation(String owner) {
		return this.generations.getOrDefault(owner, 0);
	}

	/**
	 * Return whether a lock was taken by force from an owner.
	 */
	boolean isForced(String owner) {
		return this.forced.contains(owner);
	}

	/**
	 * Who held a lock.
	 *
	 * @param dataLife of the server's data
	 */
	private record Holders(int dataLife, Set<String> owners) {
	}

}
