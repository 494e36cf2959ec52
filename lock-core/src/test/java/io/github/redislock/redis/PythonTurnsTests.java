package io.github.redislock.redis;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.github.redislock.redis.PythonTurns.Result;
import io.github.redislock.testing.CodeBlock;
import io.github.redislock.testing.NeedsPython;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.PythonProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Programs with redis-py and our instances all get turns under constant contention,
 * although programs with redis-py cannot join the queue.
 */
@NeedsRedisServer
@NeedsPython
@Tag("fault")
class PythonTurnsTests {

	private static final Path PAGE = Path.of("..", "docs", "migrating", "from-redis-py.md");

	private static final String USUAL_SLEEP = "0.1";

	@Test
	@Tag("promise-processes-python")
	void pythonGetsTurnsWhileJavaThreadsConstantlyWait() {
		Result result = new PythonTurns(1, USUAL_SLEEP, 2, 4, 5, 10, 0, 8).run();

		System.out.println("[measured] Python beside 2 × 4 threads of ours: " + result);
		assertThat(result.pythonHolds()).isGreaterThan(20);
		assertThat(result.python().get(0).longestWait()).isLessThan(Duration.ofSeconds(5));
		assertThat(result.java()).allSatisfy((instance) -> assertThat(instance.holds()).isGreaterThan(20));
	}

	@Test
	@Tag("thorough")
	@Tag("promise-processes-python")
	void javaGetsTurnsIfPythonPausesBetweenHolds() {
		Result result = new PythonTurns(1, USUAL_SLEEP, 1, 1, 20, 5, 50, 8).run();

		System.out.println("[measured] A thread of ours beside Python: " + result);
		assertThat(result.javaHolds()).isGreaterThan(16);
		assertThat(result.pythonHolds()).isGreaterThan(16);
	}

	@Test
	@Tag("thorough")
	void newPythonProcessThatAnnouncesItselfGetsATurn() throws IOException {
		String program = CodeBlock.in(PAGE, "python")
			.get(1)
			.text()
			.replace("order:42", Contention.NAME)
			.replace("blocking_timeout=5", "blocking_timeout=20");
		try (Instances instances = new Instances();
				Contention contention = Contention.of(List.of(instances.start(), instances.start()), 4)) {
			Instances.await("two turns").until(() -> contention.turns().size() > 2);

			PythonProcess.run("write, order = print, 42\n" + program, instances.redis.port());

			contention.stop();
			contention.requireExclusion(instances);
			instances.requireNoLoss();
		}
	}

	@ParameterizedTest
	@CsvSource({ "0, 0", "5, 0", "50, 0", "0, 10", "5, 10", "50, 10" })
	@EnabledIfSystemProperty(named = "python-turns.seconds", matches = "\\d+")
	void everyProcessGetsAShareOfTheLock(int work, int pause) {
		int seconds = Integer.getInteger("python-turns.seconds");
		for (String sleep : List.of(USUAL_SLEEP, "0.01")) {
			for (int[] processes : new int[][] { { 0, 1 }, { 0, 3 }, { 1, 1 }, { 1, 3 }, { 3, 1 }, { 3, 3 } }) {
				PythonTurns setting = new PythonTurns(processes[0], sleep, processes[1], 8, work, pause, 0, seconds);
				Result result = setting.run();
				System.out.println("[measured] " + setting + ": " + result);
				assertThat(List.of(result.python(), result.java())).allSatisfy((side) -> assertThat(side)
					.allSatisfy((process) -> assertThat(process.holds()).as(setting.toString()).isPositive()));
			}
		}
	}

}
