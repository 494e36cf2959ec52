package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A request to set a new lease, or only to check the owner of a lock.
 *
 * @param target the lock
 * @param owner the owner token
 * @param timeToLive the new time to live, counted from when the store carries out the
 * request, which may be longer or shorter than the old one; {@code null} to only check
 * whether the owner has the lock
 * @param within how long to wait for the reply at most, so that there is time for another
 * attempt; {@code null} for the store's own timeout
 */
public record RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive, @Nullable Duration within) {

	/**
	 * Create a request that waits for its reply until the store's own timeout.
	 */
	public RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive) {
		this(target, owner, timeToLive, null);
	}

}
