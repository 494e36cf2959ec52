package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

/**
 * Counts the requests to another store.
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

	/**
	 * Acquires locks one by one, even if the store could acquire several in one step.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		this.store.groups(target);
		return target.each();
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		this.calls.add("acquire");
		return this.store.acquire(request);
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		renewals.forEach((renewal) -> this.calls.add(operation(renewal)));
		return this.store.renew(renewals);
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		this.calls.add("release");
		return this.store.release(granted, keepFor);
	}

	@Override
	public CompletionStage<Boolean> releaseQuickly(AcquireRequest granted, long fencingToken) {
		this.calls.add("release");
		return this.store.releaseQuickly(granted, fencingToken);
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		this.calls.add("yield");
		return this.store.yieldAndAcquire(granted, next);
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		this.calls.add("withdraw");
		return this.store.withdraw(request, keepFor, replied);
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		this.calls.add("inspect");
		return this.store.inspect(target);
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		this.calls.add("forceRelease");
		return this.store.forceRelease(target, seen);
	}

	@Override
	public StoreStatus status(boolean passing) {
		return this.store.status(passing);
	}

	@Override
	public void close() {
		this.calls.add("close");
		this.store.close();
	}

	private static String operation(RenewRequest renewal) {
		return (renewal.timeToLive() != null) ? "renew" : "isOwner";
	}

}
