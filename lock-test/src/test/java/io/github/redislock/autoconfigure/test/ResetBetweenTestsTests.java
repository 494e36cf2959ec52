package io.github.redislock.autoconfigure.test;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.test.context.support.DirtiesContextTestExecutionListener;
import org.springframework.test.context.transaction.TransactionalTestExecutionListener;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One context for several tests, with a stopped clock and no beans besides locks.
 */
@SpringJUnitConfig
@AutoConfigureRedisLock(manualClock = true)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ResetBetweenTestsTests {

	@Autowired
	private LockOperations operations;

	@Autowired
	private TestLocks locks;

	@Autowired
	private LockTimer timer;

	@Test
	@Order(1)
	void testLeavesLocksAndFaultsBehind() {
		this.operations.acquire(LockTarget.of("left"));
		this.locks.holdElsewhere("elsewhere");
		this.locks.loseNextReplyToRelease();
		this.locks.goDown();
	}

	@Test
	@Order(2)
	void nextTestFindsNoLeftovers() {
		assertThat(this.locks.acquired()).isEmpty();
		for (String name : new String[] { "left", "elsewhere" }) {
			LockHandle lock = this.operations.tryAcquire(LockTarget.of(name),
					LockOptions.options().retry(0).reentrant(false));
			assertThat(lock).isNotNull().returns(ReleaseOutcome.RELEASED, LockHandle::release);
		}
	}

	@Test
	void resetFollowsTheEndOfTheTransactionAndPrecedesThatOfTheContext() {
		assertThat(new TestLocksExecutionListener().getOrder()).isBetween(
				new DirtiesContextTestExecutionListener().getOrder(),
				new TransactionalTestExecutionListener().getOrder());
	}

	@Test
	void testAdvancesItsManualClock() {
		LockHandle lock = this.operations.acquire(LockTarget.of("unrenewed"), LockOptions.options().autoRenew(false));

		this.locks.advance(Duration.ofMinutes(1));

		assertThat(this.timer).isInstanceOf(ManualLockTimer.class);
		assertThat(lock.isHeld()).isFalse();
	}

}
