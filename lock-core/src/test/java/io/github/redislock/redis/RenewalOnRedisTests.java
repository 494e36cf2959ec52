package io.github.redislock.redis;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.HeldLock;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTimer;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.assertj.core.api.InstanceOfAssertFactories;
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

	@Test
	void renewalEndsBeforeTheRelease() {
		int threads = 400;
		int holds = Effort.of(800, 2_000);
		LongAdder renewals = new LongAdder();
		LongAdder losses = new LongAdder();
		CountingTimer timer = new CountingTimer();
		LockConfiguration configuration = LockConfiguration.defaults()
			.timer(timer)
			.listeners(List.of(new LockListener() {

				@Override
				public void renewed(HeldLock lock) {
					renewals.increment();
				}

				@Override
				public void lost(HeldLock lock, LockLostException loss) {
					losses.increment();
				}

			}));
		// Long enough for a busy machine; renewed after a third.
		LockOptions options = LockOptions.options().timeout(Duration.ofMillis(4_500)).waitTime(Duration.ofSeconds(10));
		try (timer;
				RedisLockTemplate locks = new RedisLockTemplate(
						RedisLockStore.create(this.redis.connectionFactory(), RedisLockStoreOptions.defaults()),
						configuration)) {
			locks.acquire(LockTarget.of("warm-up"), options).close();

			CompletableFuture<?>[] workers = IntStream.range(0, threads)
				.mapToObj((worker) -> CompletableFuture.runAsync(() -> {
					for (int hold = 0; hold < holds / threads; hold++) {
						LockHandle lock = locks.acquire(LockTarget.of("job-" + worker), options);
						// Around the moment of a renewal, at 1.5 s or 3 s.
						long moment = (1_500L << ThreadLocalRandom.current().nextInt(2)) * 1_000_000;
						pauseUntil(System.nanoTime() + moment - ThreadLocalRandom.current().nextLong(1_500_000));
						assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
					}
				}, OwnThread::run))
				.toArray(CompletableFuture<?>[]::new);
			CompletableFuture.allOf(workers).orTimeout(120, TimeUnit.SECONDS).join();

			assertThat((List<?>) this.redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty();
			assertThat(losses.sum()).isZero();
			assertThat(renewals.sum()).as("renewals under way").isGreaterThan(holds / 4);
			// An idle renewer keeps its wake-up and uses it for the next lock.
			assertThat(timer.pending()).as("tasks left in the timer").isLessThanOrEqualTo(1);
			System.out.println("[renewal] " + holds + " holds, " + renewals.sum() + " renewals");
			assertThat(this.redis.command("EVAL", """
					local longest = 0
					for _, key in ipairs(redis.call('keys', '*')) do
					  local left = redis.call('pttl', key)
					  longest = math.max(longest, left >= 0 and left or 3600000)
					end
					return longest""", "0")).asInstanceOf(InstanceOfAssertFactories.LONG)
				.as("memory of the grants expires")
				.isLessThan(10_000);
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

	@ParameterizedTest
	@MethodSource("routes")
	void lockIsLostAtItsDeadlineWhenRedisStaysFrozen(Route route) {
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.redis.connectionFactory()))) {
			CompletableFuture<Long> noticed = new CompletableFuture<>();
			LockHandle lock = locks.acquire(LockTarget.of("job"), SHORT);
			lock.onLost(() -> noticed.complete(System.nanoTime()));
			this.redis.freeze();
			long frozen = System.nanoTime();

			long at = noticed.orTimeout(30, TimeUnit.SECONDS).join();

			assertThat(Duration.ofNanos(at - frozen)).isLessThan(LEASE.plus(MARGIN));
			assertThat(lock.isHeld()).isFalse();
			this.redis.thaw();
			Awaitility.await("stays lost")
				.during(LEASE)
				.atMost(MARGIN)
				.failFast("lock came back", lock::isHeld)
				.until(() -> !lock.isHeld());
			assertThatExceptionOfType(LockLostException.class).isThrownBy(lock::close);
			Awaitility.await().until(() -> owner() == null);
		}
	}

	@Test
	void lossIsReportedAtTheDeadlineDuringARenewal() {
		// With this grace period, the renewal waits for its reply longer than this test
		// lasts.
		LockConfiguration configuration = LockConfiguration.defaults().grace(Duration.ofMinutes(10));
		Duration minute = Duration.ofMinutes(1);
		try (RedisLockTemplate locks = new RedisLockTemplate(RedisLockStore.create(this.redis.connectionFactory(),
				RedisLockStoreOptions.defaults().commandTimeout(minute)), configuration)) {
			CompletableFuture<Long> noticed = new CompletableFuture<>();
			LockHandle lock = locks.acquire(LockTarget.of("job"), SHORT);
			lock.onLost(() -> noticed.complete(System.nanoTime()));
			this.redis.freeze();
			long frozen = System.nanoTime();

			long at = noticed.orTimeout(30, TimeUnit.SECONDS).join();

			assertThat(Duration.ofNanos(at - frozen)).isLessThan(LEASE.plus(MARGIN));
			this.redis.thaw();
			lock.release();
		}
	}

	@Test
	void deadlineIsNeverLaterThanTheLeaseAfterTheLastReply() {
		try (RedisLockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory())) {
			for (int round = 0; round < Effort.of(1, 3); round++) {
				LockHandle lock = locks.acquire(LockTarget.of("job"), SHORT);
				this.redis.freeze();
				long frozen = System.nanoTime();

				pauseUntil(frozen + LEASE.toNanos());

				assertThat(lock.isHeld()).isFalse();
				this.redis.thaw();
				lock.release();
				Awaitility.await().until(() -> owner() == null);
			}
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

	private static void pauseUntil(long moment) {
		for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	/**
	 * The system's clock, with a count of pending tasks.
	 */
	private static final class CountingTimer implements LockTimer {

		private final LockTimer system = LockTimer.system();

		private final Set<Future<?>> tasks = ConcurrentHashMap.newKeySet();

		long pending() {
			return this.tasks.stream().filter((task) -> !task.isDone()).count();
		}

		@Override
		public long nanoTime() {
			return this.system.nanoTime();
		}

		@Override
		public Instant now() {
			return this.system.now();
		}

		@Override
		public Future<?> schedule(Runnable task, Duration delay) {
			Future<?> scheduled = this.system.schedule(task, delay);
			this.tasks.add(scheduled);
			return scheduled;
		}

		@Override
		public void close() {
			this.system.close();
		}

	}

}
