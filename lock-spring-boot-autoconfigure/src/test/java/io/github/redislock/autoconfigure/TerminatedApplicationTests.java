package io.github.redislock.autoconfigure;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.Signals;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A process receives SIGTERM while a web request, a scheduled job and an unmanaged thread
 * work under a lock.
 */
@NeedsRedisServer
@Tag("fault")
@Timeout(180)
@Tag("thorough")
class TerminatedApplicationTests {

	private static final List<String> WORK = List.of("request", "job", "thread");

	private static final Duration PATIENCE = Duration.ofMinutes(1);

	private static final LockOptions PATIENT = LockOptions.options().waitTime(Duration.ofMinutes(5));

	private final RedisProcess redis = RedisProcess.start();

	private final RedisLockTemplate locks = new RedisLockTemplate(this.redis.connectionFactory());

	private final ExecutorService threads = Executors.newCachedThreadPool();

	private @Nullable Process process;

	@AfterEach
	void stop() {
		if (this.process != null) {
			this.process.destroyForcibly();
		}
		this.threads.shutdownNow();
		this.locks.close();
		this.redis.close();
	}

	@Test
	void locksAreKeptUntilTheWorkHasEnded() throws Exception {
		Process application = startWorking();
		List<CompletableFuture<Boolean>> workOfOthersEnded = acquireAll();

		terminate(application);
		await().during(Duration.ofMillis(1500))
			.until(() -> application.isAlive() && workOfOthersEnded.stream().noneMatch(CompletableFuture::isDone));
		application.getOutputStream().close();

		assertThat(workOfOthersEnded).allSatisfy((ended) -> assertThat(ended).succeedsWithin(PATIENCE).isEqualTo(true));
		assertThat(application.onExit()).succeedsWithin(PATIENCE);
	}

	@Test
	void locksAreReleasedWhenTheShutdownPhasesTimeOut() throws Exception {
		Process application = startWorking("--spring.lifecycle.timeout-per-shutdown-phase=700ms");
		List<CompletableFuture<Boolean>> workOfOthersEnded = acquireAll();
		long terminated = System.nanoTime();

		terminate(application);

		assertThat(workOfOthersEnded)
			.allSatisfy((ended) -> assertThat(ended).succeedsWithin(PATIENCE).isEqualTo(false));
		// The web server, the scheduler, and the locks.
		assertThat(Duration.ofNanos(System.nanoTime() - terminated)).isGreaterThanOrEqualTo(Duration.ofMillis(2100));
		assertThat(application.onExit()).succeedsWithin(PATIENCE);
		assertThat(application.inputReader().lines())
			.anyMatch((line) -> line.contains("Waiting up to 700ms for holds to end (3)"));
	}

	/**
	 * Acquire each lock in turn when it is free, and report whether its work had ended by
	 * then.
	 */
	private List<CompletableFuture<Boolean>> acquireAll() {
		List<CompletableFuture<Boolean>> ended = WORK.stream()
			.map((name) -> CompletableFuture
				.supplyAsync(
						() -> this.locks.execute(LockTarget.of(name), PATIENT,
								() -> Long.valueOf(1).equals(this.redis.command("EXISTS", "ended:" + name))),
						this.threads))
			.toList();
		await().until(() -> this.locks.local().waiting().size() == WORK.size());
		return ended;
	}

	private Process startWorking(String... arguments) throws IOException {
		ProcessBuilder command = JavaProcess.of(TerminatedApplication.class, arguments);
		command.command()
			.addAll(List.of("--server.port=0", "--spring.data.redis.host=127.0.0.1",
					"--spring.data.redis.port=" + this.redis.port(), "--spring.main.banner-mode=off",
					"--logging.level.io.github.redislock=info"));
		Process started = Signals.start(command);
		this.process = started;
		String port = awaitPort(started.inputReader());
		HttpClient.newHttpClient()
			.sendAsync(HttpRequest.newBuilder(URI.create("http://localhost:" + port)).build(), BodyHandlers.ofString());
		await().until(() -> WORK.stream().allMatch((name) -> this.locks.isLocked(LockTarget.of(name))));
		return started;
	}

	/**
	 * Only send the signal, because {@link Process#destroy} would also close the standard
	 * input.
	 */
	private static void terminate(Process process) {
		process.toHandle().destroy();
	}

	private static String awaitPort(BufferedReader output) throws IOException {
		StringBuilder said = new StringBuilder();
		for (String line = output.readLine(); line != null; line = output.readLine()) {
			if (line.startsWith(TerminatedApplication.PORT)) {
				return line.substring(TerminatedApplication.PORT.length());
			}
			said.append(line).append('\n');
		}
		throw new AssertionError("It ended:\n" + said);
	}

	private static ConditionFactory await() {
		return Awaitility.await().atMost(PATIENCE);
	}

}
