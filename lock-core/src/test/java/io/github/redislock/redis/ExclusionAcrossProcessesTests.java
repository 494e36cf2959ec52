package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hundred threads in three processes increment a counter protected only by the lock.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-1")
class ExclusionAcrossProcessesTests {

	private static final int[] THREADS = { 34, 33, 33 };

	private static final int INCREMENTS = Effort.of(200, 1_000);

	@TempDir
	private Path directory;

	@Test
	@Tag("promise-processes-take-turns")
	void noIncrementIsLostAndTokensGrow() throws Exception {
		assertNoneIsLost("one", INCREMENTS);
	}

	@Test
	@Tag("promise-12")
	@Tag("thorough")
	void severalLocksInAnyOrderNeitherDeadlockNorLoseAnIncrement() throws Exception {
		assertNoneIsLost("several", 100);
	}

	/**
	 * Shows that the counter of this test needs a lock.
	 */
	@Test
	void incrementsAreLostWithoutALock() throws Exception {
		try (IncrementRace race = new IncrementRace(this.directory, "bare")) {
			run(race, INCREMENTS);

			assertThat(race.counter()).isLessThan(all(INCREMENTS));
		}
	}

	private void assertNoneIsLost(String kind, int increments) throws Exception {
		try (RedisProcess redis = RedisProcess.start();
				IncrementRace race = new IncrementRace(this.directory, kind, Integer.toString(redis.port()))) {
			long begin = System.nanoTime();

			run(race, increments);

			System.out.println("[exclusion] 100 threads x " + increments + " increments in 3 processes: "
					+ Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms, " + redis.commandCounts());
			assertThat(race.counter()).isEqualTo(all(increments));
			List<Long> tokens = race.tokens();
			assertThat(tokens).hasSize(all(increments)).isSorted().doesNotHaveDuplicates();
			assertThat((List<?>) redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty();
		}
	}

	private static void run(IncrementRace race, int increments) throws Exception {
		for (int threads : THREADS) {
			race.start(threads, increments);
		}
		race.awaitEnd();
	}

	private static int all(int increments) {
		return IntStream.of(THREADS).sum() * increments;
	}

}
