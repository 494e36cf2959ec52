package io.github.redislock.campaign.failover;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.testing.RedisProcess;
import io.lettuce.core.RedisClient;
import org.redisson.Redisson;
import org.slf4j.LoggerFactory;

import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * Causes fail-overs while this library and others are under load, and prints what each of
 * them costs. Nothing is judged right or wrong: a fail-over with two holders is a figure,
 * not a failure.
 */
public final class FailOvers {

	private static final Path RESULTS = Path.of("verification", "campaign", "target", "fail-overs");

	private final FailOverCommand command;

	private final Path file = RESULTS
		.resolve(LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")) + ".csv");

	private FailOvers(FailOverCommand command) {
		this.command = command;
	}

	/**
	 * Run all fail-overs, and print the tables.
	 * @param arguments see {@link FailOverCommand#USAGE}
	 * @return the exit code: 0, or 2 if the command is invalid
	 * @throws IOException if the CSV cannot be written
	 */
	public static int run(List<String> arguments) throws IOException {
		FailOverCommand command;
		try {
			command = FailOverCommand.parse(arguments);
		}
		catch (IllegalArgumentException ex) {
			System.out.println(ex.getMessage());
			System.out.println(FailOverCommand.USAGE);
			return 2;
		}
		// All libraries log that servers fail, most of them with stack traces.
		((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
		new FailOvers(command).run();
		return 0;
	}

	private void run() throws IOException {
		Files.createDirectories(RESULTS);
		String head = head();
		System.out.println(head);
		Files.writeString(this.file, """
				# %s
				servers,contender,replication_ms,fault,judged,two_holders_ms,increments_lost,first_grant_ms,\
				hot_locks_taken,seconds,reason
				""".formatted(head));
		List<Callable<List<String>>> series = new ArrayList<>();
		List<Callable<List<String>>> crashes = new ArrayList<>();
		for (Topology topology : this.command.topologies()) {
			for (Library library : this.command.libraries(topology)) {
				for (Duration replication : this.command.replications(topology)) {
					series.add(() -> failOver(topology, library, replication));
				}
				crashes.add(() -> crash(topology, library));
			}
		}
		List<String> rows = all(series);
		List<String> dead = all(crashes);
		System.out.println();
		System.out.println(head);
		if (!rows.isEmpty()) {
			System.out.println();
			System.out.println(Row.HEAD);
			rows.forEach(System.out::println);
		}
		if (!dead.isEmpty()) {
			System.out.println();
			System.out.println("| servers | contender | lease | locks | the next caller has the lock of a dead holder "
					+ "after, median; longest |");
			System.out.println("|---|---|---|---|---|");
			dead.forEach(System.out::println);
		}
		System.out.println();
		System.out.println("CSV: " + this.file.toAbsolutePath());
	}

	/**
	 * Run as many tasks at the same time as the command says, and return the rows of all
	 * in the order of the tasks.
	 */
	private List<String> all(List<Callable<List<String>>> tasks) {
		ExecutorService executor = Executors.newFixedThreadPool(this.command.parallel());
		try {
			List<String> rows = new ArrayList<>();
			for (Future<List<String>> task : executor.invokeAll(tasks)) {
				rows.addAll(task.get());
			}
			return rows;
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			executor.shutdownNow();
		}
	}

	private List<String> failOver(Topology topology, Library library, Duration replication) {
		List<Blow> blows = this.command.blows(topology);
		int all = blows.size() * this.command.times();
		if (all == 0) {
			return List.of();
		}
		String what = topology.label() + ", " + library.label() + ", replication " + Row.speed(topology, replication);
		List<Result> results = new ArrayList<>();
		new Series(topology, library, replication, this.command.lease(), new Random(this.command.seed())).run(blows,
				this.command.times(), (result) -> {
					results.add(result);
					System.out.printf("%s: %d/%d %s%n", what, results.size(), all, outcome(result));
					append(csv(topology, library, replication, result));
				});
		return blows.stream()
			.map((blow) -> new Row(topology, library, replication, blow,
					results.stream().filter((result) -> result.blow() == blow).toList()))
			.map(Row::markdown)
			.toList();
	}

	private static String csv(Topology topology, Library library, Duration replication, Result result) {
		return String.format(Locale.ROOT, "%s,%s,%d,%s,%s,%.3f,%d,%.1f,%d,%.1f,%s", topology.label(), library.label(),
				replication.toMillis(), result.blow().label(), result.isJudged(), result.overlap() / 1e6, result.lost(),
				result.firstGrant() / 1e6, result.taken(), result.took().toMillis() / 1e3,
				Objects.requireNonNullElse(result.fault(), "").replace(',', ';'));
	}

	private static String outcome(Result result) {
		String outcome = result.isJudged()
				? String.format(Locale.ROOT, "two holders for %.1f ms, %d increments lost, first grant after %.0f ms",
						result.overlap() / 1e6, result.lost(), result.firstGrant() / 1e6)
				: "not judged: " + result.fault();
		return String.format(Locale.ROOT, "%s: %s (%.1f s)", result.blow().label(), outcome,
				result.took().toMillis() / 1e3);
	}

	/**
	 * Write a line at once, so that a run that is ended early leaves its results.
	 */
	private synchronized void append(String line) {
		try {
			Files.writeString(this.file, line + "\n", StandardOpenOption.APPEND);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private List<String> crash(Topology topology, Library library) {
		List<String> rows = new ArrayList<>();
		if (this.command.crashes() == 0) {
			return rows;
		}
		System.out.printf("%s, %s: holders die%n", topology.label(), library.label());
		try {
			Map<Duration, List<Long>> waits = new Crashes(topology, library, this.command.crashes(),
					new Random(this.command.seed()))
				.run();
			waits.forEach((lease, ofLease) -> {
				rows.add("| %s | %s | %d s | %d of %d | %s |".formatted(topology.label(), library.label(),
						lease.toSeconds(), ofLease.size(), this.command.crashes(), Row.range(ofLease)));
				ofLease.forEach((wait) -> append(String.format(Locale.ROOT, "%s,%s,0,crash-lease-%d,true,0,0,%.1f,0,0,",
						topology.label(), library.label(), lease.toSeconds(), wait / 1e6)));
			});
		}
		catch (RuntimeException ex) {
			rows.add("| %s | %s | – | not judged: %s | – |".formatted(topology.label(), library.label(),
					ex.getMessage()));
		}
		return rows;
	}

	private String head() {
		return "Fail-overs, seed %d, %d of each fault, lease %d ms; ".formatted(this.command.seed(),
				this.command.times(), this.command.lease().toMillis())
				+ "Redis %s, Redisson %s, Spring Integration %s, Lettuce %s, Java %s, %d cores".formatted(redis(),
						version(Redisson.class), version(RedisLockRegistry.class), version(RedisClient.class),
						Runtime.version(), Runtime.getRuntime().availableProcessors());
	}

	private static String redis() {
		try (RedisProcess server = RedisProcess.start()) {
			return String.valueOf(server.command("INFO", "server"))
				.lines()
				.filter((line) -> line.startsWith("redis_version:"))
				.findFirst()
				.map((line) -> line.substring(line.indexOf(':') + 1))
				.orElse("unknown");
		}
	}

	private static String version(Class<?> type) {
		return Objects.requireNonNullElse(type.getPackage().getImplementationVersion(), "unknown");
	}

}
