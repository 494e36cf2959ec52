package io.github.redislock;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The locks that callers of one template hold or wait for at a given moment, for
 * operators.
 *
 * @param instance the name by which other processes see this one
 * @param held the held locks, longest hold first
 * @param waiting the locks for which callers wait, longest wait first
 * @param refusedAtOnce how many callers were refused because of
 * {@link LockOptions#maxWaiters}, since the template was created
 * @param trouble a problem with the store that is known without sending it a request, or
 * {@code null}
 */
public record LocalLocks(String instance, List<Held> held, List<Waiting> waiting, long refusedAtOnce,
		@Nullable String trouble) {

	/**
	 * A lock that one caller of the template holds.
	 *
	 * @param target the lock, and how it is held
	 * @param owner enough of the owner token to recognize it
	 * @param fencingToken the token of this hold
	 * @param held how long it has been held
	 * @param remaining how long the holder may rely on it without renewal, as returned by
	 * {@link HeldLock#remaining()}; {@link java.time.temporal.ChronoUnit#FOREVER} if it
	 * never expires
	 * @param entries how many times the holder has entered the lock and not yet left it;
	 * more than 1 if it has re-entered the lock
	 * @param waiting how many other callers of the template wait for it
	 * @param renewed whether it will be renewed. This is false if the lock never expires,
	 * if automatic renewal is off, if no caller is left to release it, or if its lease
	 * already lasts until the maximum hold time
	 * @param renewalFailure why the store did not confirm the last renewal, or
	 * {@code null} if there is no such failure
	 * @param thread the thread that acquired it; {@code null} if it belongs to no thread,
	 * was detached, or has been used by others since
	 */
	public record Held(LockTarget target, String owner, long fencingToken, Duration held, Duration remaining,
			int entries, int waiting, boolean renewed, @Nullable String renewalFailure, @Nullable String thread) {
	}

	/**
	 * A lock for which callers of the template wait.
	 *
	 * @param target the lock, and the mode in which the callers want it
	 * @param callers the number of these callers
	 * @param longest how long the first of them has been waiting
	 * @param behind the holder for which they wait, as far as this process knows, with a
	 * shortened owner token; {@code null} if it is not known
	 */
	public record Waiting(LockTarget target, int callers, Duration longest, @Nullable LockState behind) {
	}

}
