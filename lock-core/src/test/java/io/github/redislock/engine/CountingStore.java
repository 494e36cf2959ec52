package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireAnswer;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.YieldAnswer;

/**
 * Counts what another store is asked.
 */
public class CountingStore implements LockStore {

	private final LockStore store;

	private final List<String> calls = new CopyOnWriteArrayList<>();

	public CountingStore(LockStore store) {
		this.store = store;
	}

	int calls() {
		return this.calls.size();
	}

	public int calls(String operation) {
		return (int) this.calls.stream().filter(operation::equals).count();
	}

	void reset() {
		this.calls.clear();
	}

	@Override
	public void listen(HandOverListener listener) {
		this.store.listen(listener);
	}

	@Override
	public void requireSupported(LockTarget target) {
		this.store.requireSupported(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		this.calls.add("acquire");
		return this.store.acquire(request);
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		this.calls.add("renew");
		return this.store.renew(target, owner, timeToLive);
	}

	@Override
	public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
		renewals.forEach((renewal) -> this.calls.add("renew"));
		return this.store.renewAll(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		this.calls.add("release");
		return this.store.release(granted, keepFor);
	}

	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		this.calls.add("yield");
		return this.store.yieldAndAcquire(granted, next);
	}

	@Override
	public CompletionStage<Boolean> downgrade(AcquireRequest granted, Duration timeToLive) {
		this.calls.add("downgrade");
		return this.store.downgrade(granted, timeToLive);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		this.calls.add("withdraw");
		return this.store.withdraw(request, keepFor);
	}

	@Override
	public CompletionStage<Void> leave(AcquireRequest answered) {
		this.calls.add("withdraw");
		return this.store.leave(answered);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		this.calls.add("inspect");
		return this.store.inspect(target);
	}

	@Override
	public CompletionStage<Boolean> isOwner(LockTarget target, String owner) {
		this.calls.add("isOwner");
		return this.store.isOwner(target, owner);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		this.calls.add("forceRelease");
		return this.store.forceRelease(target);
	}

	@Override
	public boolean tellsOfForce() {
		return this.store.tellsOfForce();
	}

	@Override
	public void close() {
		this.calls.add("close");
		this.store.close();
	}

}
