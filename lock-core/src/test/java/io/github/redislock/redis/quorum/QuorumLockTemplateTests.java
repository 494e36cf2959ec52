package io.github.redislock.redis.quorum;

import io.github.redislock.engine.LockTemplateContract;
import io.github.redislock.store.LockStore;
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
