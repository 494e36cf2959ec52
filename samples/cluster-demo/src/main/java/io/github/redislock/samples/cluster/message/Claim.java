package io.github.redislock.samples.cluster.message;

import io.github.redislock.HeldLock;

/**
 * A worker's claim to hold the lock. The worker sends it with each write.
 *
 * @param worker the worker
 * @param token the fencing token
 * @param until the time until which the worker may rely on the lock without another
 * renewal, in nanoseconds of {@link System#nanoTime()}, which in practice is the same for
 * all processes of a machine
 */
public record Claim(String worker, long token, long until) {

	/**
	 * Claim a lock for the rest of its lease.
	 */
	public static Claim of(String worker, HeldLock lock) {
		// Read the clock first, so that a process that is stopped in between never claims
		// too much time.
		long now = System.nanoTime();
		return new Claim(worker, lock.fencingToken(), now + lock.remaining().toNanos());
	}

}
