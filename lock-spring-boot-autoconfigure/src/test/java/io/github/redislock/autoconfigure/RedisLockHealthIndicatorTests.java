package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("fault")
class RedisLockHealthIndicatorTests {

	/**
	 * A quarter of a second, and some time for a busy machine; half of a command timeout.
	 */
	private static final Duration AT_ONCE = Duration.ofSeconds(1);

	private static final LockOptions RENEWED = LockOptions.options()
		.timeout(Duration.ofMinutes(1))
		.waitTime(Duration.ofMinutes(1));

	private final RedisProcess redis = RedisProcess.start();

	private final RedisLockTemplate locks = new RedisLockTemplate(
			RedisLockStore.create(this.redis.connectionFactory(), RedisLockStoreOptions.defaults()),
			LockConfiguration.defaults().instance("shop-1"));

	private final RedisLockHealthIndicator indicator = new RedisLockHealthIndicator(this.locks, List::of, () -> null);

	@AfterEach
	void stop() {
		this.locks.close();
		this.redis.close();
	}

	@Test
	void contentionIsHealthy() {
		LockHandle held = this.locks.acquire(LockTarget.of("order:42"), RENEWED);
		List<CompletableFuture<Void>> callers = List.of(another(), another(), another());
		Awaitility.await()
			.until(() -> this.locks.local().waiting().stream().mapToInt(LocalLocks.Waiting::callers).sum() == 3);

		Health health = awaitHealthy(this.indicator);

		assertThat(health.getDetails()).containsExactly(Map.entry("held", 1), Map.entry("waiting", 3));
		held.close();
		callers.forEach(CompletableFuture::join);
	}

	@Test
	void frozenRedisIsReportedWithoutWaitingForItsReply() {
		LockHandle held = this.locks.acquire(LockTarget.of("order:42"),
				LockOptions.options().timeout(Duration.ofSeconds(9)));
		awaitHealthy(this.indicator);
		this.redis.freeze();

		Awaitility.await("noticed")
			.atMost(Duration.ofSeconds(10))
			.until(() -> healthAtOnce().getStatus().equals(Status.DOWN));
		assertThat(String.valueOf(healthAtOnce().getDetails().get("store"))).isNotBlank();
		Awaitility.await("renewal failed")
			.atMost(Duration.ofSeconds(30))
			.until(() -> healthAtOnce().getDetails().containsKey("notRenewed"));
		assertThat(healthAtOnce().getDetails().get("notRenewed")).asString().contains("order:42");

		this.redis.thaw();
		Awaitility.await("recovered")
			.atMost(Duration.ofSeconds(30))
			.until(() -> healthAtOnce().getStatus().equals(Status.UP) || !held.isHeld());
		Awaitility.await("recovered")
			.atMost(Duration.ofSeconds(30))
			.until(() -> healthAtOnce().getStatus().equals(Status.UP));
	}

	@Test
	void lockThatCannotBeRenewedIsReportedEvenIfRedisReplies() {
		LockHandle held = this.locks.acquire(LockTarget.of("order:42"),
				LockOptions.options().timeout(Duration.ofSeconds(9)));
		awaitHealthy(this.indicator);
		this.redis.command("ACL", "SETUSER", "default", "resetkeys", "~*redis-lock-health*");

		Awaitility.await("renewal failed")
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.indicator.health().getDetails().containsKey("notRenewed"));
		Health health = this.indicator.health();

		assertThat(health.getDetails()).doesNotContainKey("store");
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		this.redis.command("ACL", "SETUSER", "default", "allkeys");
		held.close();
	}

	/** The first check after the outage began cannot know more. */
	@Test
	void redisThatHasNotRepliedYetIsNotReportedAsHealthy() {
		awaitHealthy(this.indicator);
		this.redis.freeze();

		Health health = this.indicator.health();

		assertThat(health.getStatus()).isIn(Status.UNKNOWN, Status.DOWN);
		assertThat(health.getDetails()).containsKey("store");
		this.redis.thaw();
	}

	@Test
	void redisThatKeepsTheLocksIsShown() {
		Health health = new RedisLockHealthIndicator(this.locks, List::of, () -> "Redis 7.0.15 at redis:6379").health();

		assertThat(health.getDetails()).containsEntry("redis", "Redis 7.0.15 at redis:6379");
	}

	@Test
	void busyWorkerThreadsAreNotReportedAsAStoreProblem() {
		LockConfiguration busy = LockConfiguration.defaults().executor((task) -> {
		});
		try (RedisLockTemplate full = new RedisLockTemplate(
				RedisLockStore.create(this.redis.connectionFactory(), RedisLockStoreOptions.defaults()), busy)) {
			RedisLockHealthIndicator looked = new RedisLockHealthIndicator(full, List::of, () -> null);
			looked.health();

			assertThat(looked.health().getDetails()).doesNotContainKey("store");
			Awaitility.await("more than a suspicious silence").pollDelay(Duration.ofMillis(1_500)).until(() -> true);
			assertThat(looked.health().getDetails()).doesNotContainKey("store");
		}
	}

	@Test
	void unreachableRedisIsReportedAsDown() {
		this.redis.kill();

		Awaitility.await("noticed")
			.atMost(Duration.ofSeconds(10))
			.until(() -> healthAtOnce().getStatus().equals(Status.DOWN));
	}

	@Test
	void readOnlyReplicaIsReportedAsDown() {
		try (RedisProcess master = RedisProcess.start()) {
			awaitHealthy(this.indicator);
			this.redis.command("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));

			// While a replica loads the data of its master, it replies that it is
			// loading.
			Awaitility.await("noticed")
				.untilAsserted(() -> assertThat(this.indicator.health().getDetails().get("store")).asString()
					.contains("this Redis is a read-only replica: check spring.data.redis.host"));
			assertThat(this.indicator.health().getStatus()).isEqualTo(Status.DOWN);

			this.redis.command("REPLICAOF", "NO", "ONE");
			Awaitility.await("recovered").until(() -> this.indicator.health().getStatus().equals(Status.UP));
		}
	}

	@Test
	void redisOutOfMemoryIsReportedAsDown() {
		this.redis.command("CONFIG", "SET", "maxmemory", "1");

		Awaitility.await("noticed").until(() -> this.indicator.health().getStatus().equals(Status.DOWN));
		assertThat(this.indicator.health().getDetails().get("store")).asString().contains("Redis is out of memory");

		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		Awaitility.await("recovered").until(() -> this.indicator.health().getStatus().equals(Status.UP));
	}

	@Test
	void missingSubscriptionIsReportedAsUnknown() {
		this.redis.command("ACL", "SETUSER", "default", "-subscribe");
		this.locks.acquire(LockTarget.of("order:42"), RENEWED);

		// A Redis that has not replied for a moment is unknown, too.
		Awaitility.await("noticed").atMost(Duration.ofSeconds(20)).untilAsserted(() -> {
			Health health = healthAtOnce();
			assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
			assertThat(health.getDetails().get("handOvers")).asString()
				.startsWith("no subscription to channel 'distributed_lock:inbox:");
		});
	}

	@Test
	void startupFindingsAreReportedAsUnknown() {
		Finding finding = new Finding("Redis evicts keys.", "Set something.");
		RedisLockHealthIndicator warned = new RedisLockHealthIndicator(this.locks, () -> List.of(finding), () -> null);

		Health health = warned.health();

		assertThat(health.getStatus()).isEqualTo(Status.UNKNOWN);
		assertThat(health.getDetails()).containsEntry("checks", List.of("Redis evicts keys."));
	}

	/**
	 * Repeat the check, because a busy machine may be late once.
	 */
	private static Health awaitHealthy(RedisLockHealthIndicator indicator) {
		return Awaitility.await("healthy").until(indicator::health, (health) -> health.getStatus().equals(Status.UP));
	}

	/**
	 * Repeat a check that took long. A stalled machine delays one check, but a wait for
	 * Redis delays each of them.
	 */
	private Health healthAtOnce() {
		for (int look = 0; look < 5; look++) {
			long begin = System.nanoTime();
			Health health = this.indicator.health();
			if (Duration.ofNanos(System.nanoTime() - begin).compareTo(AT_ONCE) < 0) {
				return health;
			}
		}
		throw new AssertionError("the indicator waits for Redis");
	}

	private CompletableFuture<Void> another() {
		return CompletableFuture.runAsync(() -> this.locks.acquire(LockTarget.of("order:42"), RENEWED).close(),
				OwnThread::run);
	}

}
