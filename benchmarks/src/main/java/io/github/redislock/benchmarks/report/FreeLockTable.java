package io.github.redislock.benchmarks.report;

import java.lang.module.ModuleDescriptor.Version;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.stats.Median;

/**
 * Writes the times of a free lock on each server as a table in Markdown.
 */
final class FreeLockTable {

	/** The targets relative to raw Lettuce. */
	private static final Target SCRIPT = timesRaw(1.1);

	private static final Target COMMAND = timesRaw(1);

	private static final Target OVER_JEDIS = timesRaw(0.65);

	private static final Target BELOW_SPRING = Target.atMostTimes(0.95, Contenders.SPRING_SPIN, "Spring Integration");

	private static final String HEAD = """
			| free lock | p50, µs | quartiles | server CPU, µs | × raw Lettuce | in each JVM | × Spring Integration |
			|---|--:|--:|--:|--:|--:|--:|
			""";

	private static final String NOTHING = "–";

	private final Results results;

	FreeLockTable(Results results) {
		this.results = results;
	}

	/**
	 * Write the table, or an empty string if no free lock was measured.
	 */
	String write() {
		StringBuilder rows = new StringBuilder();
		cases().forEach((caseName) -> {
			append(rows, caseName, "one core", Metrics.ONE_CORE);
			append(rows, caseName, "all cores", "");
		});
		return rows.isEmpty() ? "" : HEAD + rows;
	}

	/**
	 * Return the numbers that the project's front page shows, as sentences. A sentence
	 * whose numbers were not measured is left out.
	 */
	String sentences() {
		String free = sentence("With " + server(Metrics.FREE) + " and its client on one core, acquiring and releasing"
				+ " a free lock takes %s µs with Redis Lock over Lettuce and %s over Jedis, %s with Spring Integration,"
				+ " %s with Redisson, and %s with the shortest lock written by hand, over Lettuce. ",
				pair(Contenders.OURS), pair(Contenders.OURS_JEDIS), pair(Contenders.SPRING_SPIN),
				pair(Contenders.REDISSON), pair(Contenders.RAW));
		String busy = sentence("64 threads of one JVM acquire a busy lock %s times per second with Redis Lock, and %s"
				+ " times with Redisson.", rate(Contenders.OURS), rate(Contenders.REDISSON));
		return (free + busy).strip();
	}

	private static String sentence(String format, OptionalDouble... numbers) {
		List<String> texts = Stream.of(numbers).map(FreeLockTable::text).toList();
		return texts.contains(NOTHING) ? "" : format.formatted(texts.toArray());
	}

	private OptionalDouble pair(String contender) {
		return this.results.median(Metrics.FREE, contender, Metrics.PAIR_P50 + Metrics.ONE_CORE);
	}

	private OptionalDouble rate(String contender) {
		return this.results.median("hot-jvm", contender, Metrics.RATE);
	}

	private List<String> cases() {
		return this.results.series()
			.stream()
			.map(Results.Series::caseName)
			.filter((name) -> name.equals(Metrics.FREE) || name.startsWith(Metrics.FREE_ON))
			.distinct()
			.toList();
	}

	private String server(String caseName) {
		return caseName.equals(Metrics.FREE) ? this.results.machine().getOrDefault(Report.SERVER, "Redis")
				: caseName.substring(Metrics.FREE_ON.length());
	}

	private void append(StringBuilder rows, String caseName, String cores, String suffix) {
		String server = server(caseName);
		String metric = Metrics.PAIR_P50 + suffix;
		rows.append("| **%s, %s** | | | | | | |\n".formatted(server, cores));
		for (Contender contender : Contenders.all()) {
			List<Double> times = this.results.values(caseName, contender.name(), metric).stream().sorted().toList();
			if (!times.isEmpty()) {
				rows.append("| %s | %s | %s–%s | %s | %s | %s | %s |\n".formatted(contender.title(),
						Figure.plain(Median.of(times)), quantile(times, 0.25), quantile(times, 0.75),
						text(this.results.median(caseName, contender.name(), Metrics.SERVER_CPU + suffix)),
						comparison(caseName, contender, rawTarget(contender, server), metric),
						span(this.results.ratios(caseName, contender.name(), Contenders.RAW, metric)),
						comparison(caseName, contender, BELOW_SPRING, metric)));
			}
		}
	}

	private String comparison(String caseName, Contender contender, Target target, String metric) {
		OptionalDouble ratio = this.results.ratio(caseName, contender.name(), String.valueOf(target.reference()),
				metric);
		if (!contender.name().startsWith(Contenders.OURS) || ratio.isEmpty()) {
			return text(ratio);
		}
		String missed = target.missedBy(this.results, caseName, contender.name(), metric);
		return "**%s** (%s)".formatted(text(ratio),
				missed.equals(Target.MET) ? target.bound() : target.bound() + ", missed by " + missed);
	}

	private static Target rawTarget(Contender contender, String server) {
		if (contender.name().startsWith(Contenders.OURS_JEDIS)) {
			return OVER_JEDIS;
		}
		return comparesAndDeletes(server) ? COMMAND : SCRIPT;
	}

	/**
	 * Return whether a server has a command that deletes a key if it has a given value.
	 * @param server the kind and the version, for example {@code Redis 8.6.3}
	 */
	static boolean comparesAndDeletes(String server) {
		String[] parts = server.split(" ");
		Version first = Version.parse(parts[0].equals("Valkey") ? "9" : "8.4");
		return parts.length == 2 && Character.isDigit(parts[1].charAt(0))
				&& Version.parse(parts[1]).compareTo(first) >= 0;
	}

	private static Target timesRaw(double factor) {
		return Target.atMostTimes(factor, Contenders.RAW, "raw Lettuce");
	}

	private static String quantile(List<Double> sorted, double share) {
		return Figure.plain(sorted.get((int) Math.round(share * (sorted.size() - 1))));
	}

	private static String span(List<Double> ratios) {
		return ratios.isEmpty() ? NOTHING
				: Figure.plain(Collections.min(ratios)) + "–" + Figure.plain(Collections.max(ratios));
	}

	private static String text(OptionalDouble value) {
		return value.isPresent() ? Figure.plain(value.getAsDouble()) : NOTHING;
	}

}
