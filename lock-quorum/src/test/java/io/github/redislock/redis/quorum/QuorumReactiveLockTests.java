package io.github.redislock.redis.quorum;

import io.github.redislock.engine.ReactiveLockContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;

/**
 * Tests reactive locks on five independent servers.
 */
@NeedsRedisServer
@Tag("thorough")
@Tag("promise-quorum")
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
