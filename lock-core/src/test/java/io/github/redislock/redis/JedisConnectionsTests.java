package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

/**
 * Applications with Jedis, whose connections are few, block, and break while idle.
 */
@NeedsRedisServer
@Tag("fault")
class JedisConnectionsTests {

	private static final LockOptions PATIENT = Instances.PATIENT;

	private final Instances instances = new Instances();

	private final List<JedisConnectionFactory> applications = new ArrayList<>();

	@AfterEach
	void close() {
		this.instances.close();
		this.applications.forEach(JedisConnectionFactory::destroy);
	}

	/**
	 * The application may use all of its connections while it waits for a lock.
	 */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2 })
	void locksDoNotUseTheApplicationsConnections(int connections) {
		JedisConnectionFactory application = application(connections);
		List<RedisConnection> inUse = new ArrayList<>();
		for (int number = 0; number < connections; number++) {
			inUse.add(application.getConnection());
		}
		List<RedisLockTemplate> templates = List.of(this.instances.start(application),
				this.instances.start(application(1)));

		assertThat(contend(templates, 20, 5)).isEqualTo(200);

		inUse.forEach(RedisConnection::close);
	}

	/**
	 * The number of connections behind a wrapper is unknown. If the subscription kept the
	 * only one, no lock could be acquired any more.
	 */
	@Test
	void subscriptionDoesNotKeepTheOnlyConnectionOfAWrapper() {
		JedisConnectionFactory application = application(1);
		try (LogRecorder log = LogRecorder.warningsOf(Inbox.class.getName())) {
			RedisLockTemplate holder = this.instances.start();
			// The first lock already starts the subscription.
			RedisLockTemplate waiter = this.instances.start(new ForeignConnectionFactory(() -> application));
			LockHandle lock = holder.acquire(LockTarget.of("job"), PATIENT);
			CompletableFuture<Served> served = this.instances.queue(waiter, "job", PATIENT);
			Instances.await("subscription has given up").until(() -> log.text().contains("No subscription to channel"));

			lock.close();

			Instances.get(served).lock().close();
			waiter.acquire(LockTarget.of("other"), PATIENT).close();
		}
	}

	@Test
	void twoConnectionsOfAWrapperAreEnough() {
		JedisConnectionFactory application = application(2);
		JedisConnectionFactory other = application(2);

		assertThat(contend(List.of(this.instances.start(new ForeignConnectionFactory(() -> application)),
				this.instances.start(new ForeignConnectionFactory(() -> other))), 10, 5))
			.isEqualTo(100);
	}

	@Test
	void firstCallAfterARedisRestartIsServed() {
		RedisLockTemplate locks = this.instances.start(application(8));
		contend(List.of(locks), 16, 5);
		this.instances.redis.kill();
		this.instances.redis.restart();

		LockHandle lock = locks.tryAcquire(LockTarget.of("job"));

		assertThat(lock).as("with connections that had broken").isNotNull();
		assertThat(lock.verify()).isTrue();
		lock.close();
	}

	/**
	 * A thread that reads from a socket cannot be interrupted. With the application's
	 * timeout of a minute, all threads for locks would be busy.
	 */
	@Test
	void unresponsiveRedisDoesNotBlockCallersForTheTimeoutOfTheApplication() {
		JedisConnectionFactory application = started(new JedisConnectionFactory(address(),
				JedisClientConfiguration.builder().readTimeout(Duration.ofMinutes(1)).build()));
		application.afterPropertiesSet();
		RedisLockTemplate locks = this.instances.start(application);
		this.instances.redis.freeze();

		long begin = System.nanoTime();
		for (int call = 0; call < 3; call++) {
			LockStoreException failure = catchThrowableOfType(LockStoreException.class,
					() -> locks.tryAcquire(LockTarget.of("job")));
			// Nothing was sent if a new connection was needed.
			assertThat(failure.isOutcomeUnknown() || failure.getMessage().contains("cannot connect to Redis")).isTrue();
		}

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
		this.instances.redis.thaw();
		locks.acquire(LockTarget.of("job"), PATIENT).close();
	}

	/**
	 * A connection that has written nothing would report all replicas as up to date.
	 */
	@Test
	void lockMissingOnTheReplicaIsNotGranted() {
		try (RedisProcess replica = RedisProcess.start("replicaof 127.0.0.1 " + this.instances.redis.port());
				RedisLockTemplate locks = template(application(8), 1)) {
			Instances.await("replica")
				.until(() -> String.valueOf(this.instances.redis.command("INFO", "replication"))
					.contains("state=online"));
			contend(List.of(locks), 16, 3);
			replica.freeze();

			List<CompletableFuture<Served>> attempts = new ArrayList<>();
			for (int number = 0; number < 16; number++) {
				attempts.add(this.instances.acquire(locks, "job:" + number, LockOptions.options().retry(0)));
			}

			assertThat(attempts).allSatisfy((attempt) -> assertThat(attempt).failsWithin(Instances.PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(LockStoreException.class));
			replica.thaw();
		}
	}

	@Test
	void replicaAcknowledgementsAreRejectedBehindAWrapper() {
		JedisConnectionFactory application = application(8);
		try (RedisLockTemplate locks = template(new ForeignConnectionFactory(() -> application), 1)) {
			assertThat(
					catchThrowableOfType(LockStoreException.class, () -> locks.acquire(LockTarget.of("job"), PATIENT)))
				.hasMessageContaining("min-acks does not work with Jedis if")
				.returns(false, LockStoreException::isRetryable);
			assertThat(this.instances.keysInUse("job")).isEmpty();
		}
	}

	@Test
	void closedTemplateLeavesNoThread() {
		Set<Thread> before = threads();
		RedisLockTemplate locks = new RedisLockTemplate(application(1));
		locks.execute("job", () -> {
		});

		locks.close();

		// An executor terminates a moment before its last thread.
		Awaitility.await().untilAsserted(() -> assertThat(threads()).isSubsetOf(before));
	}

	private static Set<Thread> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("redis-lock"))
			.collect(Collectors.toSet());
	}

	/**
	 * Let threads of each template count under one lock, and return the final count.
	 */
	private static int contend(List<RedisLockTemplate> templates, int threads, int times) {
		AtomicInteger count = new AtomicInteger();
		AtomicInteger inside = new AtomicInteger();
		List<CompletableFuture<Void>> callers = templates.stream()
			.flatMap((locks) -> Collections.nCopies(threads, locks).stream())
			.map((locks) -> CompletableFuture.runAsync(() -> {
				for (int time = 0; time < times; time++) {
					try (LockHandle lock = locks.acquire(LockTarget.of("counter"), PATIENT)) {
						assertThat(inside.incrementAndGet()).isEqualTo(1);
						count.incrementAndGet();
						inside.decrementAndGet();
					}
				}
			}, OwnThread::run))
			.toList();
		callers.forEach((caller) -> caller.orTimeout(1, TimeUnit.MINUTES).join());
		return count.get();
	}

	private static RedisLockTemplate template(RedisConnectionFactory application, int acks) {
		return new RedisLockTemplate(RedisLockStore.create(application, RedisLockStoreOptions.defaults().minAcks(acks)),
				LockConfiguration.defaults());
	}

	private JedisConnectionFactory application(int connections) {
		return started(JedisClients.connectTo(address(), connections));
	}

	private JedisConnectionFactory started(JedisConnectionFactory application) {
		this.applications.add(application);
		return application;
	}

	private RedisStandaloneConfiguration address() {
		return new RedisStandaloneConfiguration("127.0.0.1", this.instances.redis.port());
	}

}
