package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldReply;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The engine's view of the store. It enforces the contract of a store, combines several
 * locks into one, adds the grace period to leases, and repeats requests in the background
 * if no caller waits for them. Thread-safe.
 * <p>
 * If a store throws an exception, its request gets a failed reply instead, because
 * otherwise a caller and all callers behind it could wait forever.
 * <p>
 * Several locks are acquired in groups, with one step for each group, and renewed and
 * inspected individually. A caller that waits for the second group keeps the first. All
 * callers acquire the groups in the same order, so these waits cannot deadlock. Each
 * attempt requests the groups again, beginning with the first, and keeps those already
 * held, so this class needs no state.
 */
final class EngineStore {

	private static final Log logger = LogFactory.getLog(EngineStore.class);

	/** How long to keep trying to release or withdraw a lock that never expires. */
	private static final Duration ENDLESS_LIMIT = Duration.ofDays(1);

	private final LockStore store;

	private final @Nullable Duration grace;

	private final BackgroundRetry retry;

	private final AtomicBoolean statusFailed = new AtomicBoolean();

	/**
	 * Create the engine's view of a store.
	 * @param grace how much longer than its lease the store keeps a lock, or {@code null}
	 * for the default
	 * @param timer schedules repeated requests
	 */
	EngineStore(LockStore store, @Nullable Duration grace, LockTimer timer) {
		this.store = store;
		this.grace = grace;
		this.retry = new BackgroundRetry(timer);
	}

	/**
	 * Begin to receive messages, for the first time or again after {@link #close()}.
	 */
	void listen(HandOverListener listener) {
		this.store.listen(listener);
	}

	/**
	 * Return how long the store has to keep a lock with the given lease.
	 * @param atLeast the minimum time
	 */
	Duration timeToLive(Duration lease, Duration atLeast) {
		return LeaseLength.timeToLive(lease, this.grace, atLeast);
	}

	/**
	 * Fail if the store does not support a target.
	 * @param target a shared lock or several locks; any store supports other locks
	 * @throws IllegalArgumentException with a message that gives the reason
	 */
	void requireSupported(LockTarget target) {
		this.store.groups(target);
	}

	/**
	 * Request a lock. The failure of the reply may be any exception.
	 */
	CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return Futures.attempt(() -> request.target().isSeveral()
				? acquire(request, this.store.groups(request.target()), 0, 0) : this.store.acquire(request));
	}

	/**
	 * Renew a lock, or check whether it still belongs to its owner.
	 */
	CompletionStage<Boolean> renew(RenewRequest renewal) {
		return renewAll(List.of(renewal)).get(0);
	}

	/**
	 * Renew locks with as few requests as possible.
	 * @return the replies, in the same order
	 */
	List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		if (renewals.stream().noneMatch((renewal) -> renewal.target().isSeveral())) {
			return renewEach(renewals);
		}
		List<RenewRequest> single = renewals.stream()
			.flatMap((renewal) -> renewal.target()
				.each()
				.stream()
				.map((lock) -> new RenewRequest(lock, renewal.owner(), renewal.timeToLive(), renewal.within())))
			.toList();
		List<CompletionStage<Boolean>> replies = renewEach(single);
		List<CompletionStage<Boolean>> combined = new ArrayList<>(renewals.size());
		int begin = 0;
		for (RenewRequest renewal : renewals) {
			int end = begin + renewal.target().names().size();
			combined.add(areOurs(replies.subList(begin, end)));
			begin = end;
		}
		return combined;
	}

	/**
	 * Release a lock, or keep it locked for a while. The failure of the reply may be any
	 * exception.
	 * @param quickToken the first fencing token of a lock that may be released in the
	 * store's shorter way, or 0
	 * @return whether the owner held the lock, or had lost it only because it expired
	 */
	CompletionStage<Boolean> release(AcquireRequest granted, long quickToken, Duration keepFor) {
		if (quickToken > 0 && keepFor.isZero()) {
			return Futures.attempt(() -> this.store.releaseQuickly(granted, quickToken));
		}
		return overGroups(granted, (part) -> guarded(part.target(), () -> this.store.release(part, keepFor)),
				Boolean::logicalAnd);
	}

	/**
	 * Release a lock in the background, with retries until a time limit.
	 * @param rest the rest of the lease; ignored if the lock never expires
	 * @param keepFor the rest of the minimum hold time, evaluated for each attempt
	 * @return a future that completes when the store has replied or the retries have
	 * ended
	 */
	CompletableFuture<Void> releaseInBackground(AcquireRequest granted, Duration rest, Supplier<Duration> keepFor) {
		Duration limit = timeToLive((granted.timeToLive() != null) ? rest : ENDLESS_LIMIT, keepFor.get());
		return this.retry.run("Release of lock '%s'".formatted(granted.target()), limit,
				() -> guarded(granted.target(), () -> release(granted, 0, keepFor.get())));
	}

	/**
	 * Release a lock and request it again, in one step if possible.
	 */
	CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		LockTarget target = next.target();
		return guarded(target, () -> {
			if (target.isSeveral() && this.store.groups(target).size() > 1) {
				return release(granted, 0, Duration.ZERO)
					.thenApply((released) -> new YieldReply(released, acquire(next)));
			}
			return this.store.yieldAndAcquire(granted, next);
		});
	}

	/**
	 * Withdraw a request in the background, with retries.
	 * @param keepFor the rest of the minimum hold time in case the request holds the
	 * lock, evaluated for each attempt
	 * @param replied whether the store has replied each time the request was sent
	 */
	void withdraw(AcquireRequest request, Supplier<Duration> keepFor, boolean replied) {
		this.retry.run("Withdrawal from lock '%s'".formatted(request.target()),
				Objects.requireNonNullElse(request.timeToLive(), ENDLESS_LIMIT),
				() -> withdraw(request, keepFor.get(), replied));
	}

	void awaitAtClose(CompletableFuture<Void> done) {
		this.retry.awaitAtClose(done);
	}

	CompletableFuture<Void> settled() {
		return this.retry.settled();
	}

	CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		Assert.notNull(target, "lock target must not be null");
		return over(target.each(), (lock) -> guarded(lock, () -> this.store.inspect(lock)),
				(one, other) -> one.or(() -> other));
	}

	/**
	 * Force the release of locks.
	 * @param seen the only holder whose locks to release, or {@code null} for any holder
	 * @return whether any of them had such a holder
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		Assert.notNull(target, "lock target must not be null");
		return over(target.each(), (lock) -> guarded(lock, () -> this.store.forceRelease(lock, seen)),
				Boolean::logicalOr);
	}

	boolean reportsForcedReleases() {
		try {
			return this.store.status(true).notifiedOfForce();
		}
		catch (Throwable ex) {
			if (this.statusFailed.compareAndSet(false, true)) {
				Failures.report(logger, "Method 'status' of the store failed, so locks are not passed on within this"
						+ " instance (logged once)", ex);
			}
			return false;
		}
	}

	@Nullable String trouble() {
		return this.store.status(false).trouble();
	}

	/**
	 * Close the store, permanently or until {@link #listen} is called again.
	 */
	void close() {
		this.store.close();
	}

	private CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return overGroups(request, (part) -> guarded(part.target(), () -> this.store.withdraw(part, keepFor, replied)),
				(one, other) -> one);
	}

	/**
	 * Renew single locks. The failure of one must not affect the others.
	 */
	private List<CompletionStage<Boolean>> renewEach(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> replies;
		try {
			replies = this.store.renew(renewals);
		}
		catch (Throwable ex) {
			return (renewals.size() != 1) ? renewals.stream().map(this::renew).toList()
					: List.of(CompletableFuture.failedFuture(Failures.of(renewals.get(0).target(), ex)));
		}
		return IntStream.range(0, renewals.size())
			.mapToObj((index) -> guarded(renewals.get(index).target(), () -> replies.get(index)))
			.toList();
	}

	/**
	 * Send a request. Each failure becomes a {@link LockStoreException} or
	 * {@link LockKeyConflictException}.
	 */
	private static <T> CompletionStage<T> guarded(LockTarget target, Supplier<CompletionStage<T>> request) {
		return Futures.attempt(request).exceptionally((failure) -> {
			throw Failures.of(target, failure);
		});
	}

	/**
	 * Acquire the group at an index and all groups after it.
	 * @param token the greatest fencing token of the groups before the index
	 */
	private CompletionStage<AcquireReply> acquire(AcquireRequest request, List<LockTarget> groups, int index,
			long token) {
		CompletableFuture<AcquireReply> outcome = new CompletableFuture<>();
		AcquireRequest part = request.part(groups.get(index));
		guarded(part.target(), () -> this.store.acquire(part)).whenComplete((reply, failure) -> {
			if (failure != null) {
				fail(request, groups, Futures.unwrap(failure), outcome);
			}
			else if (reply instanceof AcquireReply.Held held && request.claim() != null && groups.size() > 1) {
				// Report the request as queued, so that it is withdrawn when the caller
				// stops waiting. That releases the groups already held.
				outcome.complete(new AcquireReply.Held(held.holder(), true, held.notified()));
			}
			else if (!(reply instanceof AcquireReply.Granted granted)) {
				((index == 0) ? CompletableFuture.<Void>completedFuture(null) : withdraw(request, Duration.ZERO, true))
					.whenComplete((done, failed) -> outcome.complete(reply));
			}
			else if (index + 1 == groups.size()) {
				outcome.complete(new AcquireReply.Granted(Math.max(token, granted.fencingToken())));
			}
			else {
				Futures.relay(acquire(request, groups, index + 1, Math.max(token, granted.fencingToken())), outcome);
			}
		});
		return outcome;
	}

	/**
	 * Fail the acquisition of all groups, because one group was not acquired. The groups
	 * already held are released, except after an outage, because the request is then
	 * repeated or withdrawn anyway.
	 */
	private void fail(AcquireRequest request, List<LockTarget> groups, Throwable cause,
			CompletableFuture<AcquireReply> outcome) {
		if (groups.size() == 1) {
			outcome.completeExceptionally(cause);
		}
		else if (cause instanceof LockStoreException outage) {
			outcome.completeExceptionally(new LockStoreException(request.target(), String.valueOf(outage.getMessage()),
					outage, outage.isRetryable(), true));
		}
		else {
			withdraw(request, Duration.ZERO, false)
				.whenComplete((done, failed) -> outcome.completeExceptionally(cause));
		}
	}

	private <T> CompletionStage<T> overGroups(AcquireRequest request, Function<AcquireRequest, CompletionStage<T>> task,
			BinaryOperator<T> combination) {
		return request.target().isSeveral() ? Futures.attempt(() -> over(this.store.groups(request.target()),
				(group) -> task.apply(request.part(group)), combination)) : task.apply(request);
	}

	private static <T> CompletionStage<T> over(List<LockTarget> targets, Function<LockTarget, CompletionStage<T>> task,
			BinaryOperator<T> combination) {
		// Collect a list first, so that all requests are sent at once.
		return combined(targets.stream().map(task).toList(), combination);
	}

	private static <T> CompletionStage<T> combined(List<CompletionStage<T>> replies, BinaryOperator<T> combination) {
		return replies.stream().reduce((one, other) -> one.thenCombine(other, combination)).orElseThrow();
	}

	/**
	 * Return whether all locks are ours. The result completes early if one is not.
	 */
	private static CompletionStage<Boolean> areOurs(List<CompletionStage<Boolean>> replies) {
		CompletableFuture<Boolean> ours = new CompletableFuture<>();
		replies.forEach((reply) -> reply.thenAccept((one) -> {
			if (!one) {
				ours.complete(false);
			}
		}));
		Futures.relay(combined(replies, Boolean::logicalAnd), ours);
		return ours;
	}

}
