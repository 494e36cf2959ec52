package io.github.redislock.store;

import org.jspecify.annotations.Nullable;

/**
 * The status of a store, as far as known without a request.
 *
 * @param notifiedOfForce whether this process is currently notified of forced releases.
 * Only then does a lock pass from caller to caller without a request
 * @param trouble the store's current problem and its effect on users of locks, for
 * operators; {@code null} if there is none, or if it was not requested
 */
public record StoreStatus(boolean notifiedOfForce, @Nullable String trouble) {

	/**
	 * This process is notified of forced releases.
	 */
	public static final StoreStatus NOTIFIED = new StoreStatus(true, null);

	/**
	 * This process is not notified of forced releases.
	 */
	public static final StoreStatus SILENT = new StoreStatus(false, null);

}
