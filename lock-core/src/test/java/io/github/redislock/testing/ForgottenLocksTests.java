package io.github.redislock.testing;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.engine.ThreadLocks;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

class ForgottenLocksTests {

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	@AfterEach
	void close() {
		this.locks.close();
	}

	/**
	 * The first of the two tests leaves the locks, and the second one would get the
	 * exception.
	 */
	@RepeatedTest(2)
	void lossesOfOneTestAreNotReportedToTheNext() {
		assertThatNoException().isThrownBy(LockContext::requireNoneLost);
		this.locks.acquire(LockTarget.of("order:42"));
		this.locks.acquire(LockTarget.of("order:43"));

		assertThat(this.locks.forceRelease(LockTarget.of("order:42"))).isTrue();
		assertThat(this.locks.forceRelease(LockTarget.of("order:43"))).isTrue();
	}

	@Test
	void testThatLeavesALockFailsAndTheNextOneDoesNotInheritIt() {
		LockHandle held = this.locks.acquire(LockTarget.of("order:42"));

		assertThatExceptionOfType(AssertionError.class).isThrownBy(ForgottenLocks::requireNoneHeld)
			.withMessageStartingWith("1 locks are held after their test")
			.withMessageContaining("release [order:42]");

		assertThat(held.isHeld()).isTrue();
		assertThat(ThreadLocks.taken()).isEmpty();
	}

}
