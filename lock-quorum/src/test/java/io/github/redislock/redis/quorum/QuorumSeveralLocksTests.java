package io.github.redislock.redis.quorum;

import io.github.redislock.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;

/**
 * Tests several locks on five independent servers.
 */
@NeedsRedisServer
@Tag("promise-quorum")
@Tag("thorough")
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
