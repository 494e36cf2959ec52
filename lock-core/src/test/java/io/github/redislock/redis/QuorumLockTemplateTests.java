package io.github.redislock.redis;

import io.github.redislock.LockStore;
import io.github.redislock.LockTemplateContract;
import io.github.redislock.testing.NeedsRedisServer;

/**
 * On five independent servers.
 */
@NeedsRedisServer
class QuorumLockTemplateTests extends LockTemplateContract {

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

}
