package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.github.redislock.LockListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.support.Lease;
import org.jspecify.annotations.Nullable;

/**
 * What every line, request and hold of an engine shares.
 *
 * @param store decides who holds a lock
 * @param timer measures leases and wakes
 * @param jitter keeps processes from asking in step
 * @param grace how much longer than the lease the store keeps a lock, or {@code null} for
 * a part of the lease
 * @param warnAfter how long a hold may last before it is reported; zero reports none
 * @param passLimits when it is another process's turn
 * @param handOvers hears of locks that were handed over to this process
 * @param renewer renews what is held
 * @param listener hears everything, and never fails
 * @param retry goes on with what a caller need not wait for
 * @param callbacks runs what users want to be told
 * @param waiting lets a caller's thread wait
 */
record EngineParts(LockStore store, WatchedTimer timer, Jitter jitter, @Nullable Duration grace, Duration warnAfter,
		PassLimits passLimits, HandOvers handOvers, Renewer renewer, LockListener listener, BackgroundRetry retry,
		Executor callbacks, Machine.Waiting waiting) {

	/**
	 * Return how long the store has to keep a lock with that lease.
	 */
	Duration timeToLive(Duration lease, Duration atLeast) {
		Duration timeToLive = lease.plus((this.grace != null) ? this.grace : Lease.defaultGrace(lease));
		return (timeToLive.compareTo(atLeast) < 0) ? atLeast : timeToLive;
	}

}
