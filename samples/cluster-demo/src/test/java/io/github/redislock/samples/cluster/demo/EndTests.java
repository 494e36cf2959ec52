package io.github.redislock.samples.cluster.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.testing.JavaProcess;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Nothing stays behind, neither a worker nor a Redis.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "which process is the Redis is seen on Linux only")
class EndTests {

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void allProcessesEndWithTheDemonstration(boolean killed) throws IOException {
		Process demo = JavaProcess
			.of(ClusterDemoApplication.class, "--server.port=0", "--cluster-demo.workers=1",
					"--cluster-demo.freeze-chance=0", "--cluster-demo.kill-chance=0")
			.start();
		try (BufferedReader output = demo.inputReader()) {
			awaitLine(output, "works, ");
			List<ProcessHandle> others = new ArrayList<>(demo.descendants().toList());
			others.add(redis(others));
			assertThat(others).hasSizeGreaterThanOrEqualTo(3).allMatch(ProcessHandle::isAlive);

			Consumer<Process> end = killed ? Process::destroyForcibly : Process::destroy;
			end.accept(demo);

			await().atMost(Duration.ofMinutes(1)).untilAsserted(() -> {
				assertThat(demo.isAlive()).isFalse();
				assertThat(others).noneMatch(ProcessHandle::isAlive);
			});
		}
		finally {
			demo.destroyForcibly();
		}
	}

	private static void awaitLine(BufferedReader output, String text) throws IOException {
		StringBuilder said = new StringBuilder();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			if (line.contains(text)) {
				return;
			}
			said.append(line).append('\n');
		}
		throw new AssertionError("It ended before it said '%s':\n%s".formatted(text, said));
	}

	/**
	 * It runs as a daemon; the shell that watches over it knows its number.
	 */
	private static ProcessHandle redis(List<ProcessHandle> processes) {
		String[] words = processes.stream()
			.flatMap((process) -> process.info().arguments().stream())
			.filter((arguments) -> arguments.length == 3 && arguments[0].equals("-c"))
			.findFirst()
			.orElseThrow();
		return ProcessHandle.of(Long.parseLong(words[words.length - 1])).orElseThrow();
	}

}
