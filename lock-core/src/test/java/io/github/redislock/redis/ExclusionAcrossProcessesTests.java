package io.github.redislock.redis;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redislock.testing.JavaProcess;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A hundred threads in three processes add to one counter that nothing but the lock
 * protects.
 */
@NeedsRedisServer
@Tag("fault")
class ExclusionAcrossProcessesTests {

	private static final int[] THREADS = { 34, 33, 33 };

	private static final Duration PATIENCE = Duration.ofMinutes(4);

	@TempDir
	private Path directory;

	@Test
	void noIncrementIsLostAndTokensGrow() throws Exception {
		try (RedisProcess redis = RedisProcess.start()) {
			long begin = System.nanoTime();

			runWorkers("locked", redis.port(), 1_000);

			System.out.println("[exclusion] 100 threads x 1000 increments in 3 processes: "
					+ Duration.ofNanos(System.nanoTime() - begin).toMillis() + " ms, " + redis.commandCounts());
			assertThat(counter()).isEqualTo(100_000);
			List<Long> tokens = tokens();
			assertThat(tokens).hasSize(100_000);
			for (int hold = 1; hold < tokens.size(); hold++) {
				assertThat(tokens.get(hold)).as("token of hold %d", hold).isGreaterThan(tokens.get(hold - 1));
			}
			assertThat((List<?>) redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty();
		}
	}

	/**
	 * Shows that the counter of this test is one that needs a lock.
	 */
	@Test
	void withoutLockIncrementsAreLost() throws Exception {
		runWorkers("bare", 0, 1_000);

		assertThat(counter()).isLessThan(100_000);
	}

	private void runWorkers(String mode, int port, int increments) throws Exception {
		Files.write(this.directory.resolve("counter"), new byte[Long.BYTES]);
		List<Process> processes = new ArrayList<>();
		try {
			for (int number = 0; number < THREADS.length; number++) {
				processes.add(start(mode, port, THREADS[number], increments, number));
			}
			long deadline = System.nanoTime() + PATIENCE.toNanos();
			for (int number = 0; number < processes.size(); number++) {
				Process process = processes.get(number);
				boolean ended = process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				String log = Files.readString(log(number).toPath());
				System.out.print(log);
				assertThat(ended).as("worker ended in time").isTrue();
				assertThat(process.exitValue()).as("exit of a worker: %s", log).isZero();
			}
		}
		finally {
			processes.forEach(Process::destroyForcibly);
		}
	}

	private Process start(String mode, int port, int threads, int increments, int number) throws IOException {
		return JavaProcess
			.of(IncrementWorker.class, mode, Integer.toString(port), Integer.toString(threads),
					Integer.toString(increments), this.directory.toString())
			.redirectOutput(log(number))
			.start();
	}

	private File log(int number) {
		return this.directory.resolve("worker-" + number + ".log").toFile();
	}

	private long counter() throws IOException {
		return ByteBuffer.wrap(Files.readAllBytes(this.directory.resolve("counter"))).getLong();
	}

	private List<Long> tokens() throws IOException {
		try (FileChannel log = FileChannel.open(this.directory.resolve("tokens"), StandardOpenOption.READ)) {
			ByteBuffer bytes = ByteBuffer.allocate((int) log.size());
			while (bytes.hasRemaining()) {
				log.read(bytes);
			}
			bytes.flip();
			List<Long> tokens = new ArrayList<>();
			while (bytes.hasRemaining()) {
				tokens.add(bytes.getLong());
			}
			return tokens;
		}
	}

}
