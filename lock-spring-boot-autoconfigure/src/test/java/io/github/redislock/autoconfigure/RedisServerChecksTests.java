package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.autoconfigure.RedisServerChecks.Servers;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

@ExtendWith({ RedisServerExtension.class, OutputCaptureExtension.class })
class RedisServerChecksTests {

	private static final String INFO = "--logging.level.io.github.redislock.autoconfigure=info";

	private static final String ADDRESS = TestRedis.shared().host() + ":" + TestRedis.shared().port();

	private static final String PROBLEM = "(maxmemory-policy is 'allkeys-lru'): a lock may vanish while it is held.";

	private static final String REMEDY = "Set 'maxmemory-policy noeviction', or keep locks in a separate Redis.";

	private final CountDownLatch reply = new CountDownLatch(1);

	/** How the check that waits for the reply ended. */
	private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

	@BeforeEach
	void evict() {
		policy("allkeys-lru");
	}

	@AfterEach
	void evictNothing() {
		policy("noeviction");
	}

	@Test
	void problemCausesAWarningByDefault(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start()) {
			Awaitility.await().untilAsserted(() -> assertThat(output).contains(PROBLEM).contains(REMEDY));
			assertThat(context.getBean(RedisLockTemplate.class)).isNotNull();
		}
	}

	@Test
	void problemFailsStartupIfConfigured(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start("--redis-lock.checks=fail"));

		assertThat(output).contains("APPLICATION FAILED TO START")
			.contains(PROBLEM)
			.contains(REMEDY)
			.contains("Or set 'redis-lock.checks=warn' to start anyway.");
	}

	@Test
	void redisDownAtStartupIsCheckedOnceItIsBack(CapturedOutput output) {
		try (RedisProcess redis = RedisProcess.start("maxmemory-policy allkeys-lru")) {
			redis.kill();
			try (ConfigurableApplicationContext context = start("--spring.data.redis.port=" + redis.port(),
					"--logging.level.io.github.redislock.autoconfigure=info",
					"--logging.level.io.github.redislock.autoconfigure.RedisServerCheck=debug")) {
				Awaitility.await()
					.untilAsserted(() -> assertThat(output).contains("Redis could not be reached for the check"));
				redis.restart();

				Awaitility.await().untilAsserted(() -> assertThat(output).contains(PROBLEM));
				assertThat(context.getBean(RedisServerChecks.class).findings()).isNotEmpty();
			}
		}

		assertThat(output).containsOnlyOnce("Redis was not available at startup, but replies now");
	}

	@Test
	void templateOfTheApplicationIsReportedAndItsRedisChecked(CapturedOutput output) {
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(OwnTemplate.class)
			.web(WebApplicationType.NONE)
			.properties("spring.data.redis.port=1", "logging.level.io.github.redislock.autoconfigure=info")
			.run()) {
			Awaitility.await().untilAsserted(() -> assertThat(output).contains(PROBLEM));
			assertThat(output)
				.containsOnlyOnce("Bean 'reportLocks' of the application acquires locks instead of the auto-configured"
						+ " template, in Redis at '" + ADDRESS
						+ ", database 0'. If the bean is meant for some locks only, declare it with"
						+ " @Bean(defaultCandidate = false)");
			assertThat(context.getBean(RedisServerChecks.class).findings()).isNotEmpty();
		}
	}

	@Test
	void configuredTemplateIsNotReported(CapturedOutput output) {
		start(INFO).close();

		assertThat(output).doesNotContain("of the application acquires locks");
	}

	@Test
	void noCheckThreadIsLeftAfterStop() {
		try (ConfigurableApplicationContext context = start()) {
			RedisServerChecks checks = context.getBean(RedisServerChecks.class);

			// The checks that the context started may already be over.
			checks.stop();
			checks.start();
			checks.stop();

			assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
				.doesNotContain("redis-lock-checks");
		}
	}

	@Test
	void noCheckRunsWhenSwitchedOff(CapturedOutput output) {
		start("--redis-lock.checks=off", INFO).close();

		assertThat(output).doesNotContain("maxmemory")
			.containsOnlyOnce(
					"Locks are kept in Redis at %s, database 0, below 'distributed_lock:'".formatted(ADDRESS));
	}

	@Test
	void redisIsNamedOnceAtStartupAndInInfo(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start(INFO, "--spring.data.redis.database=3",
				"--redis-lock.key-prefix=shop:")) {
			Awaitility.await().untilAsserted(() -> assertThat(output).contains("Locks are kept in "));

			assertThat(output.toString().lines().filter((line) -> line.contains("Locks are kept in "))).singleElement()
				.asString()
				.containsPattern(
						"Locks are kept in (Redis|Valkey) [\\d.]+ at %s, database 3, below 'shop:'".formatted(ADDRESS));
			assertThat(context.getBean(RedisServerChecks.class).place())
				.matches("(Redis|Valkey) [\\d.]+ at %s, database 3, below 'shop:'".formatted(ADDRESS));
		}
	}

	@Test
	void redisThatCannotBeReachedIsNamedWithoutItsPassword(CapturedOutput output) {
		try (ConfigurableApplicationContext context = start("--spring.data.redis.host=",
				"--spring.data.redis.url=rediss://guest:hush@127.0.0.1:1/3")) {
			String place = "127.0.0.1:1, database 3, user 'guest', TLS";
			Awaitility.await()
				.untilAsserted(
						() -> assertThat(output).contains("Cannot acquire locks from Redis at '" + place + "' yet: "));
			assertThat(context.getBean(RedisServerChecks.class).place())
				.isEqualTo("Redis at " + place + ", below 'distributed_lock:'");
		}
		assertThat(output).doesNotContain("hush");
	}

	@Test
	void noCheckRunsForLocksInMemory(CapturedOutput output) {
		start("--redis-lock.store=in-memory", "--redis-lock.checks=fail").close();

		assertThat(output).doesNotContain("maxmemory");
	}

	@Test
	void unreachableRedisDoesNotFailStartup(CapturedOutput output) {
		start("--spring.data.redis.port=1", "--redis-lock.checks=fail").close();
		start("--spring.data.redis.port=1").close();

		assertThat(output).doesNotContain("maxmemory").doesNotContain("FAILED TO START");
	}

	@Test
	void checkBeginsAfterTheConnectionFactory() {
		try (ConfigurableApplicationContext context = start()) {
			assertThat(context.getBean(RedisServerChecks.class).getPhase())
				.isGreaterThan(context.getBean(LettuceConnectionFactory.class).getPhase());
		}
	}

	@Test
	void checkPausesWhileRedisIsNotAvailable() {
		AtomicReference<Thread> checking = new AtomicReference<>();
		RedisServerChecks checks = checks("warn", () -> {
			checking.set(Thread.currentThread());
			return null;
		});
		checks.start();

		Awaitility.await()
			.until(() -> checking.get() != null && checking.get().getState() == Thread.State.TIMED_WAITING);

		checks.stop();
		assertThat(checking.get().isAlive()).isFalse();
	}

	@Test
	void checkMayEndBeforeItIsInterrupted() throws InterruptedException {
		RedisServerChecks checks = checks("warn", this::awaitReply);
		checks.start();
		Thread stop = OwnThread.start(checks::stop);
		Awaitility.await().until(() -> stop.getState() == Thread.State.TIMED_WAITING || this.interrupted.isDone());

		this.reply.countDown();

		assertThat(this.interrupted.join()).isFalse();
		stop.join();
	}

	@Test
	void interruptOfTheCallerIsKept() {
		RedisServerChecks checks = checks("fail", this::awaitReply);

		Thread.currentThread().interrupt();
		checks.start();
		assertThat(Thread.interrupted()).as("after start").isTrue();

		Thread.currentThread().interrupt();
		checks.stop();
		assertThat(Thread.interrupted()).as("after stop").isTrue();
		assertThat(this.interrupted).as("the check").succeedsWithin(Duration.ofSeconds(20)).isEqualTo(true);
	}

	private static RedisServerChecks checks(String mode, Supplier<@Nullable List<Finding>> check) {
		RedisLockProperties properties = new Binder(
				new MapConfigurationPropertySource(Map.of("redis-lock.checks", mode)))
			.bindOrCreate("redis-lock", RedisLockProperties.class);
		return new RedisServerChecks(properties, () -> new Servers("redis:6379", Set.of(), check));
	}

	private List<Finding> awaitReply() {
		try {
			this.reply.await();
			this.interrupted.complete(false);
		}
		catch (InterruptedException ex) {
			this.interrupted.complete(true);
		}
		return List.of();
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
			.properties("spring.data.redis.host=" + TestRedis.shared().host(),
					"spring.data.redis.port=" + TestRedis.shared().port())
			.run(arguments);
	}

	private static void policy(String policy) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			connection.serverCommands().setConfig("maxmemory-policy", policy);
		}
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
			RedisLockAutoConfiguration.class })
	static class Application {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
			RedisLockAutoConfiguration.class, LeadershipAutoConfiguration.class })
	static class OwnTemplate {

		@Bean(defaultCandidate = false)
		RedisConnectionFactory reportRedis() {
			return new LettuceConnectionFactory(TestRedis.shared().host(), TestRedis.shared().port());
		}

		@Bean
		RedisLockTemplate reportLocks(@Qualifier("reportRedis") RedisConnectionFactory connectionFactory) {
			return new RedisLockTemplate(connectionFactory);
		}

	}

}
