package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import io.github.redislock.test.Faults.Request;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one template to the memory in which all templates keep their locks.
 */
final class TestStore implements LockStore {

	private final InMemoryLockStore memory;

	private final Faults faults;

	private final Set<HandOverListener> listeners;

	private volatile @Nullable HandOverListener listener;

	TestStore(InMemoryLockStore memory, Faults faults, Set<HandOverListener> listeners) {
		this.memory = memory;
		this.faults = faults;
		this.listeners = listeners;
	}

	@Override
	public void listen(HandOverListener listener) {
		this.listener = listener;
		this.listeners.add(listener);
		this.memory.listen(listener);
	}

	@Override
	public List<LockTarget> groups(LockTarget target) {
		return this.memory.groups(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return this.faults.pass(request.target(), () -> this.memory.acquire(request), Request.ACQUIRE);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return renewals.stream().map(this::renew).toList();
	}

	private CompletionStage<Boolean> renew(RenewRequest renewal) {
		// A request that only checks the owner is not a renewal.
		Request[] requests = (renewal.timeToLive() != null) ? new Request[] { Request.RENEW } : new Request[0];
		return this.faults.pass(renewal.target(), () -> this.memory.renew(List.of(renewal)).get(0), requests);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return this.faults.pass(granted.target(), () -> this.memory.release(granted, keepFor), Request.RELEASE);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return this.faults.pass(granted.target(), () -> this.memory.yieldAndAcquire(granted, next), Request.RELEASE,
				Request.ACQUIRE);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return this.faults.pass(request.target(), () -> this.memory.withdraw(request, keepFor, replied));
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return this.faults.pass(target, () -> this.memory.inspect(target));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		return this.faults.pass(target, () -> this.memory.forceRelease(target, seen));
	}

	@Override
	public StoreStatus status(boolean passing) {
		return this.memory.status(passing);
	}

	/**
	 * Disconnect this template. Its locks and those of other templates stay held.
	 */
	@Override
	public void close() {
		HandOverListener present = this.listener;
		if (present != null) {
			this.listeners.remove(present);
			this.memory.forget(present);
		}
	}

}
