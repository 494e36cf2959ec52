package io.github.redislock.redis.quorum;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.AsyncLockContract;
import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.internal.engine.ReactiveLockContract;
import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * The contracts of store and template hold with five independent servers.
 */
@NeedsRedisServer
@Tag("promise-quorum")
class QuorumContractsTests {

	@Nested
	class Store extends LockStoreContract {

		@Override
		protected LockStore createStore() {
			return QuorumStores.create();
		}

		@Override
		protected boolean handsOver() {
			return false;
		}

	}

	@Nested
	@Tag("thorough")
	class Template extends LockTemplateContract {

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

	@Nested
	@Tag("thorough")
	class Async extends AsyncLockContract {

		@Override
		protected LockStore createStore() {
			return QuorumStores.create();
		}

		@Override
		protected boolean handsOver() {
			return false;
		}

	}

	@Nested
	@Tag("thorough")
	class Reactive extends ReactiveLockContract {

		@Override
		protected LockStore createStore() {
			return QuorumStores.create();
		}

		@Override
		protected boolean handsOver() {
			return false;
		}

	}

	@Nested
	@Tag("thorough")
	class Several extends SeveralLocksContract {

		@Override
		protected LockStore createStore() {
			return QuorumStores.create();
		}

		@Override
		protected boolean handsOver() {
			return false;
		}

	}

}
