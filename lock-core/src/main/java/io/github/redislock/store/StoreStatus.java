package io.github.redislock.store;

import org.jspecify.annotations.Nullable;

/**
 * What a store knows of itself without asking.
 *
 * @param tellsOfForce whether this process is told at present when a lock is taken by
 * force. Only then a lock passes from caller to caller without a request
 * @param trouble what keeps the store from working as well as it could, and what that
 * does to users of locks, for people; {@code null} if nothing is wrong, or nobody asked
 * for it
 */
public record StoreStatus(boolean tellsOfForce, @Nullable String trouble) {

	/**
	 * This process is told of force.
	 */
	public static final StoreStatus TELLING = new StoreStatus(true, null);

	/**
	 * This process is not told of force.
	 */
	public static final StoreStatus SILENT = new StoreStatus(false, null);

	/**
	 * Return a status, one of the constants if there is no trouble.
	 * @param tellsOfForce whether this process is told of force
	 * @param trouble what is wrong; {@code null} for nothing
	 * @return the status
	 */
	public static StoreStatus of(boolean tellsOfForce, @Nullable String trouble) {
		if (trouble != null) {
			return new StoreStatus(tellsOfForce, trouble);
		}
		return tellsOfForce ? TELLING : SILENT;
	}

}
