package io.github.redislock.engine;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.support.OwnerTokens;

/**
 * Gets locks for the queues of callers: makes what asks the store, and the tenure of what
 * it grants. Thread-safe.
 */
final class LockRequests implements LocalQueue.Source {

	private final EngineStore store;

	private final WatchedTimer timer;

	private final Jitter jitter;

	private final HandOverDispatcher dispatcher;

	private final Renewer renewer;

	private final OwnerTokens tokens;

	private final PassLimits passLimits;

	/**
	 * Create a source of locks.
	 * @param tokens makes owner tokens
	 * @param passLimits when it is another process's turn
	 */
	LockRequests(EngineStore store, WatchedTimer timer, Jitter jitter, HandOverDispatcher dispatcher, Renewer renewer,
			OwnerTokens tokens, PassLimits passLimits) {
		this.store = store;
		this.timer = timer;
		this.jitter = jitter;
		this.dispatcher = dispatcher;
		this.renewer = renewer;
		this.tokens = tokens;
		this.passLimits = passLimits;
	}

	@Override
	public PendingRequest newRequest(LocalQueue target, SerialExecutor<? extends PendingRequest.Callers> executor,
			PendingRequest.Callers callers, AcquireSettings settings) {
		return new PendingRequest(this.store, this.timer, this.jitter, this.dispatcher, target, executor, callers,
				request(target.target(), settings), settings);
	}

	private AcquireRequest request(LockTarget target, AcquireSettings settings) {
		String requestId = this.tokens.nextRandom();
		String owner = (settings.owner() != null) ? settings.owner() : this.tokens.owner(requestId);
		Duration lease = settings.lease().duration();
		Duration timeToLive = (lease != null) ? this.store.timeToLive(lease, settings.atLeastFor()) : null;
		Duration claim = settings.waits() ? this.store.timeToLive(settings.lease().claim(), Duration.ZERO) : null;
		int tokens = settings.passes(target) ? this.passLimits.tokens() : 1;
		return new AcquireRequest(target, owner, requestId, timeToLive, tokens, claim, 0, Duration.ZERO, true, 0);
	}

	@Override
	public Tenure newTenure(Tenure.Owner owner, Grant grant) {
		return new Tenure(this.store, this.timer, this.dispatcher, this.renewer, this.passLimits, owner, grant);
	}

	@Override
	public WatchedTimer timer() {
		return this.timer;
	}

}
