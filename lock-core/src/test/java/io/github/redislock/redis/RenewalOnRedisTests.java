package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

@NeedsRedisServer
@Tag("fault")
@Tag("promise-2")
class RenewalOnRedisTests {

	private static final Duration LEASE = Duration.ofSeconds(2);

	/** For a busy machine. The exact moments are tested with a fake clock. */
	private static final Duration MARGIN = Duration.ofSeconds(10);

	/**
	 * For locks that are lost on purpose, and too short for other locks.
	 */
	private static final LockOptions SHORT = LockOptions.options().timeout(LEASE).waitTime(Duration.ofSeconds(10));

	private RedisProcess redis;

	@BeforeEach
	void start() {
		this.redis = RedisProcess.start();
	}

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@Test
	void renewedLocksStayHeldLongerThanTheirLeases() {
		Duration lease = Duration.ofSeconds(5);
		LockOptions options = SHORT.timeout(lease);
		try (RedisLockTemplate own = new RedisLockTemplate(this.redis.connectionFactory());
				RedisLockTemplate foreign = new RedisLockTemplate(
						Route.FOREIGN_FACTORY.over(this.redis.connectionFactory()))) {
			LockHandle job = own.acquire(LockTarget.of("job"), options);
			LockHandle other = foreign.acquire(LockTarget.of("other"), options);

			Awaitility.await("a lease and its grace")
				.pollInterval(Duration.ofMillis(10))
				.during(lease.plusSeconds(1))
				.atMost(Duration.ofSeconds(30))
				.failFast("lock was lost", () -> !isOurs(job) || !isOurs(other))
				.until(() -> isOurs(job) && isOurs(other));

			for (LockHandle lock : List.of(job, other)) {
				assertThat(lock.verify()).isTrue();
				assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
				assertThat(owner(lock.name())).isNull();
			}
		}
	}

	@ParameterizedTest
	@MethodSource("routes")
	void keyDeletedByHandIsDetectedAtTheNextRenewal(Route route) {
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.redis.connectionFactory()))) {
			CompletableFuture<Void> noticed = new CompletableFuture<>();
			// Renewed after 1 s. The renewal must detect the loss, not the end of the
			// lease.
			LockHandle lock = locks.acquire(LockTarget.of("job"), SHORT.timeout(Duration.ofSeconds(3)));
			lock.onLost(() -> noticed.complete(null));

			this.redis.command("DEL", FaultyNetwork.key("job"));

			noticed.orTimeout(MARGIN.toSeconds(), TimeUnit.SECONDS).join();
			assertThat(lock.isHeld()).isFalse();
			assertThat(lock.remaining()).isZero();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close)
				.extracting(LockLostException::getReason, as(STRING))
				.startsWith("the store no longer knows this holder");
			locks.acquire(LockTarget.of("job"), SHORT).close();
		}
	}

	@Test
	@Tag("promise-processes-release")
	void lockTakenByAnotherClientIsDetectedAndLeftUntouched() {
		try (RedisLockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory())) {
			CompletableFuture<Long> noticed = new CompletableFuture<>();
			LockHandle lock = locks.acquire(LockTarget.of("job"), SHORT);
			lock.onLost(() -> noticed.complete(System.nanoTime()));

			this.redis.command("SET", FaultyNetwork.key("job"), "somebody else", "PX", "60000");

			noticed.orTimeout(MARGIN.toSeconds(), TimeUnit.SECONDS).join();
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			assertThat(owner()).isEqualTo("somebody else");
			assertThat((Long) this.redis.command("PTTL", FaultyNetwork.key("job"))).isGreaterThan(30_000);
		}
	}

	static Stream<Route> routes() {
		return Effort.cases(Route.values());
	}

	private boolean isOurs(LockHandle lock) {
		return lock.isHeld() && lock.owner().equals(owner(lock.name()));
	}

	private Object owner() {
		return owner("job");
	}

	private Object owner(String name) {
		return FaultyNetwork.ownerIn(this.redis.command("GET", FaultyNetwork.key(name)));
	}

}
