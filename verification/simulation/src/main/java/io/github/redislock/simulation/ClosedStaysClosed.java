package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.simulation.redis.StoredKey;
import org.jspecify.annotations.Nullable;

/**
 * A withdrawn request never holds the lock again. A released request may be granted the
 * lock again if one of its attempts arrives late, but then its instance withdraws the
 * request. The lock may also be granted to a duplicate of the request, which is not
 * withdrawn because no instance knows about the duplicate. But a single lock is never
 * granted to a duplicate while the fence remembers the release. Not checked on a quorum,
 * for explicit owner tokens, for requests that took longer to arrive than their lease, or
 * after a loss of data.
 */
final class ClosedStaysClosed extends Rule {

	/**
	 * The number of keys when the {@code take} script acquires one lock: the lock and its
	 * fence.
	 */
	private static final int KEYS_OF_TAKE = 2;

	/** A time for which a fence certainly outlives a release, in nanoseconds. */
	private static final long REMEMBERED = 2_000_000_000;

	/**
	 * For each server and owner, {@link Server#forgetful()} when the owner's request was
	 * withdrawn.
	 */
	private final Map<String, Integer> withdrawn = new HashMap<>();

	private final Map<String, Integer> released = new HashMap<>();

	/** Owners that have been granted a lock again after they had released it. */
	private final Set<String> again = new LinkedHashSet<>();

	/**
	 * Owners of requests that arrived so late that Redis may have forgotten their
	 * withdrawal.
	 */
	private final Set<String> tooLate = new HashSet<>();

	/**
	 * Locks that have been free since their last owner released them while no other
	 * request waited.
	 */
	private final Map<String, Released> free = new HashMap<>();

	/**
	 * The value of each lock key after the last script, if no request waited for the
	 * lock.
	 */
	private final Map<String, StoredKey> uncontended = new HashMap<>();

	/** Owners whose request was withdrawn by its instance. */
	private final Set<String> takenBack = new LinkedHashSet<>();

	ClosedStaysClosed(World world) {
		super(world);
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		if (script.startsWith("WITHDRAW")) {
			this.takenBack.add(Asker.leaver(script, arguments));
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		Server server = evaluation.server();
		if (world().setting().servers() > 1) {
			// On a quorum, the attempts of a request have different IDs but share one
			// owner token.
			return;
		}
		noteLateness(evaluation);
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			String holder = LockNames.isLock(name) ? Holding.owner(evaluation.keysAfter().get(name)) : null;
			if (holder != null) {
				requireOpen(server, name, holder);
				requireNoCopy(evaluation, name, holder);
			}
			else if (LockNames.isLock(name)) {
				noteFree(evaluation, name);
			}
		}
		String script = evaluation.script();
		if (!evaluation.done()) {
			return;
		}
		if (script.startsWith("WITHDRAW") || script.startsWith("RELEASE") || script.equals("YIELD")) {
			String owner = Asker.leaver(script, evaluation.arguments());
			boolean withdrawal = script.startsWith("WITHDRAW");
			String keep = script.equals("YIELD") ? "0" : Words.text(evaluation.arguments().get(2));
			// Until its minimum hold is over, a lock still belongs to its last owner.
			if (keep.equals("0")) {
				(withdrawal ? this.withdrawn : this.released).put(server.name() + owner, server.forgetful());
			}
		}
	}

	private void noteFree(Server.Evaluation evaluation, String lock) {
		StoredKey before = noteLock(evaluation, lock);
		boolean held = before != null
				&& (!before.expires() || before.expiresAt() > evaluation.server().micros() / 1_000);
		// The "free" script does not record the release in the fence.
		if (held && evaluation.script().equals("RELEASE") && evaluation.done() && evaluation.keys().size() > 1) {
			this.free.put(lock, new Released(Words.text(evaluation.arguments().get(0)), world().time().now(),
					evaluation.server().forgetful()));
		}
	}

	private @Nullable StoredKey noteLock(Server.Evaluation evaluation, String lock) {
		StoredKey present = evaluation.keysAfter().get(lock);
		return (present != null && !evaluation.keysAfter().containsKey(LockNames.queue(lock)))
				? this.uncontended.put(lock, present) : this.uncontended.remove(lock);
	}

	private void requireNoCopy(Server.Evaluation evaluation, String lock, String holder) {
		noteLock(evaluation, lock);
		Released released = this.free.remove(lock);
		// The "take" script does not check whether the request was released before, and
		// the queue of a promoted replica may still contain it.
		if (released != null && released.owner.equals(holder) && !isCallersOwn(holder) && !this.tooLate.contains(holder)
				&& evaluation.script().equals("ACQUIRE") && evaluation.keys().size() > KEYS_OF_TAKE
				&& released.forgetful == evaluation.server().forgetful() && !evaluation.server().hasFailedOver()
				&& world().time().now() - released.at < REMEMBERED) {
			broken("%s was granted '%s' again after its release, although no other owner has held it since"
				.formatted(holder, lock));
		}
	}

	private void noteLateness(Server.Evaluation evaluation) {
		Asker asker = Asker.asking(evaluation.script(), evaluation.arguments());
		if (asker != null && asker.timeToLive() > 0 && evaluation.age() > asker.timeToLive() * 1_000_000) {
			this.tooLate.add(asker.owner());
		}
	}

	private void requireOpen(Server server, String lock, String holder) {
		// The key of a lock that was lost may stay if it has lost its expiry.
		if (this.tooLate.contains(holder) || isCallersOwn(holder) || server.hasLostExpiry()) {
			return;
		}
		Integer present = server.forgetful();
		if (present.equals(this.withdrawn.get(server.name() + holder))) {
			broken("%s has '%s' on %s although its request was withdrawn there".formatted(holder, lock, server.name()));
		}
		if (present.equals(this.released.get(server.name() + holder)) && world().counts().of("request copied") == 0
				&& !server.hasFailedOver()) {
			// After a failover, the promoted replica may still have the request in its
			// queue.
			this.again.add(holder);
		}
	}

	/**
	 * Return whether a caller chose this owner token. Such a token does not identify a
	 * single request, because several callers may share it.
	 */
	private boolean isCallersOwn(String owner) {
		return world().attempts().stream().anyMatch((attempt) -> owner.equals(attempt.ask().terms().owner()));
	}

	@Override
	void calm() {
		for (String owner : this.again) {
			if (world().isAlive(owner) && !this.takenBack.contains(owner)) {
				broken("%s was granted a lock again after its release, and its instance has not withdrawn the request"
					.formatted(owner));
			}
		}
	}

	private record Released(String owner, long at, int forgetful) {
	}

}
