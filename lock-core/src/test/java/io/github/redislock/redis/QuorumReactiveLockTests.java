package io.github.redislock.redis;

import io.github.redislock.LockStore;
import io.github.redislock.ReactiveLockContract;
import io.github.redislock.testing.NeedsRedisServer;

/**
 * On five independent servers.
 */
@NeedsRedisServer
class QuorumReactiveLockTests extends ReactiveLockContract {

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

}
