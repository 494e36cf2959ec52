package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A request to set a new lease, or only to check the owner of a lock.
 *
 * @param target the lock; for a downgrade, the lock for reading
 * @param owner the owner token
 * @param timeToLive the new time to live, counted from when the store carries out the
 * request, which may be longer or shorter than the old one; {@code null} to only check
 * whether the owner has the lock
 * @param within how long to wait for the reply at most, so that there is time for another
 * attempt; {@code null} for the store's own timeout
 * @param downgraded for a downgrade, the id of the request that was granted the exclusive
 * lock; {@code null} for an ordinary renewal. After a downgrade, the owner shares the
 * lock with other readers and keeps its fencing token. If the next waiting requests are
 * for reading, they also get the lock. A lock that is already shared is only renewed
 */
public record RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive, @Nullable Duration within,
		@Nullable String downgraded) {

	/**
	 * Create an ordinary renewal.
	 */
	public RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive) {
		this(target, owner, timeToLive, null, null);
	}

}
