package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;

@NeedsRedisServer
@Tag("fault")
@Tag("thorough")
class RedisLockStoreInClusterOnJedisTests extends LockStoreContract {

	@Override
	protected LockStore createStore() {
		return Deployment.CLUSTER_BY_JEDIS.storeInOneSlot();
	}

	@Override
	protected void fallSilent(LockTarget target, Duration duration) {
		Deployment.CLUSTER.fallSilent(target, duration);
	}

}
