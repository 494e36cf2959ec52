package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * After each script, queue and waiters tell of the same requests, places and grants of
 * the same owners, and each key expires but those of a lock without end, and the one that
 * lives for ever.
 */
final class SoundStructure extends Rule {

	/** Those that asked for a lock without end. */
	private final Set<String> endless = new HashSet<>();

	SoundStructure(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		if (evaluation.script().startsWith("ACQUIRE") || evaluation.script().equals("YIELD")) {
			int asker = evaluation.script().equals("YIELD") ? 2 : 0;
			if (Words.text(evaluation.arguments().get(asker + 2)).equals("0")) {
				this.endless.add(Words.text(evaluation.arguments().get(asker)));
			}
		}
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			StoredKey stored = keys.get(name);
			if (stored != null && !stored.expires() && !name.equals(LockNames.SINCE) && !isEndless(stored)) {
				broken("key '%s' never expires after %s".formatted(name, evaluation.script()));
			}
			if (LockNames.isLock(name)) {
				requireSame(evaluation, name, keys.get(LockNames.queue(name)), keys.get(LockNames.waiters(name)));
				requireSame(evaluation, name, keys.get(LockNames.places(name)), keys.get(LockNames.grants(name)));
			}
		}
	}

	/**
	 * Return whether this is a lock without end, or what is remembered beside it.
	 */
	private boolean isEndless(StoredKey stored) {
		return stored.value() instanceof StoredValue.Text text
				&& this.endless.contains(text.content().substring(text.content().lastIndexOf(' ') + 1));
	}

	private void requireSame(Server.Evaluation evaluation, String lock, @Nullable StoredKey set,
			@Nullable StoredKey hash) {
		Set<String> members = (set != null && set.value() instanceof StoredValue.SortedSet sorted)
				? sorted.members().stream().map(StoredValue.Member::name).collect(Collectors.toSet()) : Set.of();
		Set<String> fields = (hash != null && hash.value() instanceof StoredValue.Hash found) ? found.fields().keySet()
				: Set.of();
		// Two large steps of the clock, back and forth, may end the order before the
		// rest: what is described then and waits still joins with its next question.
		boolean sound = evaluation.server().wentBack() ? fields.containsAll(members) : members.equals(fields);
		if (!sound) {
			broken("after %s of '%s', %s are in order but %s are described".formatted(evaluation.script(), lock,
					members, fields));
		}
	}

}
