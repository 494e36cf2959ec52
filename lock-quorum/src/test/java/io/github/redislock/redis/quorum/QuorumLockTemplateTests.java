package io.github.redislock.redis.quorum;

import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplateContract;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests the template on five independent servers.
 */
@NeedsRedisServer
@Tag("promise-quorum")
@Tag("thorough")
class QuorumLockTemplateTests extends LockTemplateContract {

	@Override
	protected LockStore createStore() {
		return QuorumStores.create();
	}

	@Override
	protected boolean handsOver() {
		return false;
	}

	@Test
	void sharedLockIsRefused() {
		try (RedisLockTemplate locks = new RedisLockTemplate(createStore(), LockConfiguration.defaults())) {
			assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(LockTarget.of("job").forReading()))
				.withMessageContaining("is shared, but this store keeps only exclusive locks");
			assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(LockTarget.of("job").permits(3)));
		}
	}

}
