package io.github.redislock.testing;

import io.github.redislock.ThreadLocks;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.RepeatedTest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ForgottenLossesTests {

	/** The first of the two leaves the locks, and the second would be told. */
	@RepeatedTest(2)
	void lossesOfOneTestAreNotToldToTheNext() {
		assertThatNoException().isThrownBy(ThreadLocks::requireNoneLost);
		LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		locks.acquire("order:42");
		locks.acquire("order:43");

		assertThat(locks.forceRelease("order:42")).isTrue();
		assertThat(locks.forceRelease("order:43")).isTrue();
		locks.close();
	}

}
