package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A request for another lease of a lock.
 *
 * @param target the lock; for a downgrade, the one for reading
 * @param owner the owner token
 * @param timeToLive its new life, counted from the reply, longer or shorter than the old
 * one; {@code null} to only check whether the lock is the owner's
 * @param within how soon a reply is needed, so that there is time to ask again;
 * {@code null} if the store's own timeout will do
 * @param downgraded for a downgrade, the id of the request that was granted the exclusive
 * lock. From now on its owner shares the lock with other readers, with the same fencing
 * token. The requests that have waited longest also get it, if they wait to read. A lock
 * that is already shared is only renewed. {@code null} for a usual renewal
 */
public record RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive, @Nullable Duration within,
		@Nullable String downgraded) {

	/**
	 * Create a usual renewal.
	 */
	public RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive) {
		this(target, owner, timeToLive, null, null);
	}

}
