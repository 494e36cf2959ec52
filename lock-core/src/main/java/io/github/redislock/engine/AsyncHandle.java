package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockedSupplier;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.ThreadLocks;
import org.jspecify.annotations.Nullable;

/**
 * What a caller is given who waits with a future. Nobody else keeps it, so that the
 * engine can tell whether he has dropped it.
 */
final class AsyncHandle extends EntryHandle implements AsyncLockHandle {

	private final Reference<AsyncHandle> reference;

	private final Executor executor;

	/**
	 * Create the handle of a lock that was just taken.
	 * @param executor completes the caller's futures
	 */
	AsyncHandle(HoldHandle lock, OnLost onLost, Executor executor) {
		super(lock, onLost);
		this.reference = lock.givenAs(this);
		this.executor = executor;
	}

	/**
	 * Let the lock go.
	 * @return answered on any thread
	 */
	CompletableFuture<ReleaseOutcome> leave() {
		return entry().leave();
	}

	/**
	 * Return the loss that its holder has to be told of, now that he has let go.
	 */
	@Nullable LockLostException lossAfter(ReleaseOutcome outcome) {
		boolean lost = outcome == ReleaseOutcome.NOT_HELD && onLost() != OnLost.IGNORE;
		return lost ? entry().lost() : null;
	}

	@Override
	public Reference<AsyncHandle> reference() {
		return this.reference;
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E {
		return ThreadLocks.call(List.of(blocking()), part);
	}

	@Override
	public CompletableFuture<Boolean> verify() {
		return isOver() ? CompletableFuture.completedFuture(false) : answer(entry().hold()::verify);
	}

	@Override
	public CompletableFuture<Void> extend(Duration additional) {
		return change(() -> entry().hold().extend(additional));
	}

	@Override
	public CompletableFuture<Void> renew() {
		return change(() -> entry().hold().renew());
	}

	@Override
	public CompletableFuture<Void> renew(Duration lease) {
		return change(() -> entry().hold().renew(lease));
	}

	@Override
	public CompletableFuture<Void> downgrade() {
		return change(() -> entry().hold().downgrade());
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release() {
		return answer(this::leave);
	}

	@Override
	public CompletableFuture<Void> close() {
		return answer(() -> leave().thenAccept((outcome) -> {
			LockLostException lost = lossAfter(outcome);
			if (lost != null) {
				throw lost;
			}
		}));
	}

	@Override
	public LockHandle blocking() {
		return new BlockingHandle(this);
	}

	private CompletableFuture<Void> change(Supplier<CompletionStage<Void>> change) {
		return answer(() -> {
			entry().requireEntered();
			return change.get();
		});
	}

	private <T> CompletableFuture<T> answer(Supplier<? extends CompletionStage<T>> question) {
		return AsyncAnswers.relay(entry().hold().target(), question, this.executor);
	}

}
