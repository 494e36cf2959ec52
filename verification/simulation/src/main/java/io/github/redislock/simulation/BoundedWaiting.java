package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

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

	/** The requests so far, by owner token. */
	private final Map<String, Request> requests = new HashMap<>();

	BoundedWaiting(World world) {
		super(world);
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		if (script.equals("ACQUIRE")) {
			request(arguments);
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		if (evaluation.script().equals("ACQUIRE")) {
			Request request = request(evaluation.arguments());
			evaluation.keys()
				.stream()
				.map((key) -> new String(key, StandardCharsets.ISO_8859_1))
				.filter(LockNames::isLock)
				.forEach(request.locks::add);
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
				&& asker(arguments).waits()) {
			request(arguments).refused.add(world().time().now());
		}
	}

	private Request request(List<byte[]> arguments) {
		return this.requests.computeIfAbsent(asker(arguments).owner(),
				(owner) -> new Request(owner, world().time().now(), new HashSet<>(), new TreeSet<>()));
	}

	private static Asker asker(List<byte[]> arguments) {
		return Objects.requireNonNull(Asker.asking("ACQUIRE", arguments));
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
		if (!terms.isSeparate()) {
			String lock = LockNames.lock(target.name());
			return this.requests.values()
				.stream()
				.filter((request) -> attempt.instance().owns(request.owner) && request.locks.contains(lock)
						&& !mayBeSeparate(request))
				.anyMatch((request) -> isRefused(request, attempt));
		}
		List<Request> own = this.requests.values().stream().filter((request) -> mayBeOf(attempt, request)).toList();
		return !own.isEmpty() && own.stream().allMatch((request) -> isRefused(request, attempt));
	}

	private boolean mayBeSeparate(Request request) {
		return world().attempts()
			.stream()
			.anyMatch((attempt) -> attempt.ask().terms().isSeparate() && mayBeOf(attempt, request));
	}

	/**
	 * Return whether a request may be that of a caller whose terms keep it out of the
	 * common queue. Such a caller sends its own request at once, with a new owner token.
	 */
	private static boolean mayBeOf(Attempt attempt, Request request) {
		long delay = request.begun - attempt.askedAt();
		return attempt.instance().owns(request.owner) && delay >= 0 && delay <= SENDING;
	}

	private static boolean isRefused(Request request, Attempt attempt) {
		long askedAt = attempt.askedAt();
		return !request.refused.subSet(askedAt, askedAt + attempt.ask().terms().waitTime().toNanos()).isEmpty();
	}

	/**
	 * A request of an instance. All times are in true time.
	 *
	 * @param begun when it was first sent
	 * @param locks the locks that it requests
	 * @param refused when the instance learned that it has to wait
	 */
	private record Request(String owner, long begun, Set<String> locks, NavigableSet<Long> refused) {
	}

}
