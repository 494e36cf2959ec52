package io.github.redislock.samples.quickstart;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.ProcessFamily;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
	@ValueSource(booleans = { false, true })
	void nothingOutlivesTheApplication(boolean killed) throws IOException {
		try (ProcessFamily shop = start()) {
			assertThat(shop.alive("redis-server")).hasSize(1);
			assertThat(shop.leftovers()).isNotEmpty();

			Consumer<Process> end = killed ? Process::destroyForcibly : Process::destroy;
			end.accept(shop.process());

			awaitNothingLeft(shop);
		}
	}

	@Test
	void nothingIsLeftIfTheWatchdogsWereKilledFirst() throws IOException {
		try (ProcessFamily shop = start()) {
			List<ProcessHandle> watchdogs = shop.alive("rm -rf");
			for (ProcessHandle watchdog : watchdogs) {
				watchdog.destroyForcibly();
				await().atMost(PATIENCE).until(() -> !watchdog.isAlive() && shop.alive("rm -rf").size() == 2);
			}
			shop.alive("redis-server").forEach(ProcessHandle::destroyForcibly);

			shop.process().destroyForcibly();

			assertThat(watchdogs).hasSize(2);
			awaitNothingLeft(shop);
		}
	}

	private static ProcessFamily start() throws IOException {
		ProcessFamily shop = ProcessFamily.start(JavaProcess.of(QuickstartApplication.class, "--server.port=0",
				"--logging.level.io.github.redislock.samples=info"));
		shop.awaitLine("Started QuickstartApplication");
		return shop;
	}

	private static void awaitNothingLeft(ProcessFamily shop) {
		await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(shop.alive()).isEmpty();
			assertThat(shop.leftovers()).isEmpty();
		});
	}

}
