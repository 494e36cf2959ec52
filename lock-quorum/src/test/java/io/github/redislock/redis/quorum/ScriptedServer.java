package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

/**
 * A server that records its requests, and replies when a test says so.
 */
class ScriptedServer extends CountingStore {

	static final LockTarget TARGET = LockTarget.of("order:42");

	private final List<String> requests = new ArrayList<>();

	private final QuorumNode node;

	private CompletableFuture<Object> last = new CompletableFuture<>();

	ScriptedServer(String name) {
		super(new InMemoryLockStore(new ManualLockTimer()));
		this.node = new QuorumNode(name, this, this::raise);
	}

	QuorumNode node() {
		return this.node;
	}

	List<String> requests() {
		return this.requests;
	}

	/**
	 * Reply to the last request.
	 */
	void replies(Object reply) {
		assertOpen();
		this.last.complete(reply);
	}

	void grants(long token) {
		replies(new AcquireReply.Granted(token));
	}

	void refuses(String holder) {
		replies(new AcquireReply.Held(state(holder, 9), false, false));
	}

	/**
	 * Fail the last request, which can be repeated.
	 * @param outcomeUnknown whether the request may have been carried out
	 */
	void fails(boolean outcomeUnknown) {
		fails(new LockStoreException(TARGET, "no reply", null, true, outcomeUnknown));
	}

	void fails(RuntimeException failure) {
		assertOpen();
		this.last.completeExceptionally(failure);
	}

	static LockState state(String holder, int seconds) {
		return LockState.of(TARGET.name(), holder, Duration.ofSeconds(seconds), 7L, 7L, null, true, 1);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return received("acquire " + request.requestId());
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return renewals.stream().map((renewal) -> this.<Boolean>received("renew")).toList();
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return received("release " + granted.requestId() + (keepFor.isZero() ? "" : " in " + keepFor));
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return received("withdraw " + request.requestId() + (replied ? "" : " and remember"));
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return received("inspect");
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		return received("force");
	}

	CompletionStage<Boolean> raise(AcquireRequest granted, String requestId, long token, long seen) {
		return received("raise " + granted.requestId() + " from " + seen + " to " + token);
	}

	private void assertOpen() {
		if (this.last.isDone()) {
			throw new IllegalStateException("no request is open: " + this.requests);
		}
	}

	@SuppressWarnings("unchecked")
	private <T> CompletionStage<T> received(String request) {
		this.requests.add(request);
		this.last = new CompletableFuture<>();
		return (CompletionStage<T>) this.last;
	}

}
