package io.github.redislock.samples.cluster.message;

import io.github.redislock.HeldLock;

/**
 * A worker's claim to hold the lock, which it adds to all that it writes.
 *
 * @param worker who
 * @param token the fencing token
 * @param until until when it relies on the lock if nothing more comes, in nanoseconds of
 * {@link System#nanoTime()}: of one clock in all processes of a machine
 */
public record Claim(String worker, long token, long until) {

	/**
	 * Claim a lock for as long as its handle replies for it.
	 */
	public static Claim of(String worker, HeldLock lock) {
		// The clock first: a process that is stopped in between claims less, never more.
		long now = System.nanoTime();
		return new Claim(worker, lock.fencingToken(), now + lock.remaining().toNanos());
	}

}
