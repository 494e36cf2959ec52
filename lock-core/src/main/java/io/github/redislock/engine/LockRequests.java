package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.store.AcquireRequest;
import org.jspecify.annotations.Nullable;

/**
 * Creates the requests to the store and the tenures of granted locks, for the queues of
 * callers. Thread-safe.
 */
final class LockRequests {

	private final EngineStore store;

	private final WatchedTimer timer;

	private final Jitter jitter;

	private final HandOverDispatcher dispatcher;

	private final Renewer renewer;

	private final OwnerTokens tokens;

	private final PassLimits passLimits;

	/** The terms of the last request, which most requests can reuse. */
	private volatile @Nullable Terms lastTerms;

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

	/**
	 * Return a request that has not been sent yet.
	 * @param executor runs the steps of the callers and of the request, one at a time
	 * @param callers the callers that the request represents
	 * @param settings the settings of the first caller
	 */
	PendingRequest newRequest(LockTarget target, Executor executor, WaitingCallers callers, AcquireSettings settings) {
		return new PendingRequest(this.store, this.timer, this.jitter, this.dispatcher, executor, callers,
				request(target, settings), settings);
	}

	private AcquireRequest request(LockTarget target, AcquireSettings settings) {
		String requestId = this.tokens.nextRandom();
		String owner = (settings.owner() != null) ? settings.owner() : this.tokens.owner(requestId);
		Terms terms = terms(settings);
		int tokens = settings.passes(target) ? this.passLimits.tokens() : 1;
		return new AcquireRequest(target, owner, requestId, terms.timeToLive, tokens, terms.claim);
	}

	private Terms terms(AcquireSettings settings) {
		Terms last = this.lastTerms;
		if (last != null && settings.equals(last.settings)) {
			return last;
		}
		Duration lease = settings.lease().duration();
		Duration timeToLive = (lease != null) ? this.store.timeToLive(lease, settings.atLeastFor()) : null;
		Duration claim = settings.waits() ? this.store.timeToLive(settings.lease().claim(), Duration.ZERO) : null;
		Terms terms = new Terms(settings, timeToLive, claim);
		this.lastTerms = terms;
		return terms;
	}

	Tenure newTenure(Tenure.Listener owner, Grant grant) {
		return new Tenure(this.store, this.timer, this.dispatcher, this.renewer, this.passLimits, owner, grant);
	}

	WatchedTimer timer() {
		return this.timer;
	}

	/**
	 * How long the store has to keep a lock with the given settings.
	 *
	 * @param timeToLive the time for a granted lock; {@code null} means forever
	 * @param claim the time for a lock that is handed over; {@code null} if the caller
	 * does not wait
	 */
	private record Terms(AcquireSettings settings, @Nullable Duration timeToLive, @Nullable Duration claim) {
	}

}
