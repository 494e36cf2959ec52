package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

import io.github.redislock.HeldLock;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockTarget;

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

	/** The time within which a caller that does not share a request sends its own. */
	private static final long SENDING = 1_000_000;

	/** The locks that each owner has requested. */
	private final Map<String, Set<String>> locks = new HashMap<>();

	/** When the first request with each owner token was sent, in true time. */
	private final Map<String, Long> begun = new HashMap<>();

	/**
	 * For each owner token, the times at which its instance learned that it has to wait,
	 * in true time.
	 */
	private final Map<String, NavigableSet<Long>> replied = new HashMap<>();

	BoundedWaiting(World world) {
		super(world);
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		if (script.equals("ACQUIRE")) {
			this.begun.putIfAbsent(owner(arguments), world().time().now());
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		if (evaluation.script().equals("ACQUIRE")) {
			Set<String> asked = this.locks.computeIfAbsent(owner(evaluation.arguments()), (first) -> new HashSet<>());
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
			this.replied.computeIfAbsent(owner(arguments), (first) -> new TreeSet<>()).add(world().time().now());
		}
	}

	private static String owner(List<byte[]> arguments) {
		return Words.text(arguments.get(0));
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
	 * exclusive lock do not count, because it has another queue. Replies to a request
	 * with an explicit owner token do not count, because several callers may use it.
	 */
	private boolean isReplied(Attempt attempt) {
		LockTarget target = attempt.ask().target();
		Terms terms = attempt.ask().terms();
		if (target.isShared() || target.names().size() > 1 || terms.owner() != null) {
			return false;
		}
		List<String> owners = owners(attempt);
		Predicate<String> isReplied = (owner) -> isReplied(owner, attempt);
		return !owners.isEmpty()
				&& (terms.isSeparate() ? owners.stream().allMatch(isReplied) : owners.stream().anyMatch(isReplied));
	}

	private boolean isReplied(String owner, Attempt attempt) {
		long askedAt = attempt.askedAt();
		return !this.replied.getOrDefault(owner, Collections.emptyNavigableSet())
			.subSet(askedAt, askedAt + attempt.ask().terms().waitTime().toNanos())
			.isEmpty();
	}

	/**
	 * Return the owner tokens that a call may have. A caller whose terms keep it out of
	 * the common queue sends its own request at once, so its token is one of those that
	 * its instance first used at that time. Other callers share the other requests of
	 * their instance for the lock.
	 */
	private List<String> owners(Attempt attempt) {
		String lock = LockNames.lock(attempt.ask().target().name());
		return this.begun.keySet()
			.stream()
			.filter((owner) -> attempt.ask().terms().isSeparate() ? mayBeOf(attempt, owner)
					: owner.startsWith(attempt.instance().name() + "/")
							&& this.locks.getOrDefault(owner, Set.of()).contains(lock) && !mayBeSeparate(owner))
			.toList();
	}

	private boolean mayBeSeparate(String owner) {
		return world().attempts()
			.stream()
			.anyMatch((attempt) -> attempt.ask().terms().isSeparate() && mayBeOf(attempt, owner));
	}

	private boolean mayBeOf(Attempt attempt, String owner) {
		long delay = this.begun.getOrDefault(owner, 0L) - attempt.askedAt();
		return owner.startsWith(attempt.instance().name() + "/") && delay >= 0 && delay <= SENDING;
	}

}
