package io.github.redislock;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * What a caller is given who waits with a future. Nobody else keeps it, so that the
 * engine can tell whether he has dropped it.
 */
final class AsyncHandle implements AsyncLockHandle, CallersLock {

	private final HoldHandle lock;

	private final Reference<AsyncHandle> reference;

	private final OnLost onLost;

	private final Executor executor;

	private final boolean ofWork;

	/**
	 * Create the handle of a lock that was just taken.
	 * @param executor completes the caller's futures
	 * @param ofWork whether work lets go of it by itself
	 */
	AsyncHandle(HoldHandle lock, OnLost onLost, Executor executor, boolean ofWork) {
		this.lock = lock;
		this.reference = lock.givenAs(this);
		this.onLost = onLost;
		this.executor = executor;
		this.ofWork = ofWork;
	}

	@Override
	public <T extends @Nullable Object, E extends Throwable> T call(LockedSupplier<T, E> part) throws E {
		return LockContext.call(List.of(blocking()), part);
	}

	/**
	 * Let the lock go.
	 * @return answered on any thread
	 */
	CompletableFuture<ReleaseOutcome> leave() {
		return this.lock.leave();
	}

	/**
	 * Return the loss that its holder has to be told of, now that he has let go.
	 */
	@Nullable LockLostException lossAfter(ReleaseOutcome outcome) {
		boolean lost = outcome == ReleaseOutcome.NOT_HELD && this.onLost != OnLost.IGNORE;
		return lost ? this.lock.lost() : null;
	}

	@Override
	public HoldHandle entry() {
		return this.lock;
	}

	@Override
	public Reference<AsyncHandle> reference() {
		return this.reference;
	}

	@Override
	public OnLost onLost() {
		return this.onLost;
	}

	@Override
	public boolean isLost() {
		return !this.lock.isHeld() && !isOver();
	}

	@Override
	public boolean isOver() {
		return this.lock.hasLeft();
	}

	@Override
	public boolean isOfWork() {
		return this.ofWork;
	}

	@Override
	public String name() {
		return this.lock.name();
	}

	@Override
	public String owner() {
		return this.lock.owner();
	}

	@Override
	public long fencingToken() {
		return this.lock.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.lock.isHeld();
	}

	@Override
	public Duration remaining() {
		return this.lock.remaining();
	}

	@Override
	public void onLost(Runnable action) {
		this.lock.onLost(action);
	}

	@Override
	public CompletableFuture<Boolean> verify() {
		return isOver() ? CompletableFuture.completedFuture(false) : answer(this.lock.hold()::verify);
	}

	@Override
	public CompletableFuture<Void> extend(Duration additional) {
		return change(() -> this.lock.hold().extend(additional));
	}

	@Override
	public CompletableFuture<Void> renew() {
		return change(() -> this.lock.hold().renew());
	}

	@Override
	public CompletableFuture<Void> renew(Duration lease) {
		return change(() -> this.lock.hold().renew(lease));
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
		return new Blocking();
	}

	private CompletableFuture<Void> change(Supplier<CompletionStage<Void>> change) {
		return answer(() -> {
			this.lock.requireEntered();
			return change.get();
		});
	}

	private <T> CompletableFuture<T> answer(Supplier<? extends CompletionStage<T>> question) {
		return AsyncAnswers.relay(this.lock.hold().target(), question, this.executor);
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

	/**
	 * The same lock for code that waits.
	 */
	private final class Blocking implements LockHandle, CallersLock {

		@Override
		public HoldHandle entry() {
			return AsyncHandle.this.lock;
		}

		@Override
		public Reference<AsyncHandle> reference() {
			return AsyncHandle.this.reference;
		}

		@Override
		public OnLost onLost() {
			return AsyncHandle.this.onLost;
		}

		@Override
		public boolean isLost() {
			return AsyncHandle.this.isLost();
		}

		@Override
		public boolean isOver() {
			return AsyncHandle.this.isOver();
		}

		@Override
		public boolean isOfWork() {
			return AsyncHandle.this.isOfWork();
		}

		@Override
		public String name() {
			return entry().name();
		}

		@Override
		public String owner() {
			return entry().owner();
		}

		@Override
		public long fencingToken() {
			return entry().fencingToken();
		}

		@Override
		public boolean isHeld() {
			return entry().isHeld();
		}

		@Override
		public Duration remaining() {
			return entry().remaining();
		}

		@Override
		public boolean verify() {
			return entry().verify();
		}

		@Override
		public void extend(Duration additional) {
			entry().extend(additional);
		}

		@Override
		public void renew() {
			entry().renew();
		}

		@Override
		public void renew(Duration lease) {
			entry().renew(lease);
		}

		@Override
		public void onLost(Runnable action) {
			entry().onLost(action);
		}

		@Override
		public void detach() {
			// Was never any thread's.
		}

		@Override
		public ReleaseOutcome release() {
			return entry().release();
		}

		@Override
		public void close() {
			LockLostException lost = lossAfter(release());
			if (lost != null) {
				throw lost;
			}
		}

		@Override
		public String toString() {
			return entry().toString();
		}

	}

}
