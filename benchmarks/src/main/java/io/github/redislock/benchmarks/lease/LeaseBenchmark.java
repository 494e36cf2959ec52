package io.github.redislock.benchmarks.lease;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.benchmarks.redis.RedisConsole;
import io.github.redislock.benchmarks.redis.RedisCounters;
import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.redis.RedisLockTemplate;

/**
 * Measures what a lease of 5 s costs, compared with one of 30 s: the CPU time of
 * renewals, locks that are lost although their holder lives, and how long the locks of a
 * killed process stay held. The main class of {@code benchmarks/run.sh lease}.
 */
public final class LeaseBenchmark {

	private static final List<Duration> LEASES = List.of(Duration.ofSeconds(5), Duration.ofSeconds(30));

	/** How many locks are held while something goes wrong. */
	private static final int LOCKS = 1_000;

	private static final int ROUNDS = 5;

	/** Busy processes on the core of the holder. */
	private static final int BUSY = 8;

	private final RedisServer redis;

	private final RedisConsole console;

	private final Path log;

	private final Duration window;

	private final Map<String, List<String>> rows = new LinkedHashMap<>();

	private LeaseBenchmark(RedisServer redis, Duration window) throws IOException {
		this.redis = redis;
		this.console = redis.console();
		this.log = Files.createTempFile("lease-benchmark", ".log");
		this.window = window;
	}

	/**
	 * Run the measurement.
	 * @param arguments how long renewals are measured for each number of locks, as
	 * {@code PT60S}, which is the default
	 */
	public static void main(String[] arguments) throws Exception {
		Duration window = (arguments.length > 0) ? Duration.parse(arguments[0]) : Duration.ofMinutes(1);
		try (RedisServer redis = RedisServer.start((String) null)) {
			LeaseBenchmark benchmark = new LeaseBenchmark(redis, window);
			for (Duration lease : LEASES) {
				benchmark.measure(lease);
			}
			benchmark.print();
		}
		System.exit(0);
	}

	private void measure(Duration lease) throws Exception {
		for (int locks : new int[] { 100, 1_000, 10_000 }) {
			renew(lease, locks);
		}
		lost(lease, "a core shared with %d busy processes for 30 s".formatted(BUSY), this::starve);
		lost(lease, "the process stopped for 2 s, %d times".formatted(ROUNDS),
				(holder) -> stop(holder.pid(), Duration.ofSeconds(2)));
		lost(lease, "the process stopped for 6 s, %d times".formatted(ROUNDS),
				(holder) -> stop(holder.pid(), Duration.ofSeconds(6)));
		lost(lease, "Redis stopped for 1 s, %d times".formatted(ROUNDS),
				(holder) -> stop(this.redis.pid(), Duration.ofSeconds(1)));
		kill(lease);
	}

	private void renew(Duration lease, int locks) throws Exception {
		try (LeaseHolder holder = hold(lease, locks)) {
			Thread.sleep(this.window.toMillis() / 4);
			RedisCounters before = this.console.counters();
			Duration cpu = holder.cpu();
			long start = System.nanoTime();
			Thread.sleep(this.window.toMillis());
			double seconds = (System.nanoTime() - start) / 1e9;
			RedisCounters counters = this.console.counters().since(before);
			add("%d locks renewed: CPU of the process, %% of a core".formatted(locks),
					"%.1f".formatted(100 * holder.cpu().minus(cpu).toMillis() / 1e3 / seconds));
			add("%d locks renewed: CPU of Redis, %% of a core".formatted(locks),
					"%.1f".formatted(100 * counters.cpuSeconds() / seconds));
			add("%d locks renewed: lost".formatted(locks), Integer.toString(holder.lost()));
		}
	}

	private void lost(Duration lease, String what, Mishap mishap) throws Exception {
		try (LeaseHolder holder = hold(lease, LOCKS)) {
			mishap.happen(holder);
			// Losses are noticed at the end of the lease, at the latest.
			Thread.sleep(lease.toMillis());
			add(what + ": lost of " + LOCKS, Integer.toString(holder.lost()));
		}
	}

	private void starve(LeaseHolder holder) throws IOException, InterruptedException {
		run("taskset", "-a", "-p", "-c", "0", Long.toString(holder.pid()));
		List<Process> busy = new ArrayList<>();
		for (int number = 0; number < BUSY; number++) {
			busy.add(new ProcessBuilder("taskset", "-c", "0", "sh", "-c", "while :; do :; done").start());
		}
		Thread.sleep(30_000);
		busy.forEach(Process::destroyForcibly);
	}

	private static void stop(long process, Duration length) throws IOException, InterruptedException {
		for (int round = 0; round < ROUNDS; round++) {
			Thread.sleep(ThreadLocalRandom.current().nextLong(1_000, 4_000));
			run("kill", "-STOP", Long.toString(process));
			Thread.sleep(length.toMillis());
			run("kill", "-CONT", Long.toString(process));
		}
	}

	/**
	 * Kill the holder at some moment between two renewals, and measure how long another
	 * process waits.
	 */
	private void kill(Duration lease) throws Exception {
		List<Double> waits = new ArrayList<>();
		try (RedisLockTemplate locks = LeaseHolder.locks(this.redis.port())) {
			for (int round = 0; round < ROUNDS; round++) {
				try (LeaseHolder holder = hold(lease, 1)) {
					Thread.sleep(ThreadLocalRandom.current().nextLong(lease.toMillis()));
				}
				long killed = System.nanoTime();
				locks.acquire(LockTarget.of("lease-0"), LeaseHolder.options(lease.toString())).close();
				waits.add((System.nanoTime() - killed) / 1e9);
			}
		}
		waits.sort(null);
		add("the process killed, %d times: the lock is free after, s, median and longest".formatted(ROUNDS),
				"%.1f, %.1f".formatted(waits.get(ROUNDS / 2), waits.get(ROUNDS - 1)));
	}

	private LeaseHolder hold(Duration lease, int locks) throws IOException {
		this.console.flush();
		return new LeaseHolder(this.redis.port(), lease, locks, this.log);
	}

	private static void run(String... command) throws IOException, InterruptedException {
		Process process = new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD)
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		if (process.waitFor() != 0) {
			throw new IllegalStateException("%s failed".formatted(String.join(" ", command)));
		}
	}

	private void add(String row, String value) {
		System.out.printf("%s: %s%n", row, value);
		this.rows.computeIfAbsent(row, (first) -> new ArrayList<>()).add(value);
	}

	private void print() {
		System.out.printf("%n%s, Java %s%n%n", this.console.version(), System.getProperty("java.version"));
		System.out.println("| |" + join(LEASES.stream().map((lease) -> " lease " + lease.toSeconds() + " s ")));
		System.out.println("|---|" + join(IntStream.range(0, LEASES.size()).mapToObj((lease) -> "--:")));
		this.rows.forEach((row, values) -> System.out
			.println("| " + row + " |" + join(values.stream().map((value) -> " " + value + " "))));
	}

	private static String join(Stream<String> cells) {
		return cells.collect(Collectors.joining("|", "", "|"));
	}

	@FunctionalInterface
	private interface Mishap {

		void happen(LeaseHolder holder) throws IOException, InterruptedException;

	}

}
