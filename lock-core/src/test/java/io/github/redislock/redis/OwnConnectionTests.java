package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Locks have separate connections to the application's Redis, without the application's
 * command timeout.
 */
@NeedsRedisServer
class OwnConnectionTests {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofSeconds(10));

	@AutoClose
	private final RedisProcess redis = RedisProcess.start();

	@Test
	void oneMinuteTimeoutOfTheApplicationDoesNotApplyToLocks() {
		LettuceConnectionFactory application = this.redis.connectionFactory();
		assertThat(application.getClientConfiguration().getCommandTimeout()).isEqualTo(Duration.ofMinutes(1));
		try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
			locks.acquire(LockTarget.of("job"), PATIENT).close();
			this.redis.freeze();

			long begin = System.nanoTime();
			LockStoreException failure = catchThrowableOfType(LockStoreException.class,
					() -> locks.tryAcquire(LockTarget.of("job")));

			assertThat(failure.isOutcomeUnknown()).isTrue();
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofMillis(1900),
					Duration.ofSeconds(20));
			this.redis.thaw();
		}
	}

	@Test
	void slowCommandOfTheApplicationDoesNotDelayLocks() {
		LettuceConnectionFactory application = this.redis.connectionFactory();
		StringRedisTemplate template = new StringRedisTemplate(application);
		try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
			locks.acquire(LockTarget.of("job"), PATIENT).close();
			CompletableFuture<?> slow = CompletableFuture
				.runAsync(() -> template.opsForList().leftPop("empty", Duration.ofSeconds(20)), OwnThread::run);
			// The application's shared connection is kept busy, too.
			CompletableFuture<?> shared = CompletableFuture.runAsync(
					() -> template.execute(
							(RedisConnection connection) -> connection.execute("WAIT", bytes("1"), bytes("20000"))),
					OwnThread::run);
			Awaitility.await("clients are blocked").until(() -> info("clients").contains("blocked_clients:2"));

			long begin = System.nanoTime();
			locks.acquire(LockTarget.of("job")).close();

			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(10));
			assertThat(slow.isDone() || shared.isDone()).isFalse();
			this.redis.kill();
		}
	}

	@Test
	void clientListShowsTheNameOfTheConnection() {
		try (RedisLockTemplate byDefault = new RedisLockTemplate(this.redis.connectionFactory());
				RedisLockTemplate named = new RedisLockTemplate(
						RedisLockStore.create(this.redis.connectionFactory(),
								RedisLockStoreOptions.defaults().clientName("orders-locks")),
						LockConfiguration.defaults())) {
			byDefault.acquire(LockTarget.of("a"), PATIENT).close();
			named.acquire(LockTarget.of("b"), PATIENT).close();

			assertThat(String.valueOf(this.redis.command("CLIENT", "LIST"))).contains(" name=redis-lock ")
				.contains(" name=orders-locks ");
		}
	}

	@Test
	void threadsSharedByTheApplicationKeepRunningAfterClose() {
		ClientResources resources = DefaultClientResources.create();
		LettuceConnectionFactory application = this.redis.connectionFactory(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", this.redis.port()),
						LettuceClientConfiguration.builder().clientResources(resources).build()));

		for (int round = 0; round < 2; round++) {
			try (RedisLockTemplate locks = new RedisLockTemplate(application)) {
				locks.acquire(LockTarget.of("job"), PATIENT).close();
			}
			try (RedisConnection connection = application.getConnection()) {
				assertThat(connection.ping()).isEqualTo("PONG");
			}
		}

		assertThat(resources.eventExecutorGroup().isShuttingDown()).isFalse();
		application.destroy();
		resources.shutdown(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
	}

	@Test
	void closedTemplateLeavesNoConnection() {
		RedisLockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory());
		locks.acquire(LockTarget.of("job"), PATIENT).close();
		assertThat(String.valueOf(this.redis.command("CLIENT", "LIST"))).contains("name=redis-lock");

		locks.close();

		Awaitility.await()
			.until(() -> !String.valueOf(this.redis.command("CLIENT", "LIST")).contains("name=redis-lock"));
	}

	private String info(String section) {
		return String.valueOf(this.redis.command("INFO", section));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
