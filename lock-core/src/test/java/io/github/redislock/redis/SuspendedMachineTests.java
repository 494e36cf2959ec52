package io.github.redislock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.Requirements;
import io.github.redislock.testing.Signals;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.github.redislock.redis.Instances.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * The machine of a holder is suspended past the lease. The process stops, and so does its
 * monotonic clock.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-2")
@Tag("promise-suspended-machines")
class SuspendedMachineTests {

	/** Long, so that the next renewal is not due soon when the process resumes. */
	private static final Duration LEASE = Duration.ofSeconds(3);

	@TempDir
	private Path folder;

	private Instances instances;

	@BeforeEach
	void start() {
		this.instances = new Instances();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void suspendedHolderDoesNotClaimTheLockOfTheNextHolder() throws IOException {
		Path file = this.folder.resolve("suspended");
		suspend(file, 0);
		Map<String, String> environment = Map.of("LD_PRELOAD", clock().toString(), "SUSPENDED_FILE", file.toString());
		try (WorkerProcess worker = WorkerProcess.launch(environment, LockWorker.class,
				Integer.toString(this.instances.redis.port()))) {
			worker.hold("job", LEASE, Duration.ofMinutes(1));
			worker.awaitLine("acquired job");
			assertThat(worker.hasSaid("lost")).isFalse();

			worker.stop();
			long stopped = System.nanoTime();
			try (LockHandle next = this.instances.start().acquire(LockTarget.of("job"), PATIENT)) {
				worker.order(LockWorker.CHECK);
				suspend(file, System.nanoTime() - stopped);
				worker.resume();

				assertThat(worker.awaitLine("held")).isEqualTo("held false");
				worker.awaitLine("lost job");
				assertThat(next.isHeld()).isTrue();
			}
		}
	}

	/**
	 * Set for how long the monotonic clock has been stopped.
	 */
	private static void suspend(Path file, long nanos) throws IOException {
		byte[] page = Arrays.copyOf(Long.toString(nanos).getBytes(StandardCharsets.US_ASCII), 4096);
		Files.write(file, page);
	}

	/**
	 * Compile the library that replaces the system's clock.
	 */
	private Path clock() throws IOException {
		Path source = this.folder.resolve("suspended.c");
		try (InputStream text = getClass().getResourceAsStream("/clock/suspended.c")) {
			Files.copy(Objects.requireNonNull(text), source);
		}
		Path library = this.folder.resolve("suspended.so");
		Requirements.need(isCompiled(source, library), "SuspendedMachineTests",
				"gcc on Linux is needed to let a clock stand still");
		return library;
	}

	private static boolean isCompiled(Path source, Path library) {
		if (!System.getProperty("os.name").equals("Linux")) {
			return false;
		}
		try {
			return Signals.awaitEnd(new ProcessBuilder("gcc", "-shared", "-fPIC", "-O1", "-o", library.toString(),
					source.toString(), "-ldl")
				.inheritIO()
				.start()) == 0;
		}
		catch (IOException ex) {
			return false;
		}
	}

}
