package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.AsyncLockContract;
import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.internal.engine.ReactiveLockContract;
import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * The contracts hold with Jedis. That of the store is in
 * {@link RedisLockStoreOnJedisTests}.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("thorough")
class ContractsOnJedisTests {

	private final JedisConnectionFactory jedis = JedisClients.connectTo(TestRedis.shared());

	@AfterEach
	void disconnect() {
		this.jedis.destroy();
	}

	private LockStore store() {
		return RedisLockStore.create(this.jedis, RedisLockStoreOptions.defaults());
	}

	@Nested
	class Template extends LockTemplateContract {

		@Override
		protected LockStore createStore() {
			return store();
		}

	}

	@Nested
	class Async extends AsyncLockContract {

		@Override
		protected LockStore createStore() {
			return store();
		}

	}

	@Nested
	class Reactive extends ReactiveLockContract {

		@Override
		protected LockStore createStore() {
			return store();
		}

	}

	@Nested
	class Several extends SeveralLocksContract {

		@Override
		protected LockStore createStore() {
			return store();
		}

	}

	@Nested
	class SharedStore extends SharedLocksStoreContract {

		@Override
		protected LockStore createStore() {
			return store();
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Silence.of(TestRedis.shared().connectionFactory(), target, duration);
		}

	}

}
