package io.github.redislock.samples.cluster.message;

import io.github.redislock.HeldLock;

/**
 * A worker's claim to hold the lock, which it adds to each write.
 *
 * @param worker the worker
 * @param token the fencing token
 * @param until the time until which it relies on the lock without further events, in
 * nanoseconds of {@link System#nanoTime()}, which all processes of a machine share
 */
public record Claim(String worker, long token, long until) {

	/**
	 * Claim a lock for as long as its handle reports it as held.
	 */
	public static Claim of(String worker, HeldLock lock) {
		// Read the clock first, so that a process that is stopped in between claims less
		// time, never more.
		long now = System.nanoTime();
		return new Claim(worker, lock.fencingToken(), now + lock.remaining().toNanos());
	}

}
