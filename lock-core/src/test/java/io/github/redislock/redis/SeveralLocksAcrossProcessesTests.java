package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that acquire overlapping sets of locks, named in any order.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-12")
@Tag("thorough")
class SeveralLocksAcrossProcessesTests {

	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private static final int ROUNDS = Effort.of(1_000, 10_000);

	private RedisProcess redis;

	private LettuceConnectionFactory connectionFactory;

	private StringRedisTemplate values;

	@BeforeEach
	void start() {
		this.redis = RedisProcess.start();
		this.connectionFactory = this.redis.connectionFactory();
		this.values = new StringRedisTemplate(this.connectionFactory);
	}

	@AfterEach
	void stop() {
		this.connectionFactory.destroy();
		this.redis.close();
	}

	@Test
	void processesLockingInOppositeOrdersNeitherDeadlockNorHoldOnlySomeLocks() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Observations> observer = CompletableFuture.supplyAsync(() -> observe(over), OwnThread::run);
		try (WorkerProcess one = worker(Duration.ofSeconds(30), ROUNDS, "a,b,c");
				WorkerProcess other = worker(Duration.ofSeconds(30), ROUNDS, "c,b,a")) {
			one.order("go");
			other.order("go");

			awaitDone(one);
			awaitDone(other);

			System.out.println("[several] {a,b,c} and {c,b,a} " + ROUNDS + " times each: " + one.awaitLine("done"));
		}
		finally {
			over.set(true);
		}
		Observations seen = observer.get(30, TimeUnit.SECONDS);
		System.out.println("[several] " + seen + ", " + this.redis.commandCounts());
		assertThat(this.values.opsForValue().get("counter:[,, ,, a, b, c]")).as("no update is lost")
			.isEqualTo(Integer.toString(2 * ROUNDS));
		assertThat(seen.parts()).as("partial holds").isZero();
		assertThat(seen.held()).as("whole holds that were seen").isGreaterThan(100);
		assertNothingIsLeft();
	}

	@Test
	void survivingProcessContinuesWhenTheOtherDies() {
		String[] sets = { "a,b", "b,c", "c,a", "b", "c,b,a" };
		Duration lease = Duration.ofSeconds(2);
		try (WorkerProcess survivor = worker(lease, 1_000_000, sets);
				WorkerProcess victim = worker(lease, 1_000_000, sets)) {
			survivor.order("go");
			victim.order("go");
			Map<String, Long> before = awaitProgress(10, Map.of());
			assertThat(before).as("sets of both").hasSize(2 * sets.length);

			victim.kill();

			Map<String, Long> after = progress();
			// Late requests of a killed process may still arrive.
			String own = ":" + survivor.pid() + ":";
			Awaitility.await("survivor goes on").atMost(PATIENCE).untilAsserted(() -> {
				assertThat(survivor.hasSaid("Exception")).isFalse();
				progress().forEach((set, count) -> {
					if (set.contains(own)) {
						assertThat(count).as(set).isGreaterThan(after.getOrDefault(set, 0L) + 10);
					}
				});
			});
		}
	}

	private WorkerProcess worker(Duration lease, int rounds, String... sets) {
		WorkerProcess worker = WorkerProcess.launch(SeveralLocksWorker.class,
				Stream
					.concat(Stream.of(Integer.toString(this.redis.port()), Long.toString(lease.toMillis()),
							Integer.toString(rounds)), Stream.of(sets))
					.toArray(String[]::new));
		worker.awaitLine("ready");
		return worker;
	}

	private static void awaitDone(WorkerProcess worker) {
		Awaitility.await("end of the worker").atMost(PATIENCE).until(() -> worker.hasSaid("done"));
	}

	/**
	 * Repeatedly read the state of all three locks at one moment.
	 */
	private Observations observe(AtomicBoolean over) {
		List<String> keys = Stream.of("a", "b", "c").map(FaultyNetwork::key).toList();
		long held = 0;
		long free = 0;
		long parts = 0;
		while (!over.get()) {
			// Often enough to see any lasting partial set without much load.
			Instances.work(Duration.ofNanos(300_000));
			List<String> owners = Objects.requireNonNull(this.values.opsForValue().multiGet(keys));
			if (owners.stream().allMatch(Objects::isNull)) {
				free++;
			}
			else if (owners.stream().distinct().count() == 1) {
				held++;
			}
			else {
				parts++;
			}
		}
		return new Observations(held, free, parts);
	}

	private Map<String, Long> awaitProgress(long count, Map<String, Long> since) {
		Awaitility.await("progress of all")
			.atMost(PATIENCE)
			.until(() -> progress().size() >= 10 && progress().entrySet()
				.stream()
				.allMatch((entry) -> entry.getValue() - since.getOrDefault(entry.getKey(), 0L) >= count));
		return progress();
	}

	private Map<String, Long> progress() {
		Map<String, Long> progress = new TreeMap<>();
		for (String key : this.values.keys("progress:*")) {
			progress.put(key, Long.parseLong(Objects.requireNonNull(this.values.opsForValue().get(key))));
		}
		return progress;
	}

	private void assertNothingIsLeft() {
		Awaitility.await("nothing is left")
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(this.values.keys("*distributed_lock*"))
				.filteredOn((key) -> !key.endsWith(":fence"))
				.isEmpty());
	}

	private record Observations(long held, long free, long parts) {
	}

}
