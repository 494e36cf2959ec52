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
	 * Return the request for the release. Its lease is at least as long as the store may
	 * keep the lock, because the release may have to be repeated until then.
	 */
	private AcquireRequest requestToRelease() {
		return this.tenure.request()
			.lastingAtLeast(this.store.timeToLive(this.tenure.lease().longestRest(), Duration.ZERO));
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
			// A lease that is still being requested decides how long to repeat the
			// release.
			releaseAfter(this.tenure.renewal().lastChange());
		}
		else {
			withdrawLateRequest();
			releaseAfterMinimumHold(last.lease().settings().owner());
		}
		last.settleRelease(ours, failure);
	}

	/**
	 * Release the lock again after its minimum hold time if a renewal without a reply may
	 * still arrive, because that would keep the lock for a whole lease. Not with a
	 * caller's own owner token, which may be that of another hold by then.
	 */
	private void releaseAfterMinimumHold(@Nullable String ownToken) {
		Duration kept = this.tenure.keepFor();
		if (ownToken == null && !kept.isZero() && this.tenure.lease().isInDoubt()) {
			this.tenure.schedule(this::releaseInBackground, kept);
		}
	}

	/**
	 * Release the lock in the background because no caller holds it.
	 */
	void releaseUnheld() {
		releaseAfter(stopRenewal());
	}

	private void releaseAfter(CompletableFuture<?> change) {
		CompletableFuture<Void> done = new CompletableFuture<>();
		// Closing the engine finds no hold to wait for, so it has to wait for this
		// release.
		this.store.watch(done);
		change.handle((stopped, failure) -> releaseInBackground())
			.thenCompose((release) -> release)
			.whenComplete((settled, failure) -> done.complete(null));
	}

	private CompletableFuture<Void> releaseInBackground() {
		return this.store
			.releaseInBackground(requestToRelease(), this.tenure.lease().longestRest(), this.tenure::keepFor)
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
