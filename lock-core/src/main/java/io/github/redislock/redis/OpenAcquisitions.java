package io.github.redislock.redis;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.LockStore.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the questions of which some server may do something still: a request that
 * asks again must not be mistaken for its earlier question. Usually there is none, as
 * soon as all servers have answered. Thread-safe.
 */
final class OpenAcquisitions {

	/** No request is under way for longer: by then its connection is given up. */
	private static final Duration LONGEST_MEMORY = Duration.ofMinutes(15);

	private static final int BEGIN_PER_TIDYING = 1_024;

	private final Map<String, Entry> entries = new ConcurrentHashMap<>();

	private final AtomicInteger begun = new AtomicInteger();

	private final Quorum quorum;

	private final QuorumPauses pauses;

	OpenAcquisitions(Quorum quorum, QuorumPauses pauses) {
		this.quorum = quorum;
		this.pauses = pauses;
	}

	/**
	 * Ask for a lock.
	 */
	CompletableFuture<AcquireAnswer> ask(AcquireRequest request) {
		if (this.begun.incrementAndGet() % BEGIN_PER_TIDYING == 0) {
			long now = System.nanoTime();
			this.entries.values().removeIf((entry) -> entry.until() - now < 0);
		}
		Entry last = this.entries.get(request.requestId());
		QuorumAcquisition next = new QuorumAcquisition(this.quorum, this.pauses, request,
				(last != null) ? last.acquisition().nextNumber() : 0);
		Entry entry = new Entry(next, System.nanoTime() + memory(request.timeToLive()).toNanos());
		this.entries.put(request.requestId(), entry);
		return next.ask(() -> this.entries.remove(request.requestId(), entry));
	}

	/**
	 * Return the last question of a request, if it is remembered.
	 */
	@Nullable QuorumAcquisition of(AcquireRequest request) {
		Entry last = this.entries.get(request.requestId());
		return (last != null) ? last.acquisition() : null;
	}

	/**
	 * Forget a request that asks no more.
	 */
	void forget(AcquireRequest request) {
		this.entries.remove(request.requestId());
	}

	private static Duration memory(@Nullable Duration timeToLive) {
		return (timeToLive != null && timeToLive.compareTo(LONGEST_MEMORY) < 0) ? timeToLive : LONGEST_MEMORY;
	}

	/**
	 * A question, and until when it matters.
	 */
	private record Entry(QuorumAcquisition acquisition, long until) {
	}

}
