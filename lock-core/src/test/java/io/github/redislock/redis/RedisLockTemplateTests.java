package io.github.redislock.redis;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(RedisServerExtension.class)
class RedisLockTemplateTests extends LockTemplateContract {

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

	@Test
	void templateNeedsOnlyAConnectionFactory() {
		try (RedisLockTemplate locks = new RedisLockTemplate(TestRedis.shared().connectionFactory());
				LockHandle lock = locks.acquire(LockTarget.of("order:42"))) {
			assertThat(lock.verify()).isTrue();
		}
	}

}
