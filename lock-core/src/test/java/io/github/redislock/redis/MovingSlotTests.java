package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisCluster;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * A Redis Cluster moves the slot of a lock, or loses a node. No error during that time
 * may be mistaken for a lock held by another owner.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
class MovingSlotTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockOptions PATIENT = LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(PATIENCE);

	private static final String KEY = FaultyNetwork.key("job");

	private RedisCluster cluster;

	private RedisLockTemplate locks;

	@BeforeEach
	void start() {
		this.cluster = RedisCluster.startMasters();
		this.locks = new RedisLockTemplate(this.cluster.connectionFactory());
		this.locks.acquire(LockTarget.of("job"), PATIENT).close();
	}

	@AfterEach
	void stop() {
		this.locks.close();
		this.cluster.close();
	}

	@Test
	void callerIsInformedThatTheKeyIsBeingMoved() {
		this.cluster.beginToMove(KEY);

		LockStoreException failure = catchThrowableOfType(LockStoreException.class,
				() -> this.locks.tryAcquire(LockTarget.of("job"), PATIENT.waitTime(Duration.ofMillis(300))));

		assertThat(failure).hasMessageContaining("Lock 'job': acquire failed: Redis Cluster is moving the key");
		assertThat(failure.isRetryable()).isTrue();
		assertThat(failure.isOutcomeUnknown()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "job", "{job}:a,{job}:b" })
	void waiterGetsTheLockOnceItsKeysHaveMoved(String names) {
		LockTarget target = LockTarget.allOf(Stream.of(names.split(",")).map(LockTarget::of).toList());
		String key = FaultyNetwork.key(target.each().get(0).name());
		this.cluster.beginToMove(key);
		CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> this.locks.acquire(target, PATIENT),
				OwnThread::run);
		Awaitility.await("waiter goes on waiting").during(Duration.ofMillis(500)).until(() -> !waiter.isDone());

		this.cluster.finishMoving(key);

		assertThat(waiter).succeedsWithin(PATIENCE);
		assertThat(waiter.join().release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void lockReleasedWhileItsKeyMovesIsGoneAfterTheMove() {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT);
		this.cluster.beginToMove(KEY);

		assertThat(lock.release()).isIn(ReleaseOutcome.RELEASED, ReleaseOutcome.UNKNOWN);
		this.cluster.finishMoving(KEY);

		Awaitility.await("key is gone").atMost(PATIENCE).ignoreExceptions().until(() -> this.cluster.get(KEY) == null);
	}

	@Test
	void heldLockIsRenewedOnTheNodeItMovedTo() {
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), PATIENT);

		this.cluster.beginToMove(KEY);
		this.cluster.finishMoving(KEY);

		lock.renew(Duration.ofMinutes(10));
		assertThat(lock.verify()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	/**
	 * The keys are on two nodes, so neither of them can decide.
	 */
	@Test
	@Tag("thorough")
	void heldLockSurvivesAnInterruptedMove() {
		// With an explicit owner token a lock has more than one key.
		LockHandle lock = this.locks.acquire(LockTarget.of("job"),
				LockOptions.options().timeout(Duration.ofSeconds(8)).waitTime(PATIENCE).owner("me"));
		RedisProcess target = this.cluster.otherThan(this.cluster.nodeOf(KEY));
		this.cluster.beginToMove(KEY, target);
		assertThat(this.cluster.keysBeside(KEY)).contains(KEY).hasSizeGreaterThan(1);
		this.cluster.moveKeys(target, List.of(KEY));

		Awaitility.await("time for a renewal in vain").during(Duration.ofSeconds(4)).until(lock::isHeld);
		this.cluster.finishMoving(KEY, target);

		Awaitility.await("renewed").atMost(PATIENCE).until(() -> (Long) target.command("PTTL", KEY) > 7_000);
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	@Tag("thorough")
	void waiterGetsTheLockOnceALostClusterNodeIsBack() {
		RedisProcess own = this.cluster.nodeOf(KEY);
		RedisProcess lost = this.cluster.otherThan(own);
		lost.kill();
		this.cluster.awaitInfo(own, "cluster_state:fail");
		LockStoreException failure = catchThrowableOfType(LockStoreException.class,
				() -> this.locks.tryAcquire(LockTarget.of("job"), LockOptions.options().retry(0)));
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> this.locks.acquire(LockTarget.of("job"), PATIENT), OwnThread::run);

		lost.restart();

		assertThat(failure).hasMessageContaining("Redis Cluster is down");
		assertThat(failure.isRetryable()).isTrue();
		assertThat(waiter).succeedsWithin(PATIENCE);
		assertThat(waiter.join().release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

}
