package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.report.Report;
import io.github.redislock.benchmarks.report.Results;
import io.github.redislock.benchmarks.report.ResultsFile;

/**
 * The main class of {@code benchmarks/run.sh}.
 */
public final class Benchmarks {

	private static final Path OUTPUT = Path.of("benchmarks", "target");

	private static final Path RESULTS = OUTPUT.resolve("results");

	private final PrintStream output;

	private Benchmarks(PrintStream output) {
		this.output = output;
	}

	/**
	 * Run the command line. The working directory must be the top folder of the project.
	 * @param arguments see {@link Command#USAGE}
	 */
	public static void main(String[] arguments) {
		System.exit(new Benchmarks(System.out).run(arguments));
	}

	private int run(String... arguments) {
		try {
			Command command = Command.parse(arguments);
			switch (command.word()) {
				case "quick", "full", "smoke", "case" -> {
					return measure(command, String.join(" ", arguments)) ? 0 : 1;
				}
				case "report" -> report(command);
				case "list" -> list();
				default -> this.output.print(Command.USAGE);
			}
			return 0;
		}
		catch (IllegalArgumentException ex) {
			this.output.println(ex.getMessage());
			this.output.print(Command.USAGE);
			return 2;
		}
		catch (Exception ex) {
			this.output.println("FAILED: " + ex);
			ex.printStackTrace(this.output);
			return 1;
		}
	}

	/**
	 * Run a measurement, and return whether all contenders could be measured.
	 */
	private boolean measure(Command command, String line) throws Exception {
		Selection selection = command.selection();
		Path file = RESULTS
			.resolve(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").format(LocalDateTime.now()) + ".json");
		boolean complete;
		try (Bench bench = new Bench(command.pace(), RedisServer.start(command.redis()), OUTPUT)) {
			Results results = new Results(Machine.describe(bench, "benchmarks/run.sh " + line));
			results.machine().forEach((name, value) -> this.output.printf("%s: %s%n", name, value));
			CaseRunner runner = new CaseRunner(bench, selection, results, this.output);
			complete = true;
			for (Case chosen : command.choose(Cases.all())) {
				runner.run(chosen);
				ResultsFile.write(results, file);
				if (chosen instanceof FreeCase) {
					complete &= measureServers(command, results);
					ResultsFile.write(results, file);
				}
			}
			complete &= !runner.hasFailed();
		}
		this.output.printf("%n%s%nResults: %s%n", new Report(ResultsFile.read(file)).summary(), file);
		if (command.word().equals("full")) {
			new Report(ResultsFile.read(file)).writeDocumentation();
		}
		return complete;
	}

	/**
	 * Measure a free lock on the other servers, and return whether all contenders could
	 * be measured.
	 */
	private boolean measureServers(Command command, Results results) throws Exception {
		boolean complete = true;
		for (Path server : command.servers()) {
			try (Bench bench = new Bench(command.pace(), RedisServer.start(server), OUTPUT)) {
				CaseRunner runner = new CaseRunner(bench, command.selection(), results, this.output);
				runner.run(new FreeCase(Metrics.FREE_ON + bench.console().version()));
				complete &= !runner.hasFailed();
			}
		}
		return complete;
	}

	private void report(Command command) throws IOException {
		String name = command.file();
		Path file = (name != null) ? Path.of(name) : ResultsFile.newest(RESULTS);
		new Report(ResultsFile.read(file)).writeDocumentation();
		this.output.println("Written into docs/performance.md: " + file);
	}

	private void list() {
		this.output.println("Cases:");
		Cases.all()
			.forEach((chosen) -> this.output.printf("  %-14s %s: %s%n", chosen.name(), chosen.title(),
					chosen.contenders()));
		this.output.println("Contenders:");
		Contenders.all()
			.forEach((contender) -> this.output.printf("  %-14s %s%n", contender.name(), contender.title()));
	}

}
