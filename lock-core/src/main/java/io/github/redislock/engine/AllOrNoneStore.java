package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BinaryOperator;
import java.util.function.Function;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.Failures;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldAnswer;
import org.jspecify.annotations.Nullable;

/**
 * Makes one lock of several, on top of a store that takes some of them in one step, and
 * renews and inspects one by one.
 * <p>
 * Who waits for the second group of locks keeps the first, whether the store has a queue
 * or not: all take the groups in the same order, so nobody waits in a circle. Each
 * question asks for all groups anew, from the first on, which keeps what is there
 * already; so nothing has to be remembered here. Thread-safe.
 */
final class AllOrNoneStore implements LockStore {

	private final LockStore store;

	/**
	 * Create a store on top of another.
	 * @param store throws nothing
	 */
	AllOrNoneStore(LockStore store) {
		this.store = store;
	}

	@Override
	public void listen(HandOverListener listener) {
		this.store.listen(listener);
	}

	@Override
	public List<LockTarget> groups(LockTarget target) {
		return target.isSeveral() ? this.store.groups(target) : List.of(target);
	}

	@Override
	public void requireSupported(LockTarget target) {
		this.store.requireSupported(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		return request.target().isSeveral() ? acquire(request, groups(request.target()), 0, 0)
				: this.store.acquire(request);
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return target.isSeveral() ? renewAll(List.of(new RenewRequest(target, owner, timeToLive))).get(0)
				: this.store.renew(target, owner, timeToLive);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		if (renewals.stream().noneMatch((renewal) -> renewal.target().isSeveral())) {
			return this.store.renewAll(renewals);
		}
		List<RenewRequest> single = renewals.stream()
			.flatMap((renewal) -> renewal.target()
				.each()
				.stream()
				.map((lock) -> new RenewRequest(lock, renewal.owner(), renewal.timeToLive())))
			.toList();
		List<CompletionStage<Boolean>> answers = this.store.renewAll(single);
		List<CompletionStage<Boolean>> combined = new ArrayList<>(renewals.size());
		int begin = 0;
		for (RenewRequest renewal : renewals) {
			int end = begin + renewal.target().names().size();
			combined.add(areOurs(answers.subList(begin, end)));
			begin = end;
		}
		return combined;
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return overGroups(granted, (part) -> this.store.release(part, keepFor), Boolean::logicalAnd);
	}

	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		if (!next.target().isSeveral()) {
			return this.store.yieldAndAcquire(granted, next);
		}
		return (groups(next.target()).size() > 1) ? LockStore.super.yieldAndAcquire(granted, next)
				: this.store.yieldAndAcquire(granted, next.part(next.target()));
	}

	@Override
	public CompletionStage<Boolean> downgrade(AcquireRequest granted, Duration timeToLive) {
		return this.store.downgrade(granted, timeToLive);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		return doneInGroups(request, (part) -> this.store.withdraw(part, keepFor));
	}

	@Override
	public CompletionStage<Void> leave(AcquireRequest answered) {
		return doneInGroups(answered, this.store::leave);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return over(target.each(), this.store::inspect, (one, other) -> one.or(() -> other));
	}

	@Override
	public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		return areOurs(target.each().stream().map((lock) -> this.store.isOwner(lock, owner)).toList());
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return over(target.each(), this.store::forceRelease, Boolean::logicalOr);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return over(target.each(), (lock) -> this.store.forceRelease(lock, seen), Boolean::logicalOr);
	}

	@Override
	public boolean tellsOfForce() {
		return this.store.tellsOfForce();
	}

	@Override
	public @Nullable String trouble() {
		return this.store.trouble();
	}

	@Override
	public void suspend() {
		this.store.suspend();
	}

	@Override
	public void resume() {
		this.store.resume();
	}

	@Override
	public void close() {
		this.store.close();
	}

	/**
	 * Acquire the groups from one of them on.
	 * @param token the greatest of those before
	 */
	private CompletionStage<AcquireAnswer> acquire(AcquireRequest request, List<LockTarget> groups, int index,
			long token) {
		CompletableFuture<AcquireAnswer> outcome = new CompletableFuture<>();
		this.store.acquire(request.part(groups.get(index))).whenComplete((answer, failure) -> {
			if (failure != null) {
				Throwable cause = Failures.unwrap(failure);
				rollBackUnlessAskedAgain(request, groups, cause)
					.whenComplete((done, failed) -> outcome.completeExceptionally(inPart(request, groups, cause)));
			}
			else if (answer instanceof AcquireAnswer.Held held && request.claim() != null && groups.size() > 1) {
				// What is kept of the groups has to be let go as a place in a queue.
				outcome.complete(new AcquireAnswer.Held(held.holder(), true, held.told()));
			}
			else if (!(answer instanceof AcquireAnswer.Granted granted)) {
				((index == 0) ? nothing() : leave(request)).whenComplete((done, failed) -> outcome.complete(answer));
			}
			else if (index + 1 == groups.size()) {
				outcome.complete(new AcquireAnswer.Granted(Math.max(token, granted.fencingToken())));
			}
			else {
				settle(acquire(request, groups, index + 1, Math.max(token, granted.fencingToken())), outcome);
			}
		});
		return outcome;
	}

	/**
	 * Let go of what was acquired if nobody asks again: after an outage whoever asked
	 * does, or withdraws.
	 */
	private CompletionStage<Void> rollBackUnlessAskedAgain(AcquireRequest request, List<LockTarget> groups,
			Throwable failure) {
		return (groups.size() == 1 || failure instanceof LockStoreException) ? nothing()
				: withdraw(request, Duration.ZERO);
	}

	/**
	 * Return a failure as that of all groups: part of them may be acquired.
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
		// A list first, so that all are asked at once.
		return combined(targets.stream().map(task).toList(), combination);
	}

	private static <T> CompletionStage<T> combined(List<CompletionStage<T>> answers, BinaryOperator<T> combination) {
		return answers.stream().reduce((one, other) -> one.thenCombine(other, combination)).orElseThrow();
	}

	/**
	 * Return whether all locks are ours: known as soon as one of them is not.
	 */
	private static CompletionStage<Boolean> areOurs(List<CompletionStage<Boolean>> answers) {
		CompletableFuture<Boolean> ours = new CompletableFuture<>();
		answers.forEach((answer) -> answer.thenAccept((one) -> {
			if (!one) {
				ours.complete(false);
			}
		}));
		settle(combined(answers, Boolean::logicalAnd), ours);
		return ours;
	}

	private static <T> void settle(CompletionStage<T> answer, CompletableFuture<T> outcome) {
		answer.whenComplete((value, failure) -> {
			if (failure != null) {
				outcome.completeExceptionally(failure);
			}
			else {
				outcome.complete(value);
			}
		});
	}

	private static CompletionStage<Void> nothing() {
		return CompletableFuture.completedFuture(null);
	}

}
