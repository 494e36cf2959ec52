package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Stream;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

/**
 * After each script, places and grants contain the same owners, and a queue contains
 * whole entries, each of another request, and no withdrawn request. The waiters that have
 * asked again are in the queue. Each key expires, except the keys of locks that never
 * expire and the key {@code since}, which never expires.
 * <p>
 * A lock that the {@code take} script has acquired has no queue, and no record of an
 * earlier grant. The script checks only the fence and ignores queues and marks of
 * withdrawn requests, so those never outlive the fence. The fence names the holder of a
 * lock whose value does not, and never a later grant than that of the holder.
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
		Asker asker = Asker.asking(evaluation.script(), evaluation.arguments());
		if (asker != null && asker.timeToLive() == 0) {
			this.endless.add(asker.owner());
		}
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			StoredKey stored = keys.get(name);
			if (stored != null && !stored.expires() && !name.equals(LockNames.SINCE) && !isEndless(stored)
					&& !evaluation.server().hasLostExpiry()) {
				broken("key '%s' never expires after %s".formatted(name, evaluation.script()));
			}
			if (stored != null && stored.expires() && name.equals(LockNames.SINCE)) {
				broken("key '%s' expires after %s".formatted(name, evaluation.script()));
			}
			if (LockNames.isLock(name)) {
				requireEntries(evaluation, name);
				requireSame(evaluation, name, members(keys.get(LockNames.places(name))),
						fields(keys.get(LockNames.grants(name))));
				noteMark(evaluation);
				// If the clock steps back and forth, or keys have lost their expiry, one
				// key may expire before the other.
				if (!evaluation.server().wentBack() && !evaluation.server().hasLostExpiry()) {
					requireCompanion(evaluation, name);
					requireAlone(evaluation, name);
					requireRecord(evaluation, name);
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
	 * Require that a lock that the {@code take} script has acquired has no queue, no
	 * record of an earlier grant, and a token that is not ahead of the clock.
	 */
	private void requireAlone(Server.Evaluation evaluation, String lock) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		Holding holding = Holding.of(keys.get(lock));
		if (holding == null || !holding.oneKey()) {
			return;
		}
		Remembered fence = Remembered.of(keys.get(LockNames.fence(lock)));
		Stream.of(LockNames.fence(lock), LockNames.queue(lock), LockNames.waiters(lock))
			.filter(keys::containsKey)
			// The fence may be kept for a withdrawal, or already name the next release.
			.filter((name) -> !name.equals(LockNames.fence(lock)) || fence == null
					|| !(fence.token() == 0
							|| (fence.token() == holding.token() && fence.owner().equals(holding.owner()))))
			.findFirst()
			.ifPresent((name) -> broken("after %s, %s has '%s' as a single key, but there is '%s': %s"
				.formatted(evaluation.script(), holding.owner(), lock, name, keys.get(name))));
		if (holding.token() > evaluation.server().micros()) {
			broken("%s has '%s' with token %d, which is ahead of the clock".formatted(holding.owner(), lock,
					holding.token()));
		}
	}

	/**
	 * Require that the fence names the holder if the lock's value does not, and that all
	 * tokens of an earlier grant are smaller than those of the holder.
	 */
	private void requireRecord(Server.Evaluation evaluation, String lock) {
		SortedMap<String, StoredKey> keys = evaluation.keysAfter();
		Holding holding = Holding.of(keys.get(lock));
		Remembered fence = Remembered.of(keys.get(LockNames.fence(lock)));
		// On a quorum, a token may be lowered to that of the other servers.
		if (holding == null || holding.shared() || (holding.named() && world().isQuorum())) {
			return;
		}
		boolean same = fence != null && fence.owner().equals(holding.owner());
		// A grant that the fence need not name replaces the record of an earlier one.
		boolean replaced = fence != null && fence.owner().isEmpty();
		boolean sound = holding.named() ? fence == null || fence.next() <= holding.token()
				|| ((same || replaced) && fence.token() <= holding.token()) : same;
		if (!sound) {
			broken("after %s, %s has '%s', but the fence has %s".formatted(evaluation.script(), keys.get(lock), lock,
					fence));
		}
	}

	/**
	 * Require that each member of the queue is the entry of another request, with a
	 * fraction of a microsecond if the request polls, and that each waiter that has asked
	 * again is in the queue.
	 */
	private void requireEntries(Server.Evaluation evaluation, String lock) {
		List<String> queue = members(evaluation.keysAfter().get(LockNames.queue(lock)));
		Set<String> requests = new HashSet<>();
		for (String member : queue) {
			Asker waiter = Asker.ofEntry(member);
			if (waiter == null || !requests.add(waiter.request())) {
				broken("after %s, '%s' has the waiters %s, of which one is no entry or is twice among them"
					.formatted(evaluation.script(), lock, queue));
			}
		}
		Asker asker = Asker.of(evaluation.script(), evaluation.arguments());
		boolean withdrawn = evaluation.done() && evaluation.script().startsWith("WITHDRAW");
		if (withdrawn && requests.contains(Objects.requireNonNull(asker).request())) {
			broken("%s still waits for '%s' after its withdrawal".formatted(asker.owner(), lock));
		}
		if (asker != null && asker.waits()) {
			requireMark(evaluation, lock, asker);
		}
		// A field is a request, or its entry.
		List<String> waiters = fields(evaluation.keysAfter().get(LockNames.waiters(lock))).stream()
			.map((field) -> field.split(" ", 2)[0])
			.toList();
		// If the clock steps back and forth, the queue may expire before the waiters.
		if (!requests.containsAll(waiters) && !evaluation.server().wentBack()) {
			broken("after %s, the waiters %s of '%s' are not all in the queue %s".formatted(evaluation.script(),
					waiters, lock, requests));
		}
	}

	private void requireMark(Server.Evaluation evaluation, String lock, Asker asker) {
		StoredKey queue = evaluation.keysAfter().get(LockNames.queue(lock));
		if (queue == null || !(queue.value() instanceof StoredValue.SortedSet sorted)) {
			return;
		}
		sorted.members()
			.stream()
			.filter((member) -> member.name().startsWith(asker.request() + " "))
			.filter((member) -> evaluation.done() && asker.polls() != (member.score() % 1 == 0.5))
			.findFirst()
			.ifPresent((member) -> broken(
					"after %s, %s waits for '%s' with %s".formatted(evaluation.script(), asker, lock, member)));
	}

	/**
	 * Return whether this is a lock that never expires, or a companion key of one.
	 */
	private boolean isEndless(StoredKey stored) {
		if (!(stored.value() instanceof StoredValue.Text text)) {
			return false;
		}
		String owner = text.content().split("\t", 2)[0];
		return this.endless.contains(owner.substring(owner.lastIndexOf(' ') + 1));
	}

	private void requireSame(Server.Evaluation evaluation, String lock, List<String> members, Set<String> fields) {
		// If the clock steps back and forth, one key may expire before the other.
		boolean sound = evaluation.server().wentBack() ? fields.containsAll(members)
				: Set.copyOf(members).equals(fields);
		if (!sound) {
			broken("after %s of '%s', the sorted set has %s but the hash has %s".formatted(evaluation.script(), lock,
					members, fields));
		}
	}

	private static List<String> members(@Nullable StoredKey set) {
		return (set != null && set.value() instanceof StoredValue.SortedSet sorted)
				? sorted.members().stream().map(StoredValue.Member::name).toList() : List.of();
	}

	private static Set<String> fields(@Nullable StoredKey hash) {
		return (hash != null && hash.value() instanceof StoredValue.Hash found) ? found.fields().keySet() : Set.of();
	}

}
