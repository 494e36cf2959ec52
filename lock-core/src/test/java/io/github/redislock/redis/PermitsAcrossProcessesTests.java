package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Thirty-two threads in four processes contend for three permits, while processes that
 * hold some are killed.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-14")
@Tag("thorough")
class PermitsAcrossProcessesTests {

	private static final int PROCESSES = 4;

	private static final int THREADS = 8;

	/** For JVMs on a busy machine. */
	private static final Duration START = Duration.ofMinutes(1);

	private static final int KILLS = Integer.getInteger("sharing.kills", Effort.of(2, 6));

	/** Longer than any operation takes on this machine. */
	private static final Duration STALL = Duration.ofSeconds(5);

	/** A lease plus its grace period of a twentieth. */
	private static final Duration BACK = SharingWorker.LEASE.multipliedBy(21).dividedBy(20);

	private final List<Worker> workers = new ArrayList<>();

	private int launched;

	@TempDir
	private Path directory;

	@Test
	void permitsOfCrashedProcessesAreReusedAndNeverExceeded() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		SharingGuard guard = SharingGuard.open(guardFile());
		List<Duration> returns = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			for (int process = 0; process < PROCESSES; process++) {
				this.workers.add(launch(redis));
			}
			Instances.await("first holds in all processes")
				.atMost(START)
				.until(() -> this.workers.stream().allMatch((worker) -> worker.entries(guard) > 3));
			for (int kill = 0; kill < KILLS; kill++) {
				Instances.work(Duration.ofMillis(random.nextInt(500)));
				returns.add(killHolder(guard, random));
				this.workers.add(launch(redis));
			}
			stopAll();

			System.out.println("[permits] seed %d, %d holds, %d processes killed; all permits in use again after %s ms"
				.formatted(seed, guard.entries(SharingGuard.PERMIT), KILLS,
						returns.stream().map(Duration::toMillis).toList()));
			assertThat(returns).allSatisfy((after) -> assertThat(after).isLessThan(BACK.plus(STALL)));
			Awaitility.await("end of all keys")
				.atMost(BACK.plus(STALL))
				.untilAsserted(() -> assertThat((List<?>) redis.command("KEYS", FaultyNetwork.key("*"))).isEmpty());
		}
		finally {
			this.workers.forEach((worker) -> worker.process().close());
		}
	}

	/**
	 * Kill a process that holds a permit.
	 * @return how long it took until the other processes held all permits
	 */
	private Duration killHolder(SharingGuard guard, Random random) {
		Collections.shuffle(this.workers, random);
		Worker[] victim = new Worker[1];
		Instances.await("a holder").pollInterval(Duration.ofMillis(1)).until(() -> {
			victim[0] = this.workers.stream().filter((worker) -> worker.inside(guard) > 0).findFirst().orElse(null);
			return victim[0] != null;
		});
		this.workers.remove(victim[0]);
		victim[0].process().kill();
		long killed = System.nanoTime();
		assertNoViolation(victim[0]);
		Instances.await("all permits among those that live")
			.pollInterval(Duration.ofMillis(1))
			.until(() -> this.workers.stream()
				.mapToInt((worker) -> worker.inside(guard))
				.sum() == SharingWorker.PERMITS);
		return Duration.ofNanos(System.nanoTime() - killed);
	}

	private void stopAll() {
		this.workers.forEach((worker) -> worker.process().order("stop"));
		for (Worker worker : this.workers) {
			worker.process().awaitLine("done");
			assertThat(worker.process().awaitEnd()).isZero();
			assertNoViolation(worker);
		}
	}

	private static void assertNoViolation(Worker worker) {
		assertThat(worker.process().lines()).noneMatch((line) -> line.startsWith("VIOLATION"));
	}

	private Worker launch(RedisProcess redis) {
		int firstPlace = THREADS * this.launched++;
		List<String> arguments = new ArrayList<>(
				List.of(Integer.toString(redis.port()), guardFile().toString(), Integer.toString(firstPlace)));
		arguments.addAll(Collections.nCopies(THREADS, "permit"));
		return new Worker(firstPlace, WorkerProcess.launch(SharingWorker.class, arguments.toArray(String[]::new)));
	}

	private Path guardFile() {
		return this.directory.resolve("guard");
	}

	/**
	 * A process, and where its threads record that they hold a permit.
	 */
	private record Worker(int firstPlace, WorkerProcess process) {

		int inside(SharingGuard guard) {
			return guard.inside(this.firstPlace, THREADS);
		}

		long entries(SharingGuard guard) {
			return guard.entries(this.firstPlace, THREADS);
		}

	}

}
