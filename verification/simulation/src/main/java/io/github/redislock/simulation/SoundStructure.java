package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * After each script, queue and waiters contain the same requests, and places and grants
 * contain the same owners. Each key expires, except the keys of locks that never expire
 * and the key {@code since}.
 * <p>
 * A lock that the {@code take} script has acquired is exactly one key. The script checks
 * only the fence and ignores queues and marks of withdrawn requests, so those never
 * outlive the fence.
 */
final class SoundStructure extends Rule {

	/** The owners that requested a lock that never expires. */
	private final Set<String> endless = new HashSet<>();

	/**
	 * The keys that mark requests to which the {@code take} script must not grant a lock.
	 */
	private final Set<String> marks = new HashSet<>();

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
			if (stored != null && !stored.expires() && !name.equals(LockNames.SINCE) && !isEndless(stored)
					&& !evaluation.server().hasLostExpiry()) {
				broken("key '%s' never expires after %s".formatted(name, evaluation.script()));
			}
			if (LockNames.isLock(name)) {
				requireSame(evaluation, name, keys.get(LockNames.queue(name)), keys.get(LockNames.waiters(name)));
				requireSame(evaluation, name, keys.get(LockNames.places(name)), keys.get(LockNames.grants(name)));
				noteMark(evaluation);
				// If the clock steps back and forth, or keys have lost their expiry, one
				// key may expire before the other.
				if (!evaluation.server().wentBack() && !evaluation.server().hasLostExpiry()) {
					requireCompanion(evaluation, name);
					requireAlone(evaluation, name);
				}
			}
		}
	}

	private void noteMark(Server.Evaluation evaluation) {
		List<byte[]> names = evaluation.keys();
		String last = new String(names.get(names.size() - 1), StandardCharsets.ISO_8859_1);
		if (evaluation.script().equals("WITHDRAW")) {
			this.marks.add(last);
		}
		else if (evaluation.script().equals("RELEASE_SHARED")) {
			// From now on, this key marks the release.
			this.marks.remove(last);
		}
	}

	/**
	 * Require that the fence, which the {@code take} script checks, exists as long as any
	 * key that the script ignores.
	 */
	private void requireCompanion(Server.Evaluation evaluation, String lock) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		StoredKey fence = keys.get(LockNames.fence(lock));
		Remembered remembered = Remembered.of(fence);
		long kept = (fence == null || remembered == null) ? 0
				: fence.expires() ? Math.min(fence.expiresAt(), remembered.kept()) : remembered.kept();
		String marks = LockNames.withdrawn(lock);
		Stream
			.concat(Stream.of(LockNames.queue(lock), LockNames.waiters(lock)),
					keys.subMap(marks, marks + Character.MAX_VALUE).keySet().stream().filter(this.marks::contains))
			.forEach((name) -> {
				StoredKey stored = keys.get(name);
				if (stored != null && stored.expiresAt() > kept) {
					broken("after %s, '%s' is kept until %d, but the fence only until %d: %s"
						.formatted(evaluation.script(), name, stored.expiresAt(), kept, fence));
				}
			});
	}

	/**
	 * Require that a lock that the {@code take} script has acquired has no other keys,
	 * and a token that is not ahead of the clock.
	 */
	private void requireAlone(Server.Evaluation evaluation, String lock) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		Holding holding = Holding.of(keys.get(lock));
		if (holding == null || !holding.oneKey()) {
			return;
		}
		Stream.of(LockNames.fence(lock), LockNames.queue(lock), LockNames.waiters(lock))
			.filter(keys::containsKey)
			.findFirst()
			.ifPresent((name) -> broken("after %s, %s has '%s' as a single key, but there is '%s': %s"
				.formatted(evaluation.script(), holding.owner(), lock, name, keys.get(name))));
		if (holding.token() > evaluation.server().micros()) {
			broken("%s has '%s' with token %d, which is ahead of the clock".formatted(holding.owner(), lock,
					holding.token()));
		}
	}

	/**
	 * Return whether this is a lock that never expires, or a companion key of one.
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
		// If the clock steps back and forth, the queue may expire before its waiters,
		// which join it again with their next request.
		boolean sound = evaluation.server().wentBack() ? fields.containsAll(members) : members.equals(fields);
		if (!sound) {
			broken("after %s of '%s', the sorted set has %s but the hash has %s".formatted(evaluation.script(), lock,
					members, fields));
		}
	}

}
