package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.AsyncLockContract;
import io.github.redislock.internal.engine.LockTemplateContract;
import io.github.redislock.internal.engine.ReactiveLockContract;
import io.github.redislock.internal.engine.SeveralLocksContract;
import io.github.redislock.internal.engine.SharedLocksContract;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The contracts of store and template hold in each deployment.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("thorough")
@ParameterizedClass
@EnumSource(names = { "SENTINEL", "CLUSTER" })
class ContractsInDeploymentsTests {

	@Parameter
	private Deployment deployment;

	@Nested
	class Store extends LockStoreContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.storeInOneSlot();
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			ContractsInDeploymentsTests.this.deployment.fallSilent(target, duration);
		}

	}

	@Nested
	class Template extends LockTemplateContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.store();
		}

	}

	@Nested
	class Async extends AsyncLockContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.store();
		}

	}

	@Nested
	class Reactive extends ReactiveLockContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.store();
		}

	}

	@Nested
	class Several extends SeveralLocksContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.storeInOneSlot();
		}

	}

	@Nested
	class Shared extends SharedLocksContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.store();
		}

	}

	@Nested
	class SharedStore extends SharedLocksStoreContract {

		@Override
		protected LockStore createStore() {
			return ContractsInDeploymentsTests.this.deployment.storeInOneSlot();
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			ContractsInDeploymentsTests.this.deployment.fallSilent(target, duration);
		}

	}

}
