package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.CallersLock;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.LockedSupplier;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.ThreadLocks;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a caller that waits with a future. Only the caller references it, so that
 * the engine can detect a dropped handle.
 */
final class AsyncHandle extends CallersLock implements AsyncLockHandle {

	private final HoldEntry entry;

	private final Machine.Waiting waiting;

	private final Executor executor;

	/**
	 * Create the handle of a hold.
	 * @param waiting makes threads wait that use the {@link #blocking} handle
	 * @param executor completes the caller's futures
	 */
	AsyncHandle(Hold hold, OnLost onLost, Machine.Waiting waiting, Executor executor) {
		super(onLost);
		this.waiting = waiting;
		this.executor = executor;
		this.entry = new HoldEntry(hold, this);
	}

	@Override
	protected HoldEntry entry() {
		return this.entry;
	}

	/**
	 * Return the loss to report to its holder, now that it has released the lock.
	 */
	@Nullable LockLostException lossAfter(ReleaseOutcome outcome) {
		return (outcome == ReleaseOutcome.NOT_HELD && onLost() != OnLost.IGNORE) ? Loss.atRelease(lost()) : null;
	}

	@Override
	public Reference<? extends CallersLock> reference() {
		return this.entry.handle();
	}

	@Override
	public boolean covers(LockTarget target) {
		return this.entry.hold().covers(target);
	}

	@Override
	public LockLostException lost() {
		return this.entry.hold().lossAsException();
	}

	@Override
	public boolean isLost() {
		return blocking().isLost();
	}

	@Override
	public boolean isOver() {
		return this.entry.hasLeft();
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E {
		return ThreadLocks.call(List.of(blocking()), part);
	}

	@Override
	public CompletableFuture<Boolean> verify() {
		return reply(this.entry::verify);
	}

	@Override
	public CompletableFuture<Void> extend(Duration additional) {
		return change(() -> this.entry.hold().extend(additional));
	}

	@Override
	public CompletableFuture<Void> renew() {
		return change(() -> this.entry.hold().renew());
	}

	@Override
	public CompletableFuture<Void> renew(Duration lease) {
		return change(() -> this.entry.hold().renew(lease));
	}

	@Override
	public CompletableFuture<Void> downgrade() {
		return change(() -> this.entry.hold().downgrade());
	}

	@Override
	public CompletableFuture<ReleaseOutcome> release() {
		return reply(this.entry::release);
	}

	@Override
	public CompletableFuture<Void> close() {
		return reply(() -> this.entry.release().thenAccept((outcome) -> {
			LockLostException lost = lossAfter(outcome);
			if (lost != null) {
				throw lost;
			}
		}));
	}

	@Override
	public BlockingHandle blocking() {
		return new BlockingHandle(this, this.waiting);
	}

	private CompletableFuture<Void> change(Supplier<CompletionStage<Void>> change) {
		return reply(() -> {
			this.entry.requireEntered();
			return change.get();
		});
	}

	private <T> CompletableFuture<T> reply(Supplier<? extends CompletionStage<T>> question) {
		return AsyncReplies.relay(this.entry.target(), question, this.executor);
	}

}
