package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockStore;
import io.github.redislock.LockStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.awaitility.Awaitility;

/**
 * On five independent servers.
 */
@NeedsRedisServer
class QuorumLockStoreTests extends LockStoreContract {

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

	@Override
	protected void elapse(Duration duration) {
		long end = System.nanoTime() + duration.plusMillis(20).toNanos();
		Awaitility.await().until(() -> System.nanoTime() - end > 0);
	}

}
