package io.github.redislock.campaign.failover;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

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

	private final List<String> rows = new ArrayList<>();

	private final List<String> crashes = new ArrayList<>();

	private final List<String> csv = new ArrayList<>();

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
		Path file = RESULTS
			.resolve(LocalDateTime.now().format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss")) + ".csv");
		Files.createDirectories(RESULTS);
		String head = head();
		System.out.println(head);
		this.csv.add("# " + head);
		this.csv.add("servers,contender,replication_ms,fault,judged,two_holders_ms,increments_lost,first_grant_ms,"
				+ "hot_locks_taken,seconds,reason");
		for (Topology topology : this.command.topologies()) {
			for (Library library : this.command.libraries(topology)) {
				for (Duration replication : this.command.replications(topology)) {
					failOver(topology, library, replication);
					Files.write(file, this.csv);
				}
				crash(topology, library);
				Files.write(file, this.csv);
			}
		}
		System.out.println();
		System.out.println(head);
		if (!this.rows.isEmpty()) {
			System.out.println();
			System.out.println(Row.HEAD);
			this.rows.forEach(System.out::println);
		}
		if (!this.crashes.isEmpty()) {
			System.out.println();
			System.out.println("| servers | contender | lease | locks | the next caller has the lock of a dead holder "
					+ "after, median; longest |");
			System.out.println("|---|---|---|---|---|");
			this.crashes.forEach(System.out::println);
		}
		System.out.println();
		System.out.println("CSV: " + file.toAbsolutePath());
	}

	private void failOver(Topology topology, Library library, Duration replication) {
		List<Blow> blows = this.command.blows(topology);
		int all = blows.size() * this.command.times();
		if (all == 0) {
			return;
		}
		System.out.printf("%n%s, %s, replication %s: %d fail-overs%n", topology.label(), library.label(),
				Row.speed(topology, replication), all);
		List<Result> results = new ArrayList<>();
		new Series(topology, library, replication, this.command.lease(), new Random(this.command.seed())).run(blows,
				this.command.times(), (result) -> {
					results.add(result);
					report(topology, library, replication, result, results.size(), all);
				});
		for (Blow blow : blows) {
			Row row = new Row(topology, library, replication, blow,
					results.stream().filter((result) -> result.blow() == blow).toList());
			this.rows.add(row.markdown());
		}
	}

	private void report(Topology topology, Library library, Duration replication, Result result, int number, int all) {
		String reason = Objects.requireNonNullElse(result.fault(), "");
		double overlap = result.overlap() / 1e6;
		double firstGrant = result.firstGrant() / 1e6;
		double seconds = result.took().toMillis() / 1e3;
		this.csv.add(String.format(Locale.ROOT, "%s,%s,%d,%s,%s,%.3f,%d,%.1f,%d,%.1f,%s", topology.label(),
				library.label(), replication.toMillis(), result.blow().label(), result.isJudged(), overlap,
				result.lost(), firstGrant, result.taken(), seconds, reason.replace(',', ';')));
		String outcome = result.isJudged()
				? String.format(Locale.ROOT, "two holders for %.1f ms, %d increments lost, first grant after %.0f ms",
						overlap, result.lost(), firstGrant)
				: "not judged: " + reason;
		System.out.printf(Locale.ROOT, "  %d/%d %s: %s (%.1f s)%n", number, all, result.blow().label(), outcome,
				seconds);
	}

	private void crash(Topology topology, Library library) {
		if (this.command.crashes() == 0) {
			return;
		}
		System.out.printf("%n%s, %s: holders die%n", topology.label(), library.label());
		Map<Duration, List<Long>> waits;
		try {
			waits = new Crashes(topology, library, this.command.crashes(), new Random(this.command.seed())).run();
		}
		catch (RuntimeException ex) {
			this.crashes.add("| %s | %s | – | not judged: %s | – |".formatted(topology.label(), library.label(),
					ex.getMessage()));
			return;
		}
		waits.forEach((lease, ofLease) -> {
			this.crashes.add("| %s | %s | %d s | %d of %d | %s |".formatted(topology.label(), library.label(),
					lease.toSeconds(), ofLease.size(), this.command.crashes(), Row.range(ofLease)));
			ofLease
				.forEach((wait) -> this.csv.add(String.format(Locale.ROOT, "%s,%s,0,crash-lease-%d,true,0,0,%.1f,0,0,",
						topology.label(), library.label(), lease.toSeconds(), wait / 1e6)));
		});
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
