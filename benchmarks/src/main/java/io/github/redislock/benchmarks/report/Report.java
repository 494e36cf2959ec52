package io.github.redislock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.benchmarks.contender.Contenders;

/**
 * Writes results as tables in Markdown, and as charts.
 */
public final class Report {

	/** The name of the fact that tells the server. */
	public static final String SERVER = "server";

	private static final Path PAGE = Path.of("docs", "performance.md");

	private static final Path IMAGES = Path.of("docs", "images");

	/** The pictures have no alternative text, because the numbers are in the tables. */
	private static final String PICTURES = "\n## Pictures\n\nEach shows a row of the table.\n\n";

	/** The labels of the benchmarks that measure one call. */
	private static final Map<String, String> CALLS = Map.ofEntries(Map.entry("freePair", "`acquire` and `close`, free"),
			Map.entry("reentrantPair", "… held by the same thread"), Map.entry("plainCall", "a method"),
			Map.entry("emptyAdviceCall", "… through a proxy"), Map.entry("templateCall", "… under `execute`"),
			Map.entry("templateCallWithKey", "… with a name and key"),
			Map.entry("annotatedCall", "… with `@DistributedLock`"),
			Map.entry("annotatedCallWithKey", "… and `key = \"#orderId\"`"),
			Map.entry("annotatedCallWithProperty", "… and a property of the argument"));

	private static final List<String> CALLS_IN_ORDER = List.of("freePair", "reentrantPair", "plainCall",
			"emptyAdviceCall", "templateCall", "templateCallWithKey", "annotatedCall", "annotatedCallWithKey",
			"annotatedCallWithProperty");

	private final Results results;

	public Report(Results results) {
		this.results = results;
	}

	/**
	 * Update the results in {@code docs/performance.md}, and write its charts.
	 * @throws IOException if a file cannot be written
	 */
	public void writeDocumentation() throws IOException {
		Files.createDirectories(IMAGES);
		StringBuilder pictures = new StringBuilder();
		for (Picture picture : Picture.ALL) {
			BarChart chart = picture.of(this.results);
			if (!chart.bars().isEmpty()) {
				Files.writeString(IMAGES.resolve(picture.file()), chart.draw());
				pictures.append("![](images/%s)\n\n".formatted(picture.file()));
			}
		}
		Markers markers = new Markers("results");
		Files.writeString(PAGE, markers.replace(Files.readString(PAGE), shown() + PICTURES + pictures));
	}

	/**
	 * Return Markdown tables of what was measured.
	 */
	public String summary() {
		String goals = new GoalTable(this.results)
			.write(Stream.concat(Goal.PROMISED.stream(), Goal.SLOW_NETWORK.stream()).filter(this::isMeasured).toList());
		FreeLockTable free = new FreeLockTable(this.results);
		return Stream.of(free.sentences(), free.write(), goals, calls())
			.filter((part) -> !part.isEmpty())
			.collect(Collectors.joining("\n"));
	}

	private String shown() {
		return """
				%s

				## Where

				%s
				## Measured

				Names in brackets are the libraries' other kinds of lock, and \
				[the limits](../benchmarks/README.md#how-it-measures).

				%s""".formatted(new FreeLockTable(this.results).sentences(), facts(),
				new GoalTable(this.results).writeValues(Goal.SHOWN));
	}

	private boolean isMeasured(Goal goal) {
		return this.results.series().stream().anyMatch((series) -> series.caseName().equals(goal.caseName()));
	}

	private String facts() {
		StringBuilder table = new StringBuilder("| | |\n|---|---|\n");
		this.results.machine().forEach((name, text) -> table.append("| %s | %s |\n".formatted(name, text)));
		return table.toString();
	}

	private String calls() {
		List<String> measured = CALLS_IN_ORDER.stream()
			.filter((call) -> this.results.median("jmh-memory", Contenders.OURS, call + Metrics.NANOS).isPresent())
			.toList();
		if (measured.isEmpty()) {
			return "";
		}
		StringBuilder table = new StringBuilder("| | ns | bytes allocated |\n|---|--:|--:|\n");
		measured.forEach((call) -> table.append("| %s | %s | %s |\n".formatted(CALLS.get(call),
				ofCall(call + Metrics.NANOS), ofCall(call + Metrics.ALLOCATED))));
		return table.toString();
	}

	private String ofCall(String metric) {
		OptionalDouble value = this.results.median("jmh-memory", Contenders.OURS, metric);
		return value.isPresent() ? Figure.plain(value.getAsDouble()) : "–";
	}

}
