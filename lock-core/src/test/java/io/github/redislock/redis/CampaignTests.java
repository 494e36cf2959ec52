package io.github.redislock.redis;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Four processes with four threads each want one lock, while waiters are interrupted and
 * run out of time, processes are killed and replaced, and subscriptions break.
 * <p>
 * Short by default; {@code -Dcampaign.seconds=60} makes it last.
 */
@NeedsRedisServer
@Tag("fault")
class CampaignTests {

	private static final int PROCESSES = 4;

	private static final int THREADS = 4;

	private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("campaign.seconds", 10));

	/** Longer than a lease, its grace and the memory of a grant together. */
	private static final Duration EVERYTHING_EXPIRES = Duration.ofSeconds(5);

	private final List<WorkerProcess> workers = new ArrayList<>();

	/** All that the processes have said, those that were killed included. */
	private final List<String> lines = new ArrayList<>();

	@TempDir
	private Path directory;

	@Test
	void nobodyEntersTwiceNobodyStarvesAndNothingStays() {
		long seed = System.nanoTime();
		Random random = new Random(seed);
		CampaignGuard guard = CampaignGuard.open(guardFile());
		try (RedisProcess redis = RedisProcess.start()) {
			for (int process = 0; process < PROCESSES; process++) {
				this.workers.add(launch(redis));
			}
			Instances.await("first holds").until(() -> guard.entries() > 100);
			int kills = 0;
			long end = System.nanoTime() + LENGTH.toNanos();
			for (int second = 1; System.nanoTime() - end < 0; second++) {
				Instances.work(Duration.ofMillis(900 + random.nextInt(200)));
				redis.command("CLIENT", "KILL", "TYPE", "pubsub");
				if (second % 3 == 0) {
					replace(random.nextInt(PROCESSES), redis);
					kills++;
				}
			}
			stopAll();

			System.out.println("[campaign] " + LENGTH.toSeconds() + " s, seed " + seed + ": " + guard.entries()
					+ " holds, " + kills + " processes killed; " + summaries());
			assertThat(this.lines).noneMatch((line) -> line.startsWith("VIOLATION"));
			assertThat(guard.entries()).isGreaterThan(100 * LENGTH.toSeconds());
			Awaitility.await("end of all keys")
				.atMost(EVERYTHING_EXPIRES)
				.until(() -> ((List<?>) redis.command("KEYS", "*")).isEmpty());
		}
		finally {
			this.workers.forEach(WorkerProcess::close);
		}
	}

	private void replace(int index, RedisProcess redis) {
		WorkerProcess killed = this.workers.get(index);
		killed.kill();
		this.lines.addAll(killed.lines());
		this.workers.set(index, launch(redis));
	}

	private void stopAll() {
		this.workers.forEach((worker) -> worker.order("stop"));
		for (WorkerProcess worker : this.workers) {
			String summary = worker.awaitLine("done");
			assertThat(worker.awaitEnd()).as("exit of a worker: %s", summary).isZero();
			this.lines.addAll(worker.lines());
		}
	}

	private List<String> summaries() {
		return this.lines.stream().filter((line) -> line.startsWith("done")).toList();
	}

	private WorkerProcess launch(RedisProcess redis) {
		return WorkerProcess.launch(CampaignWorker.class, Integer.toString(redis.port()), guardFile().toString(),
				Integer.toString(THREADS));
	}

	private Path guardFile() {
		return this.directory.resolve("guard");
	}

}
