package io.github.redislock.cache;

import io.github.redislock.LockTarget;

/**
 * A key of a cache.
 */
record CacheKey(String cache, Object key) {

	/**
	 * Return the lock of the value. Keys whose text is not allowed in the name of a lock,
	 * for example because it is too long, may share a lock.
	 */
	LockTarget lock() {
		String name = "cache:" + this.cache;
		try {
			return LockTarget.of(name, "" + this.key);
		}
		catch (IllegalArgumentException ex) {
			return LockTarget.of(name, ("" + this.key).hashCode());
		}
	}

}
