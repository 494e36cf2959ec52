package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.engine.AsyncLockContract;
import io.github.redislock.engine.LockTemplateContract;
import io.github.redislock.engine.ReactiveLockContract;
import io.github.redislock.engine.SeveralLocksContract;
import io.github.redislock.engine.SharedLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contracts of store and template hold in a Redis Cluster.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("thorough")
class ContractsInClusterTests {

	@Nested
	class Store extends LockStoreContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inOneSlot(Deployments.cluster());
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Deployments.inOneSlotFallSilent(target, duration);
		}

	}

	@Nested
	class Template extends LockTemplateContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inCluster();
		}

	}

	@Nested
	class Async extends AsyncLockContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inCluster();
		}

	}

	@Nested
	class Reactive extends ReactiveLockContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inCluster();
		}

	}

	@Nested
	class Several extends SeveralLocksContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inOneSlot(Deployments.cluster());
		}

	}

	@Nested
	class Shared extends SharedLocksContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inCluster();
		}

	}

	@Nested
	class SharedStore extends SharedLocksStoreContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inOneSlot(Deployments.cluster());
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Deployments.inOneSlotFallSilent(target, duration);
		}

	}

	@Nested
	class StoreOnJedis extends LockStoreContract {

		@Override
		protected LockStore createStore() {
			return Deployments.inOneSlot(Deployments.clusterByJedis());
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Deployments.inOneSlotFallSilent(target, duration);
		}

	}

}
