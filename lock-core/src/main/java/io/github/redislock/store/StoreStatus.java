package io.github.redislock.store;

import org.jspecify.annotations.Nullable;

/**
 * The status of a store, as far as it is known without a request.
 *
 * @param tellsOfForce whether this process is currently notified of forced releases. Only
 * then does a lock pass from caller to caller without a request
 * @param trouble what keeps the store from working fully, and how that affects users of
 * locks, for operators; {@code null} if nothing is wrong, or if it was not asked for
 */
public record StoreStatus(boolean tellsOfForce, @Nullable String trouble) {

	/**
	 * This process is notified of forced releases.
	 */
	public static final StoreStatus TELLING = new StoreStatus(true, null);

	/**
	 * This process is not notified of forced releases.
	 */
	public static final StoreStatus SILENT = new StoreStatus(false, null);

	/**
	 * Return a status, one of the constants if there is no trouble.
	 * @param tellsOfForce whether this process is notified of forced releases
	 * @param trouble what is wrong; {@code null} if nothing is
	 * @return the status
	 */
	public static StoreStatus of(boolean tellsOfForce, @Nullable String trouble) {
		if (trouble != null) {
			return new StoreStatus(tellsOfForce, trouble);
		}
		return tellsOfForce ? TELLING : SILENT;
	}

}
