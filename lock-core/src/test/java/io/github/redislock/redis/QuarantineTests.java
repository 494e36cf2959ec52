package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * A Redis that was killed and lost its data does not grant a lock that may still be held.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-per-deployment")
class QuarantineTests {

	private static final Duration QUARANTINE = Duration.ofSeconds(3);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(1));

	@AutoClose
	private RedisProcess redis;

	@ParameterizedTest
	@MethodSource("routes")
	void redisThatLostItsDataGrantsNoLockDuringTheQuarantine(Route route) {
		this.redis = RedisProcess.start();
		try (RedisLockTemplate locks = template(route, QUARANTINE)) {
			LockHandle held = locks.acquire(LockTarget.of("job"), PATIENT);

			this.redis.kill();
			this.redis.restart();

			long restarted = System.nanoTime();
			Awaitility.await()
				.untilAsserted(() -> assertThatExceptionOfType(LockStoreException.class)
					.isThrownBy(() -> locks.acquire(LockTarget.of("job"), ONCE.reentrant(false)))
					.withMessageMatching("Lock 'job': acquire failed: Redis has lost its data, or never had any, and"
							+ " grants no lock for another (?:[1-2](?:\\.\\d)?s|\\d+ms): earlier holders may still hold"
							+ " their locks \\(redis-lock.cold-start-quarantine\\)")
					.satisfies((failure) -> {
						assertThat(failure.isRetryable()).isTrue();
						assertThat(failure.isOutcomeUnknown()).isFalse();
					}));
			assertThat(locks.acquire(LockTarget.of("job"), PATIENT.reentrant(false)).isHeld()).as("waits for it")
				.isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - restarted)).isGreaterThan(QUARANTINE);
			assertThat(held.verify()).as("was lost with the data").isFalse();
		}
	}

	@Test
	void redisThatSavedItsDataGrantsLocksAfterARestart() {
		this.redis = RedisProcess.start("appendonly yes", "appendfsync always");
		try (RedisLockTemplate locks = template(Route.OWN_CONNECTION, Duration.ofSeconds(3))) {
			locks.acquire(LockTarget.of("job"), PATIENT).close();
		}
		try (RedisLockTemplate locks = template(Route.OWN_CONNECTION, Duration.ofHours(1))) {
			assertThatExceptionOfType(LockStoreException.class).as("an hour from the first start")
				.isThrownBy(() -> locks.acquire(LockTarget.of("other"), ONCE))
				.withMessageMatching(".* for another 59m \\d+s: .*");
		}
		try (RedisLockTemplate locks = template(Route.OWN_CONNECTION, Duration.ofSeconds(3))) {
			this.redis.kill();
			this.redis.restart();

			Awaitility.await().ignoreExceptions().until(() -> locks.acquire(LockTarget.of("other"), ONCE).isHeld());
		}
	}

	@Test
	@Tag("thorough")
	void waiterWaitsForTheQuarantineAfterTheDataIsDeleted() throws Exception {
		this.redis = RedisProcess.start();
		try (RedisLockTemplate locks = template(Route.OWN_CONNECTION, Duration.ofSeconds(2));
				RedisLockTemplate others = template(Route.OWN_CONNECTION, Duration.ofSeconds(2))) {
			LockHandle held = others.acquire(LockTarget.of("job"), PATIENT);
			CompletableFuture<LockHandle> waiter = CompletableFuture
				.supplyAsync(() -> locks.acquire(LockTarget.of("job"), PATIENT), OwnThread::run);
			Awaitility.await().until(() -> others.inspect(LockTarget.of("job")).orElseThrow().waiters() == 1);

			this.redis.command("FLUSHALL");
			long flushed = System.nanoTime();

			assertThat(waiter.get().isHeld()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - flushed)).isGreaterThan(Duration.ofSeconds(2));
			assertThat(held.verify()).isFalse();
		}
	}

	@Test
	void quarantineIsRefusedInACluster() {
		this.redis = RedisProcess.start("cluster-enabled yes");
		LettuceConnectionFactory cluster = this.redis.connectionFactory(
				new LettuceConnectionFactory(new RedisClusterConfiguration(List.of("127.0.0.1:" + this.redis.port()))));

		assertThatIllegalArgumentException().isThrownBy(
				() -> RedisLockStore.create(cluster, RedisLockStoreOptions.defaults().coldStartQuarantine(QUARANTINE)))
			.withMessage("redis-lock.cold-start-quarantine does not work in a Redis Cluster");
		try (RedisLockTemplate locks = Route.FOREIGN_FACTORY.open(cluster,
				RedisLockStoreOptions.defaults().coldStartQuarantine(QUARANTINE))) {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> locks.acquire(LockTarget.of("job"), PATIENT))
				.withMessageContaining("does not work in a Redis Cluster")
				.satisfies((failure) -> assertThat(failure.isRetryable()).isFalse());
		}
	}

	static Stream<Route> routes() {
		return Effort.cases(Route.values());
	}

	private RedisLockTemplate template(Route route, Duration quarantine) {
		return route.open(this.redis.connectionFactory(),
				RedisLockStoreOptions.defaults()
					.commandTimeout(Duration.ofSeconds(10))
					.coldStartQuarantine(quarantine));
	}

}
