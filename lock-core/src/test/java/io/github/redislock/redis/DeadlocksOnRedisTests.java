package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.HoldingCaller;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Instances detect deadlocks between them by messages.
 */
@Tag("promise-16")
class DeadlocksOnRedisTests {

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofSeconds(6));

	private final List<RedisProcess> servers = new ArrayList<>();

	private final List<RedisLockTemplate> instances = new ArrayList<>();

	private final List<HoldingCaller> callers = new ArrayList<>();

	private final LogRecorder log = LogRecorder.warningsOf("io.github.redislock");

	@AfterEach
	void stop() {
		this.callers.forEach(HoldingCaller::close);
		this.instances.forEach(RedisLockTemplate::close);
		this.servers.forEach(RedisProcess::close);
		this.log.close();
	}

	@ParameterizedTest
	@MethodSource("routes")
	void deadlockBetweenTwoInstancesIsReportedToBoth(Route route) {
		RedisProcess redis = server();
		Stream.of("one", "two")
			.forEach((name) -> open(
					RedisLockStore.create(route.over(redis.connectionFactory()), RedisLockStoreOptions.defaults()),
					name));

		closeCircle(List.of("a", "b"));

		assertReportedToAll();
	}

	@Test
	@Tag("thorough")
	void deadlockBetweenThreeInstancesIsReportedToAll() {
		RedisProcess redis = server();
		Stream.of("one", "two", "three")
			.forEach((name) -> open(RedisLockStore.create(redis.connectionFactory(), RedisLockStoreOptions.defaults()),
					name));

		closeCircle(List.of("first lock", "Zweites Schloß", "third"));

		assertReportedToAll();
	}

	@Test
	@Tag("thorough")
	void chainOfInstancesIsNotADeadlock() {
		RedisProcess redis = server();
		Stream.of("one", "two", "three")
			.forEach((name) -> open(RedisLockStore.create(redis.connectionFactory(), RedisLockStoreOptions.defaults()),
					name));
		LockHandle end = this.instances.get(2).acquire(LockTarget.of("c"), PATIENT);
		caller(0, "a");
		caller(1, "b");
		this.callers.get(0).waitFor(LockTarget.of("b"));
		this.callers.get(1).waitFor(LockTarget.of("c"));

		assertThat(this.callers)
			.allSatisfy((caller) -> assertThat(caller.refusal()).succeedsWithin(Duration.ofSeconds(30))
				.satisfies((refusal) -> assertThat(refusal.getDeadlock()).isNull()));

		assertThat(this.log.lines()).isEmpty();
		end.close();
	}

	static Stream<Route> routes() {
		return Effort.cases(Route.values());
	}

	/**
	 * Let each instance hold a lock and wait for that of the next instance.
	 */
	private void closeCircle(List<String> locks) {
		for (int index = 0; index < locks.size(); index++) {
			caller(index, locks.get(index));
		}
		for (int index = 0; index < locks.size(); index++) {
			this.callers.get(index).waitFor(LockTarget.of(locks.get((index + 1) % locks.size())));
		}
	}

	/**
	 * Assert that the deadlock is logged in time, once by each instance, and is then in
	 * the exception of each caller that times out.
	 */
	private void assertReportedToAll() {
		int all = this.instances.size();
		Awaitility.await("log of all instances")
			.atMost(Duration.ofSeconds(5))
			.until(() -> this.log.lines().size() == all);
		String line = this.log.lines().get(0);
		assertThat(line).startsWith("WARN Deadlock of %d callers since ".formatted(all))
			.contains("thread 'caller 0' of 'one' holds '", "thread 'caller 1' of 'two' holds '");
		assertThat(this.log.lines()).containsOnly(line);
		assertThat(this.callers)
			.allSatisfy((caller) -> assertThat(caller.refusal()).succeedsWithin(Duration.ofSeconds(30))
				.satisfies((refusal) -> assertThat(refusal.getDeadlock()).isEqualTo(line.substring("WARN ".length()))));
		assertThat(this.log.lines()).hasSize(all);
	}

	private HoldingCaller caller(int instance, String lock) {
		HoldingCaller caller = HoldingCaller.of(this.instances.get(instance), "caller " + instance, LockTarget.of(lock),
				PATIENT);
		this.callers.add(caller);
		return caller;
	}

	private void open(LockStore store, String instance) {
		this.instances.add(new RedisLockTemplate(store, LockConfiguration.defaults().instance(instance)));
	}

	private RedisProcess server() {
		RedisProcess server = RedisProcess.start();
		this.servers.add(server);
		return server;
	}

}
