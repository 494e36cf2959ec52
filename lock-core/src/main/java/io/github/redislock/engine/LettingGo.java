package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.redislock.store.AcquireRequest;

/**
 * Gives a lock back to the store, in the background if need be.
 */
final class LettingGo {

	/**
	 * How long to go on trying to free a lock that does not free itself.
	 */
	static final Duration ENDLESS_LIMIT = Duration.ofDays(1);

	private final EngineParts parts;

	private final AcquireRequest request;

	private final boolean endless;

	private final Duration atLeastFor;

	/**
	 * An earlier question for the lock was not answered and may reach the store only
	 * later.
	 */
	private final boolean lateRequest;

	private final long grantedAt;

	/**
	 * Create a way to let a lock go.
	 * @param settings of whoever asked for it
	 * @param grantedAt since when it has to stay closed, if for a while
	 */
	LettingGo(EngineParts parts, AcquireRequest request, AcquireSettings settings, boolean lateRequest,
			long grantedAt) {
		this.parts = parts;
		this.request = request;
		this.endless = settings.lease().duration() == null;
		this.atLeastFor = settings.atLeastFor();
		this.lateRequest = lateRequest;
		this.grantedAt = grantedAt;
	}

	/**
	 * Return how long the lock has to stay closed still.
	 */
	Duration keepFor() {
		Duration rest = this.atLeastFor.minusNanos(this.parts.timer().nanoTime() - this.grantedAt);
		return rest.isNegative() ? Duration.ZERO : rest;
	}

	/**
	 * Ask the store to free the lock, or to keep it closed as long as it has to be.
	 * @return whether it was ours
	 */
	CompletionStage<Boolean> send() {
		return this.parts.store().release(this.request, keepFor());
	}

	/**
	 * Go on asking while the store does not answer.
	 * @param rest how long the store keeps the lock for us
	 * @return completes when it was answered or given up
	 */
	CompletableFuture<Void> sendInBackground(Duration rest) {
		Duration limit = this.parts.timeToLive(this.endless ? ENDLESS_LIMIT : rest, keepFor());
		return this.parts.retry()
			.run("Release of lock '%s'".formatted(this.request.target()), limit, this::send)
			.thenRun(this::withdrawLateRequest);
	}

	/**
	 * Keep an earlier question, if its answer was lost, from taking the lock once more:
	 * now, or when it does not have to stay closed any longer.
	 */
	void withdrawLateRequest() {
		if (this.lateRequest) {
			withdraw(this.parts, this.request, this::keepFor);
		}
	}

	/**
	 * Withdraw a request in the background, for as long as it could have an effect.
	 */
	static void withdraw(EngineParts parts, AcquireRequest request) {
		withdraw(parts, request, () -> Duration.ZERO);
	}

	private static void withdraw(EngineParts parts, AcquireRequest request, Supplier<Duration> keepFor) {
		withdrawInBackground(parts, request, () -> parts.store().withdraw(request, keepFor.get()));
	}

	/**
	 * Withdraw a request whose questions were all answered, in the background, for as
	 * long as it could have an effect.
	 */
	static void leave(EngineParts parts, AcquireRequest answered) {
		withdrawInBackground(parts, answered, () -> parts.store().leave(answered));
	}

	private static void withdrawInBackground(EngineParts parts, AcquireRequest request,
			Supplier<CompletionStage<Void>> withdrawal) {
		Duration timeToLive = request.timeToLive();
		parts.retry()
			.run("Withdrawal from lock '%s'".formatted(request.target()),
					(timeToLive != null) ? timeToLive : ENDLESS_LIMIT, withdrawal);
	}

}
