package io.github.redislock.redis;

import java.nio.file.Path;
import java.util.List;

import io.github.redislock.testing.NeedsPython;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.PythonProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two Python processes, one with redis-py and one with a hand-written lock, and two of
 * our processes with four threads each increment a counter that is protected only by the
 * lock.
 */
@NeedsRedisServer
@NeedsPython
@Tag("fault")
@Tag("thorough")
class PythonContentionTests {

	private static final int JVMS = 2;

	private static final int THREADS = 4;

	private static final int OURS_PER_THREAD = 150;

	private static final int THEIRS_PER_PROCESS = 300;

	private static final int ALL = JVMS * THREADS * OURS_PER_THREAD + 2 * THEIRS_PER_PROCESS;

	@TempDir
	private Path directory;

	@Test
	@Tag("promise-processes-python")
	void noIncrementIsLostBetweenPythonAndJava() throws Exception {
		try (Instances instances = new Instances();
				PythonProcess redisPy = PythonProcess.start("redis-py", instances.redis.port());
				PythonProcess own = PythonProcess.start("own", instances.redis.port());
				IncrementRace race = new IncrementRace(this.directory, "polite",
						Integer.toString(instances.redis.port()))) {
			// No process begins before all are ready.
			instances.redis.command("SET", FaultyNetwork.key("counter"), "starter", "EX", "120");
			for (int number = 0; number < JVMS; number++) {
				race.start(THREADS, OURS_PER_THREAD);
			}
			Instances.await("both of ours wait").until(() -> instances.queueLength("counter") == JVMS);
			for (PythonProcess python : List.of(redisPy, own)) {
				python.order("race", "counter", this.directory.resolve("counter").toString(),
						Integer.toString(THEIRS_PER_PROCESS));
			}
			instances.redis.command("DEL", FaultyNetwork.key("counter"));

			assertThat(redisPy.reply()).isEqualTo("done");
			assertThat(own.reply()).isEqualTo("done");
			race.awaitEnd();

			assertThat(race.counter()).isEqualTo(ALL);
			// A turn of Python has no token and leaves a gap.
			List<Long> tokens = race.tokens();
			List<Long> ours = tokens.stream().filter((token) -> token != 0).toList();
			long changes = changesOfLanguage(tokens);
			System.out
				.println("[measured] " + ALL + " turns, the lock changed between Python and us " + changes + " times");
			assertThat(ours).hasSize(JVMS * THREADS * OURS_PER_THREAD).isSorted().doesNotHaveDuplicates();
			assertThat(changes).as("each waited for the other").isGreaterThan(10);
		}
	}

	private static long changesOfLanguage(List<Long> tokens) {
		long changes = 0;
		for (int turn = 1; turn < tokens.size(); turn++) {
			if ((tokens.get(turn) == 0) != (tokens.get(turn - 1) == 0)) {
				changes++;
			}
		}
		return changes;
	}

}
