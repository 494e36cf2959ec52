package io.github.redislock.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.RestrictedUser;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The documented permissions are sufficient for several locks.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("thorough")
class SeveralLocksAsRestrictedUserTests extends SeveralLocksContract {

	private final List<LettuceConnectionFactory> connectionFactories = new ArrayList<>();

	@Override
	protected LockStore createStore() {
		LettuceConnectionFactory connectionFactory = RestrictedUser.connectTo(TestRedis.shared());
		this.connectionFactories.add(connectionFactory);
		return RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults());
	}

	@AfterEach
	void disconnect() {
		this.connectionFactories.forEach(LettuceConnectionFactory::destroy);
	}

}
