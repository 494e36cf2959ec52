package io.github.redislock.redis.quorum;

import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;

/**
 * Tests the store with five independent servers.
 */
@NeedsRedisServer
@Tag("promise-quorum")
class QuorumLockStoreTests extends LockStoreContract {

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

}
