package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.Failures;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldReply;
import io.github.redislock.support.Durations;
import io.github.redislock.support.Futures;
import io.github.redislock.support.LeaseLength;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The store as the engine uses it. It enforces the contract of a store, combines several
 * locks into one, adds the grace period to leases, and continues requests in the
 * background for which no caller waits. Thread-safe.
 * <p>
 * An exception thrown by a store would leave a caller, and all behind it, waiting
 * forever. So it becomes a failed reply, and each failure a {@link LockStoreException} or
 * {@link LockKeyConflictException}.
 * <p>
 * Several locks are taken in groups, one step each, and renewed and inspected one by one.
 * A caller that waits for the second group keeps the first: all callers take the groups
 * in the same order, so they cannot deadlock. Each request asks for all groups again,
 * which keeps those already held; so no state is kept here.
 */
final class EngineStore {

	private static final Log logger = LogFactory.getLog(EngineStore.class);

	/** How long to go on trying to release a lock that never expires. */
	private static final Duration ENDLESS_LIMIT = Duration.ofDays(1);

	private final LockStore store;

	private final @Nullable Duration grace;

	private final BackgroundRetry retry;

	/**
	 * Publishes to all processes; replaced by each {@link #listen}.
	 */
	private volatile Consumer<String> others = (message) -> {
	};

	/**
	 * Create the engine's view of a store.
	 * @param grace how much longer than the lease the store keeps a lock, or {@code null}
	 * for a part of the lease
	 * @param timer schedules repeated requests
	 */
	EngineStore(LockStore store, @Nullable Duration grace, LockTimer timer) {
		this.store = store;
		this.grace = grace;
		this.retry = new BackgroundRetry(timer);
	}

	/**
	 * Begin to work, for the first time or again after {@link #close()}.
	 */
	void listen(HandOverListener listener) {
		this.others = this.store.listen(listener);
	}

	/**
	 * Return how long the store has to keep a lock with that lease.
	 * @param atLeast how long it has to stay closed in any case
	 */
	Duration timeToLive(Duration lease, Duration atLeast) {
		Duration timeToLive = lease.plus((this.grace != null) ? this.grace : LeaseLength.defaultGrace(lease));
		return Durations.max(timeToLive, atLeast);
	}

	/**
	 * Fail if the store cannot keep such a lock.
	 * @param target shared, or several: stores are not asked about other locks
	 * @throws IllegalArgumentException with the reason
	 */
	void requireSupported(LockTarget target) {
		try {
			this.store.groups(target);
		}
		catch (IllegalArgumentException ex) {
			throw ex;
		}
		catch (Throwable ex) {
			// Supported: such a store is asked for one lock after the other.
		}
	}

	CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return request.target().isSeveral() ? acquire(request, groups(request.target()), 0, 0) : ask(request);
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
				.map((lock) -> new RenewRequest(lock, renewal.owner(), renewal.timeToLive(), renewal.within(), null)))
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
	 * Release a lock, or keep it closed for a while.
	 * @return whether it was ours
	 */
	CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return overGroups(granted, (part) -> guarded(part.target(), () -> this.store.release(part, keepFor)),
				Boolean::logicalAnd);
	}

	/**
	 * Release a lock in the background, and repeat that while the store does not reply.
	 * @param rest how long the store keeps the lock; {@code null} means forever
	 * @param keepFor how much longer the lock has to stay closed, asked each time @return
	 * completes when it was replied to or given up
	 */
	CompletableFuture<Void> releaseInBackground(AcquireRequest granted, @Nullable Duration rest,
			Supplier<Duration> keepFor) {
		Duration limit = timeToLive((rest != null) ? rest : ENDLESS_LIMIT, keepFor.get());
		return this.retry.run("Release of lock '%s'".formatted(granted.target()), limit,
				() -> release(granted, keepFor.get()));
	}

	/**
	 * Release a lock and ask for it again in one step.
	 */
	CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		LockTarget target = next.target();
		if (target.isSeveral() && groups(target).size() > 1) {
			return release(granted, Duration.ZERO)
				.thenCompose((released) -> acquire(next).handle((reply, failure) -> new YieldReply(released,
						(failure != null) ? new AcquireReply.Failed(Failures.of(target, failure)) : reply)));
		}
		AcquireRequest asked = target.isSeveral() ? next.part(target) : next;
		return guarded(target, () -> this.store.yieldAndAcquire(granted, asked));
	}

	/**
	 * Withdraw a request in the background, for as long as it could have an effect.
	 * @param keepFor how long a lock that it holds has to stay closed, asked each time
	 */
	void withdraw(AcquireRequest request, Supplier<Duration> keepFor) {
		withdrawInBackground(request, () -> withdraw(request, keepFor.get(), false));
	}

	/**
	 * Withdraw a request in the background, for as long as it could have an effect, when
	 * the store has replied to each time it was sent.
	 */
	void withdrawReplied(AcquireRequest replied) {
		withdrawInBackground(replied, () -> withdraw(replied, Duration.ZERO, true));
	}

	/**
	 * Count a request as under way in the background until it is done.
	 */
	void watch(CompletableFuture<Void> done) {
		this.retry.watch(done);
	}

	/**
	 * Return when everything that is now under way in the background was replied to or
	 * given up.
	 */
	CompletableFuture<Void> settled() {
		return this.retry.settled();
	}

	/**
	 * Publish waits of this process to all processes. If the store fails, they are not
	 * published.
	 */
	void tell(String message) {
		try {
			this.others.accept(message);
		}
		catch (Throwable ex) {
			logger.debug("Waits could not be published to other instances for deadlock detection", ex);
		}
	}

	CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return over(target.each(), (lock) -> guarded(lock, () -> this.store.inspect(lock)),
				(one, other) -> one.or(() -> other));
	}

	/**
	 * Take locks from their holders.
	 * @return whether there was a holder of any
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target) {
		return takeByForce(target, null);
	}

	/**
	 * Take locks from a holder that was seen.
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return takeByForce(target, seen);
	}

	private CompletionStage<Boolean> takeByForce(LockTarget target, @Nullable LockState seen) {
		return over(target.each(), (lock) -> guarded(lock, () -> this.store.forceRelease(lock, seen)),
				Boolean::logicalOr);
	}

	/**
	 * Return whether this process is currently notified of forced releases.
	 */
	boolean tellsOfForce() {
		try {
			return this.store.status(true).tellsOfForce();
		}
		catch (Throwable ex) {
			return false;
		}
	}

	@Nullable String trouble() {
		return this.store.status(false).trouble();
	}

	/**
	 * Close the store, for good or until {@link #listen} is called again.
	 */
	void close() {
		this.store.close();
	}

	/**
	 * Return the groups that the store takes in one step each: in any store, single locks
	 * will do.
	 */
	private List<LockTarget> groups(LockTarget target) {
		try {
			return this.store.groups(target);
		}
		catch (Throwable ex) {
			return target.each();
		}
	}

	private CompletionStage<AcquireReply> ask(AcquireRequest request) {
		return guarded(request.target(), () -> this.store.acquire(request));
	}

	private CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return doneInGroups(request,
				(part) -> guarded(part.target(), () -> this.store.withdraw(part, keepFor, replied)));
	}

	private void withdrawInBackground(AcquireRequest request, Supplier<CompletionStage<Void>> withdrawal) {
		Duration timeToLive = request.timeToLive();
		this.retry.run("Withdrawal from lock '%s'".formatted(request.target()),
				(timeToLive != null) ? timeToLive : ENDLESS_LIMIT, withdrawal);
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
			return (renewals.size() == 1) ? List.of(failed(renewals.get(0).target(), ex))
					: renewals.stream().map(this::renew).toList();
		}
		return IntStream.range(0, renewals.size())
			.mapToObj((index) -> guarded(renewals.get(index).target(), () -> replies.get(index)))
			.toList();
	}

	private static <T> CompletionStage<T> guarded(LockTarget target, Supplier<CompletionStage<T>> question) {
		try {
			CompletionStage<T> reply = question.get();
			if (reply instanceof CompletableFuture<T> future && isGood(future)) {
				return reply;
			}
			return reply.exceptionally((failure) -> {
				throw Failures.of(target, failure);
			});
		}
		catch (Throwable ex) {
			return failed(target, ex);
		}
	}

	private static boolean isGood(CompletableFuture<?> reply) {
		return reply.isDone() && !reply.isCompletedExceptionally();
	}

	private static <T> CompletionStage<T> failed(LockTarget target, Throwable failure) {
		return CompletableFuture.failedFuture(Failures.of(target, failure));
	}

	/**
	 * Acquire the groups, starting with one of them.
	 * @param token the greatest of those before
	 */
	private CompletionStage<AcquireReply> acquire(AcquireRequest request, List<LockTarget> groups, int index,
			long token) {
		CompletableFuture<AcquireReply> outcome = new CompletableFuture<>();
		ask(request.part(groups.get(index))).whenComplete((reply, failure) -> {
			if (failure != null) {
				Throwable cause = Futures.unwrap(failure);
				rollBackUnlessAskedAgain(request, groups, cause)
					.whenComplete((done, failed) -> outcome.completeExceptionally(inPart(request, groups, cause)));
			}
			else if (reply instanceof AcquireReply.Held held && request.claim() != null && groups.size() > 1) {
				// The kept groups have to be withdrawn like a place in a queue.
				outcome.complete(new AcquireReply.Held(held.holder(), true, held.told()));
			}
			else if (!(reply instanceof AcquireReply.Granted granted)) {
				((index == 0) ? nothing() : withdraw(request, Duration.ZERO, true))
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
	 * Release the acquired groups if the caller does not ask again. After an outage it
	 * asks again or withdraws.
	 */
	private CompletionStage<Void> rollBackUnlessAskedAgain(AcquireRequest request, List<LockTarget> groups,
			Throwable failure) {
		return (groups.size() == 1 || failure instanceof LockStoreException) ? nothing()
				: withdraw(request, Duration.ZERO, false);
	}

	/**
	 * Return a failure for all groups, some of which may be acquired.
	 */
	private static Throwable inPart(AcquireRequest request, List<LockTarget> groups, Throwable failure) {
		if (groups.size() == 1 || !(failure instanceof LockStoreException outage)) {
			return failure;
		}
		return new LockStoreException(request.target(), String.valueOf(outage.getMessage()), outage,
				outage.isRetryable(), true);
	}

	private CompletionStage<Void> doneInGroups(AcquireRequest request,
			Function<AcquireRequest, CompletionStage<Void>> task) {
		return overGroups(request, (part) -> task.apply(part).thenApply((done) -> true), Boolean::logicalAnd)
			.thenAccept((done) -> {
			});
	}

	private <T> CompletionStage<T> overGroups(AcquireRequest request, Function<AcquireRequest, CompletionStage<T>> task,
			BinaryOperator<T> combination) {
		return request.target().isSeveral()
				? over(groups(request.target()), (group) -> task.apply(request.part(group)), combination)
				: task.apply(request);
	}

	private static <T> CompletionStage<T> over(List<LockTarget> targets, Function<LockTarget, CompletionStage<T>> task,
			BinaryOperator<T> combination) {
		// Into a list, so that all are sent at once.
		return combined(targets.stream().map(task).toList(), combination);
	}

	private static <T> CompletionStage<T> combined(List<CompletionStage<T>> replies, BinaryOperator<T> combination) {
		return replies.stream().reduce((one, other) -> one.thenCombine(other, combination)).orElseThrow();
	}

	/**
	 * Return whether all locks are ours; completes early if one is not.
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

	private static CompletionStage<Void> nothing() {
		return CompletableFuture.completedFuture(null);
	}

}
