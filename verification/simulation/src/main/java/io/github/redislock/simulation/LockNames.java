package io.github.redislock.simulation;

/**
 * The names of a lock's keys as the Redis contract defines them, for lock names without
 * braces.
 */
final class LockNames {

	static final String PREFIX = "distributed_lock:";

	/** The only key without an expiry, apart from the keys of locks that never expire. */
	static final String SINCE = "{" + PREFIX + "}:since";

	private LockNames() {
	}

	static boolean isLock(String key) {
		return key.startsWith(PREFIX);
	}

	static String lock(String name) {
		return PREFIX + name;
	}

	static String fence(String lockKey) {
		return beside(lockKey, "fence");
	}

	static String queue(String lockKey) {
		return beside(lockKey, "queue");
	}

	static String waiters(String lockKey) {
		return beside(lockKey, "waiters");
	}

	static String places(String lockKey) {
		return beside(lockKey, "places");
	}

	static String grants(String lockKey) {
		return beside(lockKey, "grants");
	}

	/**
	 * Return the prefix of the keys that mark withdrawn requests.
	 */
	static String withdrawn(String lockKey) {
		return beside(lockKey, "cancel:");
	}

	private static String beside(String lockKey, String part) {
		return "{" + lockKey + "}:" + part;
	}

}
