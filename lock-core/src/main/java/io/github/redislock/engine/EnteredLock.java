package io.github.redislock.engine;

import io.github.redislock.CallersLock;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;

/**
 * What a caller was given of his entry into a hold.
 */
interface EnteredLock extends CallersLock {

	/**
	 * Return the entry.
	 */
	HoldHandle entry();

	@Override
	default boolean covers(LockTarget target) {
		return entry().hold().covers(target);
	}

	@Override
	default LockLostException lost() {
		return entry().lost();
	}

}
