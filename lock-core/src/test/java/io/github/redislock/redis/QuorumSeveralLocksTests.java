package io.github.redislock.redis;

import io.github.redislock.LockStore;
import io.github.redislock.SeveralLocksContract;
import io.github.redislock.testing.NeedsRedisServer;

/**
 * On five independent servers.
 */
@NeedsRedisServer
class QuorumSeveralLocksTests extends SeveralLocksContract {

	@Override
	protected boolean handsOver() {
		return false;
	}

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

}
