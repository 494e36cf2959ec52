package io.github.redislock.cache;

import java.time.Duration;
import java.util.function.Predicate;

import io.github.redislock.LockOptions;
import io.github.redislock.OnLost;

/**
 * How the caches of a {@link LoadOnceCacheManager} wait for values that other callers
 * load.
 *
 * @param caches accepts the names of the caches that load each value once
 * @param waitTime how long a caller waits for a value that another one loads, at least 30
 * ms. A third of it is the lease of the lock, so that another caller takes over from a
 * dead one while the others still wait. The lease is renewed, so it does not limit a
 * load. If Redis takes longer to reply than a sixth of the lease, and than 100 ms, the
 * caller loads without the lock
 * @param staleFor how old a value may be that a caller gets when its waiting time is
 * over; zero for no old values
 * @param onBusy what a caller does if there is no such value
 */
public record LoadOnceOptions(Predicate<String> caches, Duration waitTime, Duration staleFor, OnBusy onBusy) {

	LockOptions lock(Duration waitTime) {
		// No default of the template but maxHold may limit the wait or the load. A lost
		// lock does no harm: at worst, the value is loaded more than once.
		LockOptions lock = LockOptions.options().timeout(this.waitTime.dividedBy(3)).waitTime(waitTime).autoRenew(true);
		return lock.maxWaiters(Integer.MAX_VALUE).atLeastFor(Duration.ZERO).onLost(OnLost.IGNORE);
	}

	/**
	 * What a caller does if another one still loads the value when the waiting time is
	 * over.
	 */
	public enum OnBusy {

		/**
		 * Load the value without the lock.
		 */
		LOAD,

		/**
		 * Fail with a {@link io.github.redislock.LockNotAcquiredException}.
		 */
		FAIL

	}

}
