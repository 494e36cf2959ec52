package io.github.redislock.samples.cluster.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.ProcessFamily;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * No process and no file is left behind.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "which processes belong together is seen on Linux only")
@Tag("thorough")
class EndTests {

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	@ParameterizedTest
	@MethodSource("killedOrNot")
	void nothingOutlivesTheDemo(boolean killed) throws IOException {
		try (ProcessFamily demo = start()) {
			demo.awaitLine("works, ");
			assertThat(demo.alive("redis-server")).hasSize(1);
			assertThat(demo.alive("WorkerApplication")).hasSize(1);

			Consumer<Process> end = killed ? Process::destroyForcibly : Process::destroy;
			end.accept(demo.process());

			awaitNothingLeft(demo);
		}
	}

	static Stream<Boolean> killedOrNot() {
		return Effort.cases(true, false);
	}

	private static ProcessFamily start() throws IOException {
		return ProcessFamily
			.start(JavaProcess.of(ClusterDemoApplication.class, "--server.port=0", "--cluster-demo.workers=1",
					"--cluster-demo.hang-chance=0", "--cluster-demo.kill-chance=0", "--cluster-demo.freeze-chance=0"));
	}

	private static void awaitNothingLeft(ProcessFamily demo) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(demo.alive()).isEmpty();
			assertThat(demo.leftovers()).isEmpty();
		});
	}

}
