package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class RedisLockAutoConfigurationTests {

	private static final TestRedis redis = TestRedis.shared();

	private final ApplicationContextRunner withoutRedis = new ApplicationContextRunner().withConfiguration(
			AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
					DistributedLockAutoConfiguration.class, RedisLockDisabledAutoConfiguration.class));

	private final ApplicationContextRunner withRedis = this.withoutRedis
		.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.host=" + redis.host(), "spring.data.redis.port=" + redis.port());

	private final ApplicationContextRunner inMemoryWithoutTime = this.withoutRedis
		.withPropertyValues("redis-lock.store=in-memory")
		.withBean(LockTimer.class, ManualLockTimer::new);

	@Test
	void templateKeepsLocksInTheRedisOfTheApplication() {
		this.withRedis.run((context) -> {
			assertThat(context).hasSingleBean(RedisLockTemplate.class).hasSingleBean(RedisLockStore.class);
			StringRedisTemplate keys = context.getBean(StringRedisTemplate.class);

			try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("auto"))) {
				assertThat(keys.opsForValue().get("distributed_lock:auto")).startsWith(lock.owner() + "\t");
			}
			assertThat(keys.hasKey("distributed_lock:auto")).isFalse();
		});
	}

	@Test
	void propertiesAreApplied() {
		this.withRedis
			.withPropertyValues("redis-lock.key-prefix=shop:", "redis-lock.timeout=7s", "redis-lock.retry=0",
					"redis-lock.instance-id=shop-1")
			.run((context) -> {
				StringRedisTemplate keys = context.getBean(StringRedisTemplate.class);

				try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("auto"))) {
					assertThat(keys.opsForValue().get("shop:auto")).startsWith(lock.owner() + "\t")
						.startsWith("shop-1/");
					assertThat(lock.remaining()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(7));
				}
			});
	}

	@Test
	void propertiesBecomeOptions() {
		this.withoutRedis
			.withPropertyValues("redis-lock.store=in-memory", "redis-lock.timeout=5s", "redis-lock.retry=7",
					"redis-lock.retry-delay=20ms", "redis-lock.wait-time=0s", "redis-lock.max-waiters=9",
					"redis-lock.renew-every=2s")
			.run((context) -> assertThat(context.getBean(RedisLockProperties.class).options())
				.hasToString(LockOptions.options()
					.timeout(Duration.ofSeconds(5))
					.retry(7)
					.retryDelay(Duration.ofMillis(20))
					.waitTime(Duration.ZERO)
					.maxWaiters(9)
					.renewEvery(Duration.ofSeconds(2))
					.toString()));
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			redis-lock.store=in-memory,  PT30S, 1
			redis-lock.renew-every=2s,   PT30S, 5
			redis-lock.renew-every=10s,  PT6S,  5
			""")
	void renewEverySetsTheIntervalUnlessTheLeaseIsTooShort(String property, Duration lease, int renewals) {
		AtomicInteger renewed = new AtomicInteger();
		LockListener listener = new LockListener() {

			@Override
			public void renewed(HeldLock lock) {
				renewed.incrementAndGet();
			}

		};
		this.inMemoryWithoutTime.withPropertyValues(property)
			.withBean(LockListener.class, () -> listener)
			.run((context) -> {
				LockOptions options = LockOptions.options().timeout(lease);
				try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("a"), options)) {
					((ManualLockTimer) context.getBean(LockTimer.class)).advance(Duration.ofSeconds(10));
					assertThat(lock.isHeld()).isTrue();
				}
				assertThat(renewed).hasValue(renewals);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "forever", " Forever ", "${some.time}" })
	void waitTimeMayBeForever(String waitTime) {
		this.withoutRedis
			.withPropertyValues("redis-lock.store=in-memory", "redis-lock.wait-time=" + waitTime, "some.time=forever")
			.run((context) -> assertThat(context).getBean(RedisLockProperties.class)
				.extracting(RedisLockProperties::waitTime)
				.isEqualTo(ChronoUnit.FOREVER.getDuration()));
	}

	@Test
	void propertyDefaultsMatchTheBuiltInOptions() {
		LockOptions builtIn = LockOptions.defaults();

		assertThat(properties(Map.of()).options().orElse(builtIn)).hasToString(builtIn.toString());
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			redis-lock.store=in-memory,      1
			redis-lock.hand-over.slice=1ms,  1
			redis-lock.hand-over.slice=0ms,  33
			""")
	void sliceLimitsHowLongALockPassesBetweenThreads(String property, long tokens) {
		this.inMemoryWithoutTime.withPropertyValues(property).run((context) -> {
			RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);
			LockHandle first = locks.acquire(LockTarget.of("a"));
			CompletableFuture<LockHandle> second = new CompletableFuture<>();
			Thread waiter = new Thread(() -> second.complete(locks.acquire(LockTarget.of("a"))));
			waiter.start();
			Awaitility.await()
				.until(() -> !locks.local().waiting().isEmpty() && waiter.getState() == Thread.State.WAITING);

			first.release();

			// A grant of the store begins with a new block of tokens.
			LockHandle next = second.join();
			assertThat(next.fencingToken() - first.fencingToken()).isEqualTo(tokens);
			next.release();
		});
	}

	@Test
	void applicationStartsWhileRedisIsDown() {
		this.withRedis.withPropertyValues("spring.data.redis.port=1", "redis-lock.retry=0").run((context) -> {
			assertThat(context).hasNotFailed();
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("away")));
		});
	}

	@Test
	void urlIsApplied() {
		execute("ACL", "SETUSER", "locker", "on", ">secret", "~*", "&*", "+@all");
		this.withoutRedis.withConfiguration(AutoConfigurations.of(DataRedisAutoConfiguration.class))
			.withPropertyValues(
					"spring.data.redis.url=redis://locker:secret@%s:%d/3".formatted(redis.host(), redis.port()))
			.run((context) -> {
				StringRedisTemplate keys = context.getBean(StringRedisTemplate.class);

				try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("url"))) {
					assertThat(keys.opsForValue().get("distributed_lock:url")).startsWith(lock.owner() + "\t");
				}
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "in-memory", "IN_MEMORY", "inMemory" })
	void inMemoryNeedsNoConnectionFactory(String store) {
		this.withoutRedis.withPropertyValues("redis-lock.store=" + store).run((context) -> {
			assertThat(context).hasSingleBean(InMemoryLockStore.class);
			assertThat(context.getBean(RedisLockTemplate.class).<String, RuntimeException>execute("a", () -> "done"))
				.isEqualTo("done");
		});
	}

	@Test
	void inMemoryIsReportedAtStartup(CapturedOutput output) {
		this.withoutRedis.withPropertyValues("redis-lock.store=in-memory").run((context) -> {
			assertThat(output)
				.containsOnlyOnce("Locks are kept only in the memory of this process, because of"
						+ " 'redis-lock.store=in-memory'")
				.contains("**  LOCKS IN MEMORY: other instances do not see them. For tests, or one instance.  **");
			assertThat(output.toString().lines().filter((line) -> line.startsWith("**")).map(String::length))
				.as("a frame around the text")
				.containsExactly(85, 85, 85);
		});
	}

	@Test
	void inMemoryNeedsNoRedisClasses() {
		this.withoutRedis.withPropertyValues("redis-lock.store=in-memory")
			.withClassLoader(new FilteredClassLoader("org.springframework.data.redis", "io.lettuce",
					"org.springframework.boot.data.redis"))
			.run((context) -> {
				assertThat(context).hasSingleBean(InMemoryLockStore.class);
				assertThat(context).hasSingleBean(LockOperations.class);
			});
	}

	@Test
	void missingRedisClassesFailStartup() {
		this.withoutRedis.withClassLoader(new FilteredClassLoader("org.springframework.data.redis"))
			.run((context) -> assertThat(context).hasFailed()
				.getFailure()
				.rootCause()
				.hasMessageContaining("Spring Data Redis is not on the class path"));
	}

	@Test
	void storeOfTheApplicationTakesPrecedence() {
		this.withRedis.withBean("mine", LockStore.class, InMemoryLockStore::new).run((context) -> {
			assertThat(context).hasSingleBean(LockStore.class).hasSingleBean(RedisLockTemplate.class);

			try (LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("mine"))) {
				assertThat(context.getBean(LockStore.class).inspect(LockTarget.of("mine")).toCompletableFuture().join())
					.isPresent();
			}
		});
	}

	@Test
	void templateOfTheApplicationTakesPrecedence() {
		this.withoutRedis.withUserConfiguration(UserTemplate.class).run((context) -> {
			assertThat(context).hasSingleBean(RedisLockTemplate.class).hasBean("mine").doesNotHaveBean(LockStore.class);
		});
	}

	@Test
	void operationsOfTheApplicationReplaceTheTemplateAndLockMethods() {
		this.withoutRedis.withUserConfiguration(UserOperations.class).withBean(Work.class).run((context) -> {
			assertThat(context).hasSingleBean(LockOperations.class).doesNotHaveBean("redisLockTemplate");
			context.getBean(Work.class).run();
			assertThat(context.getBean(UserOperations.class).acquired).containsExactly(Work.class.getName() + ".run");
		});
	}

	@Test
	void listenersAndTimerOfTheApplicationAreUsed() {
		ManualLockTimer timer = new ManualLockTimer();
		List<String> acquired = new CopyOnWriteArrayList<>();
		this.withoutRedis.withPropertyValues("redis-lock.store=in-memory")
			.withBean(LockTimer.class, () -> timer)
			.withBean(LockListener.class, () -> recordingTo(acquired))
			.run((context) -> {
				LockHandle lock = context.getBean(RedisLockTemplate.class)
					.acquire(LockTarget.of("a"), LockOptions.options().timeout(Duration.ofSeconds(5)).autoRenew(false));

				timer.advance(Duration.ofSeconds(6));

				assertThat(acquired).containsExactly("a");
				assertThat(lock.isHeld()).isFalse();
			});
	}

	@Test
	void connectionFactoryCanBeChosenByName() {
		this.withoutRedis.withUserConfiguration(TwoFactories.class)
			.withPropertyValues("redis-lock.connection-factory=second")
			.run((context) -> {
				context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("chosen")).close();

				assertThat(context.getBeanFactory().getDependentBeans("second")).contains("redisLockStore");
			});
	}

	@Test
	void primaryConnectionFactoryIsUsed() {
		this.withoutRedis.withUserConfiguration(TwoFactories.class, PrimaryFactory.class)
			.run((context) -> assertThat(context.getBeanFactory().getDependentBeans("preferred"))
				.contains("redisLockStore"));
	}

	@Test
	void locksAreReleasedBeforeConnectionsAreStopped() {
		this.withRedis.run((context) -> {
			context.getBean(RedisLockTemplate.class)
				.acquire(LockTarget.of("left-behind"), LockOptions.options().timeout(Duration.ofMinutes(1)));
			assertThat(exists("distributed_lock:left-behind")).isTrue();

			context.close();

			assertThat(exists("distributed_lock:left-behind")).isFalse();
		});
	}

	@Test
	void lifecyclesStartAfterTheConnectionsAndStopBeforeThem() {
		List<Boolean> left = new CopyOnWriteArrayList<>();
		LettuceConnectionFactory connections = new LettuceConnectionFactory(redis.host(), redis.port()) {

			@Override
			public void stop() {
				left.add(exists("distributed_lock:left-behind"));
				super.stop();
			}

		};
		this.withoutRedis.withBean(RedisConnectionFactory.class, () -> connections).run((context) -> {
			context.getBean(RedisLockTemplate.class)
				.acquire(LockTarget.of("left-behind"), LockOptions.options().timeout(Duration.ofMinutes(1)));

			assertThat(context.getBean(RedisLockTemplateLifecycle.class).getPhase())
				.isGreaterThan(connections.getPhase());
			assertThat(context.getBean(RedisServerChecks.class).getPhase()).isGreaterThan(connections.getPhase());
		});
		assertThat(left).startsWith(false);
	}

	@Test
	void templateKeepsWorkingAfterStopAndStart() {
		this.withRedis.run((context) -> {
			context.getSourceApplicationContext().stop();
			context.getSourceApplicationContext().start();

			LockHandle lock = context.getBean(RedisLockTemplate.class).acquire(LockTarget.of("again"));

			assertThat(exists("distributed_lock:again")).isTrue();
			lock.close();
			assertThat(exists("distributed_lock:again")).isFalse();
		});
	}

	@Test
	void templateIsAbsentIfLocksAreDisabled() {
		this.withRedis.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(LockOperations.class)
				.doesNotHaveBean(LockStore.class)
				.doesNotHaveBean(RedisLockProperties.class));
	}

	@Test
	void quarantineOfAQuorumCoversTheLeaseAndItsGraceByDefault() {
		Map<String, String> set = new HashMap<>();
		assertThat(properties(set).quarantine()).as("one server").isZero();

		set.put("redis-lock.quorum.nodes", "redis://a");
		assertThat(properties(set).quarantine()).as("a quorum").isEqualTo(Duration.ofMillis(31_500));
		set.put("redis-lock.grace", "10s");
		assertThat(properties(set).quarantine()).isEqualTo(Duration.ofSeconds(40));
		set.put("redis-lock.cold-start-quarantine", "5m");
		assertThat(properties(set).quarantine()).isEqualTo(Duration.ofMinutes(5));
		set.put("redis-lock.cold-start-quarantine", "0s");
		assertThat(properties(set).quarantine()).isZero();
	}

	@Test
	void nodeTimeoutReplacesTheCommandTimeoutInAQuorum() {
		Map<String, String> set = new HashMap<>(
				Map.of("redis-lock.command-timeout", "3s", "redis-lock.quorum.node-timeout", "4s"));
		assertThat(RedisStoreFactory.options(properties(set)).commandTimeout()).hasSeconds(3);

		set.put("redis-lock.quorum.nodes", "redis://a");
		assertThat(RedisStoreFactory.options(properties(set)).commandTimeout()).hasSeconds(4);
	}

	private static RedisLockProperties properties(Map<String, String> set) {
		return new Binder(new MapConfigurationPropertySource(set)).bindOrCreate("redis-lock",
				RedisLockProperties.class);
	}

	private static LockListener recordingTo(List<String> acquired) {
		return new LockListener() {

			@Override
			public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
				acquired.add(lock.name());
			}

		};
	}

	private static boolean exists(String key) {
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			return Boolean.TRUE.equals(connection.keyCommands().exists(key.getBytes()));
		}
	}

	private static void execute(String command, String... arguments) {
		byte[][] bytes = Arrays.stream(arguments).map(String::getBytes).toArray(byte[][]::new);
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			connection.execute(command, bytes);
		}
	}

	private static LettuceConnectionFactory newConnectionFactory() {
		return new LettuceConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port()));
	}

	@Configuration(proxyBeanMethods = false)
	static class TwoFactories {

		@Bean
		RedisConnectionFactory first() {
			return newConnectionFactory();
		}

		@Bean
		RedisConnectionFactory second() {
			return newConnectionFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class PrimaryFactory {

		@Bean
		@Primary
		RedisConnectionFactory preferred() {
			return newConnectionFactory();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UserTemplate {

		@Bean
		RedisLockTemplate mine() {
			return new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UserOperations {

		private final List<String> acquired = new CopyOnWriteArrayList<>();

		@Bean
		RedisLockTemplate mine() {
			return new RedisLockTemplate(new InMemoryLockStore(),
					LockConfiguration.defaults().listeners(List.of(recordingTo(this.acquired))));
		}

	}

	static class Work {

		@DistributedLock
		void run() {
		}

	}

}
