package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Eight readers and two writers in two processes that only the lock separates.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-14")
@Tag("thorough")
class ReadersAndWritersAcrossProcessesTests {

	private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("sharing.seconds", Effort.of(5, 30)));

	/** For JVMs on a busy machine. */
	private static final Duration START = Duration.ofMinutes(1);

	private static final String[] ROLES = { "read", "read", "read", "read", "write" };

	private final List<WorkerProcess> workers = new ArrayList<>();

	@TempDir
	private Path directory;

	@Test
	void readersOverlapButNeverWithAWriter() {
		Path file = this.directory.resolve("guard");
		SharingGuard guard = SharingGuard.open(file);
		try (RedisProcess redis = RedisProcess.start()) {
			for (int process = 0; process < 2; process++) {
				this.workers.add(launch(redis, file, process * ROLES.length));
			}
			Instances.await("first holds in both processes")
				.atMost(START)
				.until(() -> guard.entries(0, ROLES.length) > 4 && guard.entries(ROLES.length, ROLES.length) > 4);
			long readBefore = guard.entries(SharingGuard.READER);
			long writtenBefore = guard.entries(SharingGuard.WRITER);
			long begin = System.nanoTime();

			Instances.work(LENGTH);
			Instances.await("readers of both processes at once")
				.until(() -> guard.inside(0, ROLES.length) > 2 && guard.inside(ROLES.length, ROLES.length) > 2);
			Instances.await("writers between them")
				.until(() -> guard.entries(SharingGuard.WRITER) - writtenBefore > LENGTH.toSeconds() / 4);

			long nanos = System.nanoTime() - begin;
			long read = guard.entries(SharingGuard.READER) - readBefore;
			long written = guard.entries(SharingGuard.WRITER) - writtenBefore;
			// Readers that took turns could not have read more often than this.
			double serial = (double) nanos / SharingWorker.READING.toNanos();
			System.out.println(("[readers and writers] %d s: %d times read, %.1f x as often as one after another could;"
					+ " %d times written; longest wait of a writer %d ms, of a reader %d ms")
				.formatted(LENGTH.toSeconds(), read, read / serial, written,
						guard.longestWait(SharingGuard.WRITER).toMillis(),
						guard.longestWait(SharingGuard.READER).toMillis()));
			stopAll();
			Awaitility.await("end of all keys")
				.untilAsserted(() -> assertThat((List<?>) redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty());
		}
		finally {
			this.workers.forEach(WorkerProcess::close);
		}
	}

	private void stopAll() {
		this.workers.forEach((worker) -> worker.order("stop"));
		for (WorkerProcess worker : this.workers) {
			worker.awaitLine("done");
			assertThat(worker.awaitEnd()).isZero();
			assertThat(worker.lines()).noneMatch((line) -> line.startsWith("VIOLATION"));
		}
	}

	private static WorkerProcess launch(RedisProcess redis, Path guard, int firstPlace) {
		List<String> arguments = new ArrayList<>(
				List.of(Integer.toString(redis.port()), guard.toString(), Integer.toString(firstPlace)));
		arguments.addAll(List.of(ROLES));
		return WorkerProcess.launch(SharingWorker.class, arguments.toArray(String[]::new));
	}

}
