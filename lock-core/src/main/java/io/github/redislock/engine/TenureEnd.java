package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

/**
 * Ends a tenure by releasing its lock in the store. A release that fails is repeated in
 * the background.
 */
final class TenureEnd {

	private final EngineStore store;

	private final Tenure tenure;

	/** Whether an earlier request may still arrive at the store. */
	private final boolean lateRequest;

	TenureEnd(EngineStore store, Tenure tenure, boolean lateRequest) {
		this.store = store;
		this.tenure = tenure;
		this.lateRequest = lateRequest;
	}

	/**
	 * Return the request for the release. Its lease is at least as long as the store
	 * keeps the lock, because the release may have to be repeated until then.
	 */
	private AcquireRequest requestToRelease() {
		return this.tenure.request().lastingAtLeast(this.store.timeToLive(this.tenure.lease().rest(), Duration.ZERO));
	}

	void release() {
		Hold last = this.tenure.present();
		CompletableFuture<?> ready = stopRenewal();
		if (ready.isDone()) {
			send(last);
		}
		else {
			ready.whenComplete((done, failed) -> send(last));
		}
	}

	/**
	 * Stop renewing, and return a future that completes when the lock may be released.
	 * With a minimum hold time, it completes after the last renewal, because a renewal
	 * that arrives later would keep the lock for a whole lease. Otherwise, it completes
	 * after 100 ms at the latest.
	 */
	private CompletableFuture<?> stopRenewal() {
		CompletableFuture<?> stopped = this.tenure.renewal().stop();
		return this.tenure.keepFor().isZero() ? stopped : this.tenure.renewal().lastChange();
	}

	private void send(Hold last) {
		this.store.release(requestToRelease(), this.tenure.quickToken(), this.tenure.keepFor())
			.whenComplete((ours, failure) -> settle(last, ours, failure));
	}

	/**
	 * Release the lock and request it again, in one step if possible.
	 */
	CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest next) {
		Hold last = this.tenure.present();
		return this.tenure.renewal()
			.stop()
			.thenCompose((sent) -> this.store.yieldAndAcquire(requestToRelease(), next))
			.whenComplete((reply, failure) -> settle(last, (reply != null) ? reply.released() : null, failure));
	}

	private void settle(Hold last, @Nullable Boolean ours, @Nullable Throwable failure) {
		if (failure != null) {
			releaseInBackground();
		}
		else {
			withdrawLateRequest();
		}
		last.settleRelease(ours, failure);
	}

	/**
	 * Release the lock in the background because no caller holds it.
	 */
	void releaseUnheld() {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Closing the engine finds no hold to wait for, so it has to wait for this
		// release.
		this.store.watch(done);
		stopRenewal().handle((stopped, failure) -> releaseInBackground())
			.thenCompose((release) -> release)
			.whenComplete((settled, failure) -> done.complete(null));
	}

	private CompletableFuture<Void> releaseInBackground() {
		boolean endless = this.tenure.lease().isEndless();
		return this.store
			.releaseInBackground(requestToRelease(), this.tenure.quickToken(),
					endless ? null : this.tenure.lease().rest(), this.tenure::keepFor)
			.thenRun(this::withdrawLateRequest);
	}

	/**
	 * Withdraw an earlier request that got no reply, so that it cannot acquire the lock
	 * again, either now or after the minimum hold time.
	 */
	private void withdrawLateRequest() {
		if (this.lateRequest) {
			this.store.withdraw(requestToRelease(), this.tenure::keepFor, false);
		}
	}

}
