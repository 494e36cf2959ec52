package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import io.github.redislock.HeldLock;
import io.github.redislock.LockInterruptedException;

/**
 * A call ends within half a second after its waiting time. If the waiting time is shorter
 * than the command timeout, and Redis has not replied within it or several locks were
 * requested, the call ends within half a second after the command timeout. On a quorum,
 * where votes may be split, a call ends within two command timeouts after its waiting
 * time, or half a second if that is longer. Time during which the instance was stopped
 * does not count.
 */
final class BoundedWaiting extends Rule {

	private static final Duration CLOSING = Duration.ofMillis(500);

	/** The tolerance for hops between threads, and for a clock that runs slowly. */
	private static final Duration HOPS = Duration.ofMillis(50);

	/** The locks that each owner has requested. */
	private final Map<String, Set<String>> locks = new HashMap<>();

	/** When the first request with each owner token ran, in true time. */
	private final Map<String, Long> begun = new HashMap<>();

	/**
	 * For each instance and lock, the times at which the instance learned that it has to
	 * wait. Each time is mapped to the time at which the first request with the same
	 * owner token ran. All are in true time.
	 */
	private final Map<String, NavigableMap<Long, Long>> replied = new HashMap<>();

	BoundedWaiting(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		if (evaluation.script().equals("ACQUIRE")) {
			String owner = Words.text(evaluation.arguments().get(0));
			this.begun.putIfAbsent(owner, world().time().now());
			Set<String> asked = this.locks.computeIfAbsent(owner, (first) -> new HashSet<>());
			evaluation.keys()
				.stream()
				.map((key) -> new String(key, StandardCharsets.ISO_8859_1))
				.filter(LockNames::isLock)
				.forEach(asked::add);
		}
	}

	/**
	 * Record the refusals of requests that join the queue. The refusal of another request
	 * does not count, because for a waiting caller another script follows within the same
	 * timeout.
	 */
	@Override
	void replied(String script, List<byte[]> arguments, Object reply) {
		if (script.equals("ACQUIRE") && reply instanceof List<?> fields && Long.valueOf(0).equals(fields.get(0))
				&& !Words.text(arguments.get(6)).equals("''")) {
			String owner = Words.text(arguments.get(0));
			String instance = owner.substring(0, owner.indexOf('/'));
			this.locks.getOrDefault(owner, Set.of())
				.forEach((lock) -> this.replied.computeIfAbsent(instance + lock, (key) -> new TreeMap<>())
					.put(world().time().now(), this.begun.get(owner)));
		}
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		check(attempt);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		// Another rule checks how soon an interrupt is noticed.
		if (!(failure instanceof LockInterruptedException)) {
			check(attempt);
		}
	}

	private void check(Attempt attempt) {
		Duration bound = bound(attempt).plus(HOPS);
		long waited = attempt.waitedNanos();
		if (waited > bound.toNanos()) {
			broken("caller %s of %s wanted to wait %d ms, but its wait ended only after %d ms".formatted(attempt,
					attempt.instance(), attempt.ask().terms().waitTime().toMillis(), waited / 1_000_000));
		}
	}

	private Duration bound(Attempt attempt) {
		Duration waitTime = attempt.ask().terms().waitTime();
		Duration timeout = world().setting().commandTimeout();
		if (world().isQuorum()) {
			return waitTime.plus(world().longestReply());
		}
		return ((waitTime.compareTo(timeout) >= 0 || isReplied(attempt)) ? waitTime : timeout).plus(CLOSING);
	}

	/**
	 * Return whether a call for a single exclusive lock got a reply during its waiting
	 * time. Replies to requests for a shared lock are not recorded, and those for the
	 * exclusive lock do not count, because it has another queue. A caller whose terms
	 * keep it out of the common queue sends a separate request, so replies to older
	 * requests of its instance do not count.
	 */
	private boolean isReplied(Attempt attempt) {
		Terms terms = attempt.ask().terms();
		long askedAt = attempt.askedAt();
		long begunAfter = terms.isSeparate() ? askedAt : 0;
		return !attempt.ask().target().isShared() && attempt.ask().target().names().size() == 1 && this.replied
			.getOrDefault(attempt.instance().name() + LockNames.lock(attempt.ask().target().name()), new TreeMap<>())
			.subMap(askedAt, askedAt + terms.waitTime().toNanos())
			.values()
			.stream()
			.anyMatch((begun) -> begun >= begunAfter);
	}

}
