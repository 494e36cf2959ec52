package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockedSupplier;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The handle of an asynchronous caller.
 */
final class AsyncHandle extends HoldHandle implements AsyncLockHandle {

	private final Executor executor;

	/**
	 * Create the handle of a hold.
	 * @param waiting lets threads that use the {@link #blocking} handle wait for replies
	 * @param executor completes the caller's futures
	 */
	AsyncHandle(Hold hold, OnLost onLost, SystemResources.Waiting waiting, Executor executor) {
		super(hold, waiting, onLost);
		this.executor = executor;
	}

	/**
	 * Return the loss to report to the holder after the release, or {@code null} if there
	 * is none.
	 */
	@Nullable LockLostException lossAfter(ReleaseOutcome outcome) {
		return (outcome == ReleaseOutcome.NOT_HELD && onLost() != OnLost.IGNORE) ? Loss.atRelease(lost()) : null;
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E {
		Assert.notNull(part, "part must not be null");
		return ThreadLocks.call(List.of(blocking()), part);
	}

	@Override
	public CompletableFuture<Boolean> verify() {
		return reply(this::askOwner);
	}

	@Override
	public CompletableFuture<Void> extend(Duration additional) {
		return reply(() -> change((hold) -> hold.extend(additional)));
	}

	@Override
	public CompletableFuture<Void> renew() {
		return reply(() -> change(Hold::renew));
	}

	@Override
	public CompletableFuture<Void> renew(Duration lease) {
		return reply(() -> change((hold) -> hold.renew(lease)));
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release() {
		return reply(this::leave);
	}

	@Override
	public CompletableFuture<Void> close() {
		return reply(() -> leave().thenAccept((outcome) -> {
			LockLostException lost = lossAfter(outcome);
			if (lost != null) {
				throw lost;
			}
		}));
	}

	@Override
	public BlockingHandle blocking() {
		return new BlockingHandle(this);
	}

	private <T> CompletableFuture<T> reply(Supplier<? extends CompletionStage<T>> question) {
		return StoreReplies.relay(hold().target(), question, this.executor);
	}

}
