package io.github.redislock.memory;

import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.store.LockStore;

/**
 * In a store without support for several locks.
 */
class SeveralLocksOneByOneTests extends SeveralLocksInMemoryTests {

	@Override
	protected boolean takesAllAtOnce() {
		return false;
	}

	@Override
	protected LockStore createStore() {
		return new SharedStore() {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				return target.each();
			}

		};
	}

}
