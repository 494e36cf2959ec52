package io.github.redislock.redis;

import java.util.ArrayList;
import java.util.List;

import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.RestrictedUser;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The documented permissions are sufficient for all operations of callers.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("thorough")
class RedisLockTemplateAsRestrictedUserTests extends LockTemplateContract {

	private final List<LettuceConnectionFactory> connectionFactories = new ArrayList<>();

	private final String[] features;

	RedisLockTemplateAsRestrictedUserTests(TestInfo test) {
		boolean braces = test.getDisplayName().matches(".*[{}].*");
		this.features = braces ? new String[] { "lock names with braces" } : new String[0];
	}

	@Override
	protected LockStore createStore() {
		LettuceConnectionFactory connectionFactory = RestrictedUser.connectTo(TestRedis.shared(), this.features);
		this.connectionFactories.add(connectionFactory);
		return RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults());
	}

	@AfterEach
	void disconnect() {
		this.connectionFactories.forEach(LettuceConnectionFactory::destroy);
	}

}
