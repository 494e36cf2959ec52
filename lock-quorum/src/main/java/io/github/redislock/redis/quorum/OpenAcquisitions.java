package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;

/**
 * Remembers the attempts on which a server may still act. A new attempt of a request must
 * not be mistaken for an earlier one, and a caller that stops waiting has to withdraw all
 * attempts. Usually, no attempt is left once all servers have replied. Thread-safe.
 */
final class OpenAcquisitions {

	/**
	 * The longest time to remember a request, without the {@link #MARGIN}. By then, TCP
	 * has usually given up delivering it.
	 */
	private static final Duration LONGEST_MEMORY = Duration.ofMinutes(15);

	/**
	 * Added to the time for which a request is remembered, because a server begins to
	 * refuse a withdrawn request only when the withdrawal arrives.
	 */
	private static final Duration MARGIN = Duration.ofSeconds(30);

	private static final Duration BETWEEN_TIDYINGS = Duration.ofSeconds(1);

	private final Map<String, OpenRequest> requests = new ConcurrentHashMap<>();

	private final AtomicLong tidyAt;

	private final Quorum quorum;

	private final QuorumPauses pauses;

	private final QuorumLeftovers leftovers;

	OpenAcquisitions(Quorum quorum, QuorumPauses pauses, QuorumLeftovers leftovers) {
		this.quorum = quorum;
		this.pauses = pauses;
		this.leftovers = leftovers;
		this.tidyAt = new AtomicLong(pauses.nanoTime());
	}

	CompletableFuture<AcquireReply> ask(AcquireRequest request) {
		tidy();
		QuorumAcquisition attempt = Objects
			.requireNonNull(this.requests.compute(request.requestId(), (id, present) -> OpenRequest
				.ask(present, this.quorum, this.pauses, this.leftovers, request, until(request))))
			.last();
		return attempt.ask(() -> this.requests.computeIfPresent(request.requestId(),
				(id, present) -> present.without(attempt, until(request))));
	}

	/**
	 * Return a future that completes when the last attempt is no longer under way to a
	 * server.
	 */
	CompletionStage<?> replied(AcquireRequest request, QuorumNode node) {
		OpenRequest open = this.requests.get(request.requestId());
		return (open != null) ? open.last().replied(node) : CompletableFuture.completedFuture(null);
	}

	List<QuorumAcquisition> inDoubt(AcquireRequest request, QuorumNode node) {
		OpenRequest open = this.requests.get(request.requestId());
		return (open != null) ? open.attempts().stream().filter((attempt) -> attempt.isInDoubt(node)).toList()
				: List.of();
	}

	/**
	 * Return the request with each id under which servers may know it.
	 */
	List<AcquireRequest> names(AcquireRequest request) {
		OpenRequest open = this.requests.get(request.requestId());
		return (open != null) ? open.names(request) : List.of(request);
	}

	/**
	 * Forget a released request, unless some of its attempts are still open.
	 */
	void released(AcquireRequest request) {
		this.requests.computeIfPresent(request.requestId(), (id, present) -> present.isOver() ? null : present);
	}

	void withdrawn(AcquireRequest request) {
		this.requests.remove(request.requestId());
	}

	int size() {
		return this.requests.size();
	}

	private void tidy() {
		long now = this.pauses.nanoTime();
		long due = this.tidyAt.get();
		if (now - due >= 0 && this.tidyAt.compareAndSet(due, now + BETWEEN_TIDYINGS.toNanos())) {
			this.requests.values().removeIf((open) -> open.until() - now < 0);
		}
	}

	private long until(AcquireRequest request) {
		Duration timeToLive = request.timeToLive();
		Duration memory = (timeToLive != null) ? Durations.min(timeToLive, LONGEST_MEMORY) : LONGEST_MEMORY;
		return this.pauses.nanoTime() + memory.plus(MARGIN).toNanos();
	}

}
