package io.github.redislock.redis;

import io.github.redislock.LockTarget;

/**
 * The scripts that decide about one kind of lock: in nothing else do the kinds differ.
 *
 * @param acquire grants a request or lets it wait
 * @param renew sets how long locks live, many in one step
 * @param release lets go of what was granted
 * @param withdraw undoes a request
 */
record LockScripts(LockScript acquire, LockScript renew, LockScript release, LockScript withdraw) {

	private static final LockScripts ALONE = new LockScripts(LockScript.ACQUIRE, LockScript.RENEW, LockScript.RELEASE,
			LockScript.WITHDRAW);

	/** Each lock is one that is held alone, and renewed as such. */
	private static final LockScripts SEVERAL = new LockScripts(LockScript.ACQUIRE_ALL, LockScript.RENEW,
			LockScript.RELEASE_ALL, LockScript.WITHDRAW_ALL);

	private static final LockScripts SHARED = new LockScripts(LockScript.ACQUIRE_SHARED, LockScript.RENEW_SHARED,
			LockScript.RELEASE_SHARED, LockScript.WITHDRAW_SHARED);

	static LockScripts of(LockTarget target) {
		if (target.isShared()) {
			return SHARED;
		}
		return target.isSeveral() ? SEVERAL : ALONE;
	}

}
