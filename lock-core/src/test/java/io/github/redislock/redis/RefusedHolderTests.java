package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Redis starts to refuse requests while callers hold and await locks. No caller may
 * conclude that another owner has its lock.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
class RefusedHolderTests {

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private static final LockOptions LONG = LockOptions.options().timeout(Duration.ofMinutes(2)).waitTime(PATIENCE);

	private RedisProcess redis;

	private @Nullable RedisLockTemplate locks;

	@AfterEach
	void close() {
		if (this.locks != null) {
			this.locks.close();
		}
		this.redis.close();
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void callerLearnsTheCauseAndWhetherItIsTemporary(RedisTrouble trouble, Route route) {
		RedisLockTemplate locks = start(trouble, route);
		trouble.cause(this.redis);

		LockStoreException failure = failure(() -> locks.tryAcquire(LockTarget.of("job"),
				LONG.waitTime(Duration.ofMillis(300)).retryDelay(Duration.ofMillis(50))));

		assertTold(failure, trouble);
	}

	@ParameterizedTest
	@MethodSource("passingTroubles")
	void waiterGetsTheLockIfRedisRecoversWithinItsWaitTime(RedisTrouble trouble, Route route) {
		RedisLockTemplate locks = start(trouble, route);
		trouble.cause(this.redis);
		CompletableFuture<LockHandle> waiter = CompletableFuture
			.supplyAsync(() -> locks.acquire(LockTarget.of("job"), LONG), OwnThread::run);
		Awaitility.await("waiter goes on waiting").during(Duration.ofMillis(400)).until(() -> !waiter.isDone());

		trouble.mend(this.redis);

		assertThat(waiter).succeedsWithin(PATIENCE);
		assertThat(waiter.join().release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@MethodSource("troubles")
	void refusedRenewalReportsTheCauseAndTheLockStaysHeld(RedisTrouble trouble, Route route) {
		RedisLockTemplate locks = start(trouble, route);
		LockHandle lock = locks.acquire(LockTarget.of("job"), LONG);
		trouble.cause(this.redis);

		// A restart breaks the connection first.
		Awaitility.await("told").atMost(PATIENCE).untilAsserted(() -> {
			LockStoreException failure = failure(lock::renew);
			assertThat(failure).hasMessageContaining("Lock 'job': renew failed");
			assertTold(failure, trouble);
		});
		assertThat(lock.isHeld()).isTrue();
		trouble.mend(this.redis);
		Awaitility.await("renewed").atMost(PATIENCE).ignoreExceptions().untilAsserted(lock::renew);
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@ParameterizedTest
	@MethodSource("passingTroubles")
	void refusedReleaseCompletesOnceRedisRecovers(RedisTrouble trouble, Route route) {
		RedisLockTemplate locks = start(trouble, route);
		LockHandle lock = locks.acquire(LockTarget.of("job"), LONG);
		trouble.cause(this.redis);

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.UNKNOWN);
		assertThat(lock.isHeld()).isFalse();

		trouble.mend(this.redis);
		awaitRelease();
	}

	@ParameterizedTest
	@MethodSource("lastingTroubles")
	void permanentlyRefusedReleaseHasAnUnknownOutcome(RedisTrouble trouble, Route route) {
		RedisLockTemplate locks = start(trouble, route);
		LockHandle lock = locks.acquire(LockTarget.of("job"), LONG);
		trouble.cause(this.redis);

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.UNKNOWN);

		assertThat((String) this.redis.command("GET", FaultyNetwork.key("job"))).startsWith(lock.owner());
		assertThat(lock.isHeld()).isFalse();
	}

	@Test
	void suddenlyRequiredPasswordNeitherLosesNorReleasesTheLock() {
		RedisLockTemplate locks = start(RedisTrouble.NOPERM, Route.OWN_CONNECTION);
		LockHandle lock = locks.acquire(LockTarget.of("job"), LONG);
		this.redis.command("CONFIG", "SET", "requirepass", "secret");
		this.redis.login("AUTH", "secret");
		this.redis.command("CLIENT", "KILL", "TYPE", "normal");

		assertThat(failure(lock::renew)).isNotNull();
		assertThat(failure(() -> locks.tryAcquire(LockTarget.of("other"), LONG.waitTime(Duration.ofMillis(300)))))
			.isNotNull();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.UNKNOWN);

		this.redis.command("CONFIG", "SET", "requirepass", "");
		this.redis.login();
		awaitRelease();
	}

	private RedisLockTemplate start(RedisTrouble trouble, Route route) {
		this.redis = trouble.start();
		this.locks = route.open(this.redis.connectionFactory(),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)));
		this.locks.acquire(LockTarget.of("warm-up"), LONG).close();
		return this.locks;
	}

	private void awaitRelease() {
		Awaitility.await("key is gone")
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> this.redis.command("EXISTS", FaultyNetwork.key("job")).equals(0L));
	}

	private static void assertTold(LockStoreException failure, RedisTrouble trouble) {
		assertThat(failure).hasMessageContaining(trouble.text);
		assertThat(failure.isRetryable()).isEqualTo(trouble.passing);
		assertThat(failure.isOutcomeUnknown()).isFalse();
	}

	private static LockStoreException failure(ThrowingCallable call) {
		return catchThrowableOfType(LockStoreException.class, call);
	}

	static Stream<Arguments> troubles() {
		return RedisTrouble.known()
			.flatMap((trouble) -> Effort.cases(Route.values()).map((route) -> Arguments.of(trouble, route)));
	}

	static Stream<Arguments> passingTroubles() {
		return troubles().filter((arguments) -> ((RedisTrouble) arguments.get()[0]).passing);
	}

	static Stream<Arguments> lastingTroubles() {
		return troubles().filter((arguments) -> !((RedisTrouble) arguments.get()[0]).passing);
	}

}
