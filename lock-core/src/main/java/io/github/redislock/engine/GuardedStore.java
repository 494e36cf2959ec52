package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redislock.LockKeyConflictException;
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
 * Holds a store to its contract: whatever goes wrong in it comes as a failed answer, and
 * as a {@link LockStoreException} or {@link LockKeyConflictException}. An exception out
 * of a call would leave a caller waiting for ever, and everybody behind him in the queue.
 */
final class GuardedStore implements LockStore {

	private final LockStore store;

	GuardedStore(LockStore store) {
		this.store = store;
	}

	@Override
	public void listen(HandOverListener listener) {
		this.store.listen(listener);
	}

	/**
	 * One after the other is right in every store.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		try {
			return this.store.groups(target);
		}
		catch (Throwable ex) {
			return target.each();
		}
	}

	@Override
	public void requireSupported(LockTarget target) {
		this.store.requireSupported(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		return ask(request.target(), () -> this.store.acquire(request));
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return ask(target, () -> this.store.renew(target, owner, timeToLive));
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		List<CompletionStage<Boolean>> answers;
		try {
			answers = this.store.renewAll(renewals);
		}
		catch (Throwable ex) {
			// One that a store cannot bear is no reason to lose the others.
			return (renewals.size() == 1) ? List.of(failed(renewals.get(0).target(), ex))
					: renewals.stream().map((renewal) -> renewAll(List.of(renewal)).get(0)).toList();
		}
		return IntStream.range(0, renewals.size())
			.mapToObj((index) -> ask(renewals.get(index).target(), () -> answers.get(index)))
			.toList();
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return ask(granted.target(), () -> this.store.release(granted, keepFor));
	}

	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return ask(granted.target(), () -> this.store.yieldAndAcquire(granted, next));
	}

	@Override
	public CompletionStage<Boolean> downgrade(AcquireRequest granted, Duration timeToLive) {
		return ask(granted.target(), () -> this.store.downgrade(granted, timeToLive));
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		return ask(request.target(), () -> this.store.withdraw(request, keepFor));
	}

	@Override
	public CompletionStage<Void> leave(AcquireRequest answered) {
		return ask(answered.target(), () -> this.store.leave(answered));
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return ask(target, () -> this.store.inspect(target));
	}

	@Override
	public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		return ask(target, () -> this.store.isOwner(target, owner));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return ask(target, () -> this.store.forceRelease(target));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return ask(target, () -> this.store.forceRelease(target, seen));
	}

	@Override
	public boolean tellsOfForce() {
		try {
			return this.store.tellsOfForce();
		}
		catch (Throwable ex) {
			return false;
		}
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

	private static <T> CompletionStage<T> ask(LockTarget target, Supplier<CompletionStage<T>> question) {
		try {
			CompletionStage<T> answer = question.get();
			if (answer instanceof CompletableFuture<T> future && isGood(future)) {
				return answer;
			}
			return answer.exceptionally((failure) -> {
				throw Failures.of(target, failure);
			});
		}
		catch (Throwable ex) {
			return failed(target, ex);
		}
	}

	private static boolean isGood(CompletableFuture<?> answer) {
		return answer.isDone() && !answer.isCompletedExceptionally();
	}

	private static <T> CompletionStage<T> failed(LockTarget target, Throwable failure) {
		return CompletableFuture.failedFuture(Failures.of(target, failure));
	}

}
