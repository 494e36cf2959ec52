package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

/**
 * A store that delegates to another one; mistakes override single methods.
 */
class ForwardingStore implements LockStore {

	private final LockStore store;

	ForwardingStore(LockStore store) {
		this.store = store;
	}

	@Override
	public void listen(HandOverListener listener) {
		this.store.listen(listener);
	}

	@Override
	public List<LockTarget> groups(LockTarget target) {
		return this.store.groups(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return this.store.acquire(request);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return this.store.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return this.store.release(granted, keepFor);
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		return this.store.releaseQuickly(granted, fencingToken);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return this.store.yieldAndAcquire(granted, next);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return this.store.withdraw(request, keepFor, replied);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return this.store.inspect(target);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		return this.store.forceRelease(target, seen);
	}

	@Override
	public StoreStatus status(boolean passing) {
		return this.store.status(passing);
	}

	@Override
	public void close() {
		this.store.close();
	}

	/**
	 * A listener that delegates to another one.
	 */
	static class Relay implements HandOverListener {

		private final HandOverListener listener;

		Relay(HandOverListener listener) {
			this.listener = listener;
		}

		@Override
		public void handedOver(HandOver handOver) {
			this.listener.handedOver(handOver);
		}

		@Override
		public void turnHasCome(String requestId) {
			this.listener.turnHasCome(requestId);
		}

		@Override
		public void changed() {
			this.listener.changed();
		}

		@Override
		public void restored() {
			this.listener.restored();
		}

		@Override
		public void takenByForce(String lockName) {
			this.listener.takenByForce(lockName);
		}

	}

}
