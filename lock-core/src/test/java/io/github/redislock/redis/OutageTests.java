package io.github.redislock.redis;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.LimitedScriptRunner;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.SocketOptions;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Redis is down or does not reply, and comes back.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-6")
@Tag("promise-7")
class OutageTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(2);

	/** For a busy machine; a client with default options waits for a minute. */
	private static final Duration MARGIN = Duration.ofSeconds(10);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private RedisProcess redis;

	@BeforeEach
	void start() {
		this.redis = RedisProcess.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	/** Without a request, an operator would learn nothing of the outage. */
	@Test
	void outageIsLoggedOnceWhenItBeginsAndOnceWhenItEnds() {
		try (RedisLockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory());
				LogRecorder log = LogRecorder.debugOf("io.github.redislock.internal.client.LockConnectionFactory")) {
			acquireSoon(locks, "job").close();
			String redis = "The connection to Redis at '[^']*127.0.0.1:%d' ".formatted(this.redis.port());

			this.redis.kill();
			Awaitility.await("begun").atMost(MARGIN).until(() -> !log.lines().isEmpty());
			this.redis.restart();
			Awaitility.await("ended").atMost(MARGIN).until(() -> log.lines().size() > 1);

			assertThat(log.lines()).satisfiesExactly(
					(begun) -> assertThat(begun).matches("WARN " + redis + "was lost a second ago and is not back"),
					(ended) -> assertThat(ended).matches("INFO " + redis + "is back"));
			locks.close();
			Awaitility.await("more than a second").pollDelay(Duration.ofMillis(1_500)).until(() -> true);
			assertThat(log.lines()).hasSize(2);
		}
	}

	@ParameterizedTest
	@MethodSource("routes")
	void callsFailInTimeWhileRedisIsDownAndAWaiterGetsTheLockWhenItIsBack(Route route) {
		try (RedisLockTemplate locks = locks(route)) {
			acquireSoon(locks, "job").close();
			this.redis.kill();

			assertFailsWithin(COMMAND_TIMEOUT, () -> locks.tryAcquire(JOB, ONCE));
			Duration wait = Duration.ofMillis(700);
			assertFailsWithin(wait.plus(COMMAND_TIMEOUT), () -> locks.acquire(JOB, ONCE.waitTime(wait)));
			assertFailsWithin(COMMAND_TIMEOUT, () -> locks.inspect(JOB));
			assertFailsWithin(COMMAND_TIMEOUT, () -> locks.forceRelease(JOB));

			CompletableFuture<Void> waiter = CompletableFuture.runAsync(
					() -> locks.acquire(JOB, LockOptions.options().waitTime(Duration.ofSeconds(30))).close(),
					OwnThread::run);
			Awaitility.await("outage").pollDelay(Duration.ofSeconds(1)).until(() -> !waiter.isDone());

			this.redis.restart();

			// Another client takes its own time to reconnect.
			assertThat(waiter).succeedsWithin((route == Route.OWN_CONNECTION) ? MARGIN : Duration.ofSeconds(30));
			assertThat(locks.inspect(JOB)).isEmpty();
		}
	}

	@Test
	void manyRequestsDuringAnOutageDoNotUseAThreadEach() {
		this.redis.kill();
		ThreadMXBean threads = ManagementFactory.getThreadMXBean();
		try (LockStore store = RedisLockStore.create(this.redis.connectionFactory(),
				RedisLockStoreOptions.defaults())) {
			LockTarget job = JOB;
			Awaitility.await("refused at once")
				.pollInterval(Duration.ofMillis(10))
				.until(() -> store.inspect(job).toCompletableFuture().isCompletedExceptionally());
			long before = threads.getTotalStartedThreadCount();
			long begin = System.nanoTime();

			for (int request = 0; request < 2_000; request++) {
				assertThat(store.inspect(job).handle((holder, failure) -> failure).toCompletableFuture().join())
					.isNotNull();
			}

			long pauses = Duration.ofNanos(System.nanoTime() - begin).toMillis() / 50;
			assertThat(threads.getTotalStartedThreadCount() - before).isLessThan(pauses + 500);
		}
	}

	/**
	 * The leases are so long that no other renewal is due during the test.
	 */
	@ParameterizedTest
	@EnumSource(Holding.class)
	@Tag("promise-2")
	void holdersLearnAtOnceThatRedisIsBackWithoutTheirLocks(Holding holding) {
		LockOptions lease = LockOptions.options().timeout(Duration.ofMinutes(10));
		try (RedisLockTemplate locks = new RedisLockTemplate(holding.over(this.redis));
				RedisLockTemplate other = locks(Route.FOREIGN_FACTORY)) {
			List<LockHandle> held = List.of(locks.acquire(JOB, lease),
					locks.acquire(LockTarget.of("unrenewed"), lease.autoRenew(false)),
					locks.acquire(LockTarget.of("endless"), LockOptions.options().neverExpires()),
					locks.acquire(LockTarget.of("read").forReading(), lease));
			// Only a caller that waits makes an instance with Jedis subscribe.
			LockTarget awaited = LockTarget.of("awaited");
			other.acquire(awaited, lease);
			CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(
					() -> locks.acquire(awaited, LockOptions.options().waitTime(Duration.ofMinutes(1))),
					OwnThread::run);
			Awaitility.await("subscribed")
				.atMost(MARGIN)
				.until(() -> String.valueOf(this.redis.command("PUBSUB", "NUMSUB", "distributed_lock:inbox:all"))
					.contains(" 1]"));

			this.redis.kill();
			this.redis.restart();

			Awaitility.await("losses")
				.atMost(MARGIN.multipliedBy(2))
				.untilAsserted(() -> assertThat(held).noneMatch(LockHandle::isHeld));
			waiter.orTimeout(MARGIN.toSeconds(), TimeUnit.SECONDS).join().close();
		}
	}

	@ParameterizedTest
	@MethodSource("routes")
	void callsFailInTimeWhileRedisIsFrozenAndLeaveNothingBehind(Route route) {
		try (RedisLockTemplate locks = locks(route)) {
			acquireSoon(locks, "job").close();
			this.redis.freeze();

			for (int call = 0; call < 2; call++) {
				assertFailsWithin(COMMAND_TIMEOUT, () -> locks.tryAcquire(JOB, ONCE));
			}

			this.redis.thaw();
			Awaitility.await("nothing stays")
				.atMost(MARGIN)
				.until(() -> this.redis.command("GET", FaultyNetwork.key("job")) == null);
			acquireSoon(locks, "job").close();
		}
	}

	@ParameterizedTest
	@MethodSource("routes")
	void callsFailInTimeIfRedisIsFrozenAtStartup(Route route) {
		this.redis.freeze();
		Duration toConnect = Duration.ofSeconds(3);
		SocketOptions socket = SocketOptions.builder().connectTimeout(toConnect).build();
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientOptions(ClientOptions.builder().socketOptions(socket).build())
			.build();
		LettuceConnectionFactory application = this.redis.connectionFactory(
				new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", this.redis.port()), client));

		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(application))) {
			assertFailsWithin(toConnect, () -> locks.tryAcquire(JOB, ONCE));

			this.redis.thaw();
			acquireSoon(locks, "job").close();
			Awaitility.await("nothing stays")
				.atMost(MARGIN)
				.until(() -> this.redis.command("GET", FaultyNetwork.key("job")) == null);
		}
	}

	@Test
	void firstConnectionMayTakeLongerThanTheCommandTimeout() {
		this.redis.freeze();
		try (RedisLockTemplate locks = locks(Route.OWN_CONNECTION)) {
			CompletableFuture<LockHandle> first = CompletableFuture.supplyAsync(() -> locks.acquire(JOB, ONCE),
					OwnThread::run);
			Awaitility.await("command timeout is over")
				.pollDelay(COMMAND_TIMEOUT.plusMillis(500))
				.until(() -> !first.isDone());

			this.redis.thaw();

			first.orTimeout(MARGIN.toSeconds(), TimeUnit.SECONDS).join().close();
		}
	}

	@Test
	void callersFailInTimeIfTheFirstConnectionIsNotReady() {
		this.redis.freeze();
		RedisLockStoreOptions impatient = RedisLockStoreOptions.defaults().commandTimeout(Duration.ofMillis(400));
		LockOptions options = LockOptions.options().waitTime(Duration.ofMillis(500));
		try (RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(this.redis.connectionFactory(), impatient), LockConfiguration.defaults())) {
			long begin = System.nanoTime();

			List<LockStoreException> failures = IntStream.range(0, LimitedScriptRunner.MOST_UNDER_WAY + 100)
				.mapToObj((number) -> locks.async().acquire(LockTarget.of("job-" + number), options))
				.toList()
				.stream()
				.map(OutageTests::failure)
				.toList();

			// Connecting may take 10 s.
			assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(8));
			assertThat(failures).noneMatch(LockStoreException::isOutcomeUnknown);
			assertThat(failures).extracting(LockStoreException::getMessage)
				.allMatch(
						(message) -> message.contains("not sent within ") || message.contains("was not ready within "));
			this.redis.thaw();
			acquireSoon(locks, "job").close();
			assertThat(this.redis.command("KEYS", "*job-*")).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT30S", "PT1S" })
	void silentlyDeadConnectionIsReplaced(Duration lease) {
		try (FaultyNetwork network = new FaultyNetwork(Route.OWN_CONNECTION, Duration.ofMillis(500))) {
			// As if a firewall had dropped the connection: it never gets a reply or a
			// reset. New connections work.
			network.proxy.holdRequests();
			network.proxy.holdReplies();

			// With a short lease, the wait for a reply ends before the command does. The
			// lease may be over before the release.
			network.locks.acquire(JOB, LockOptions.options().timeout(lease).waitTime(MARGIN)).release();

			network.awaitFree("job", MARGIN);
		}
	}

	@Test
	void hangingRequestsThroughAWrappedConnectionFactoryDoNotDelayLaterOnes() {
		try (FaultyNetwork network = new FaultyNetwork(Route.OWN_CONNECTION, COMMAND_TIMEOUT)) {
			AtomicReference<LettuceConnectionFactory> node = new AtomicReference<>(
					network.redis.connectionFactory(network.proxy.port()));
			RedisConnectionFactory failover = new ForeignConnectionFactory(node::get);
			try (RedisLockTemplate locks = new RedisLockTemplate(
					RedisLockStore.create(failover,
							RedisLockStoreOptions.defaults().commandTimeout(Duration.ofMillis(300))),
					LockConfiguration.defaults())) {
				acquireSoon(locks, "job").close();
				network.proxy.holdRequests();
				for (int call = 0; call < 5; call++) {
					assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.tryAcquire(JOB, ONCE));
				}

				node.set(network.redis.connectionFactory());

				acquireSoon(locks, "job").close();
			}
		}
	}

	static Stream<Route> routes() {
		return Effort.cases(Route.values());
	}

	private RedisLockTemplate locks(Route route) {
		return new RedisLockTemplate(route.over(this.redis.connectionFactory()));
	}

	/**
	 * Redis is back, but the client may take a moment to reconnect.
	 */
	private static LockHandle acquireSoon(RedisLockTemplate locks, String name) {
		return locks.acquire(LockTarget.of(name), LockOptions.options().waitTime(MARGIN));
	}

	private static LockStoreException failure(CompletableFuture<?> call) {
		Throwable failure = call.handle((lock, thrown) -> thrown).join();
		return (LockStoreException) ((failure instanceof CompletionException) ? failure.getCause() : failure);
	}

	private static void assertFailsWithin(Duration bound, ThrowingCallable call) {
		long begin = System.nanoTime();
		LockStoreException failure = catchThrowableOfType(LockStoreException.class, call);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(bound.plus(MARGIN));
		assertThat(failure.isRetryable()).isTrue();
		assertThat(failure.getMessage())
			.containsAnyOf("is down, reconnecting", "cannot connect to Redis (", "did not reply within 2s",
					"was not ready within ", "broke")
			.contains("'job'")
			.doesNotContain("null");
	}

	/**
	 * The clients with which an instance holds locks.
	 */
	enum Holding {

		LETTUCE, JEDIS;

		RedisConnectionFactory over(RedisProcess redis) {
			return switch (this) {
				case LETTUCE -> redis.connectionFactory();
				case JEDIS -> JedisClients.connectTo(new RedisStandaloneConfiguration("127.0.0.1", redis.port()), 8);
			};
		}

	}

}
