package io.github.redislock.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis is frozen for longer than the leases of many locks.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-2")
class FrozenRedisTests {

	private static final int LOCKS = 200;

	private static final Duration LEASE = Duration.ofSeconds(3);

	/** For a busy machine; the figures are printed. */
	private static final Duration MARGIN = Duration.ofSeconds(5);

	private final RedisProcess redis = RedisProcess.start();

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void everyHolderPermanentlyLosesItsLockAtItsDeadline(Route route) {
		try (RedisLockTemplate locks = new RedisLockTemplate(route.over(this.redis.connectionFactory()))) {
			locks
				.acquire(LockTarget.of("warm-up"),
						LockOptions.options().timeout(LEASE).waitTime(Duration.ofSeconds(20)))
				.close();
			List<Watched> held = IntStream.range(0, LOCKS)
				.mapToObj((number) -> new Watched(
						locks.acquire(LockTarget.of("job-" + number), LockOptions.options().timeout(LEASE))))
				.toList();
			this.redis.freeze();
			// Requests replied to earlier have arrived by then.
			Awaitility.await().pollDelay(Duration.ofMillis(300)).until(() -> true);
			held.forEach(Watched::readDeadline);

			held.forEach(Watched::awaitLoss);

			this.redis.thaw();
			Awaitility.await("lost for good")
				.during(Duration.ofSeconds(1))
				.atMost(Duration.ofSeconds(20))
				.until(() -> held.stream().noneMatch((lock) -> lock.handle.isHeld()));
			print(route, held);
			assertThat(held).allSatisfy((lock) -> {
				assertThat(lock.lateness()).isBetween(Duration.ZERO, MARGIN);
				assertThat(lock.handle.remaining()).isZero();
				assertThat(lock.handle.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
			});
			Awaitility.await("nothing stays")
				.atMost(Duration.ofSeconds(20))
				.until(() -> ((List<?>) this.redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty());
		}
	}

	private static void print(Route route, List<Watched> held) {
		long[] sorted = held.stream().mapToLong((lock) -> lock.lateness().toNanos() / 1_000).sorted().toArray();
		System.out.printf("[frozen redis] %s: %d losses told after the deadline by p50 %d us, p99 %d us, max %d us%n",
				route, sorted.length, sorted[sorted.length / 2], sorted[sorted.length * 99 / 100],
				Arrays.stream(sorted).max().orElseThrow());
	}

	/**
	 * A lock and the moment at which its holder was notified of its loss.
	 */
	private static final class Watched {

		private final LockHandle handle;

		private final CompletableFuture<Long> told = new CompletableFuture<>();

		private volatile boolean heldWhenTold;

		private long deadline;

		Watched(LockHandle handle) {
			this.handle = handle;
			handle.onLost(() -> {
				this.heldWhenTold = handle.isHeld();
				this.told.complete(System.nanoTime());
			});
		}

		/**
		 * Record the earliest time at which the lock may expire, as it reports.
		 */
		void readDeadline() {
			long now = System.nanoTime();
			this.deadline = now + this.handle.remaining().toNanos();
			assertThat(this.handle.isHeld()).isTrue();
		}

		void awaitLoss() {
			this.told.orTimeout(30, TimeUnit.SECONDS).join();
			assertThat(this.heldWhenTold).isFalse();
		}

		Duration lateness() {
			return Duration.ofNanos(this.told.join() - this.deadline);
		}

	}

}
