package io.github.redislock.benchmarks.runner;

import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.report.Figure;
import io.github.redislock.benchmarks.report.Results;

/**
 * Runs cases: makes all contenders ready, and gives each its turn in each round.
 */
final class CaseRunner {

	private final Bench bench;

	private final Selection selection;

	private final Results results;

	private final PrintStream output;

	CaseRunner(Bench bench, Selection selection, Results results, PrintStream output) {
		this.bench = bench;
		this.selection = selection;
		this.results = results;
		this.output = output;
	}

	void run(Case chosen) throws Exception {
		List<Contender> contenders = this.selection.of(chosen);
		this.output.printf("%n%s: %s%n", chosen.name(), chosen.title());
		if (!chosen.obstacle().isEmpty()) {
			this.output.println("  left out: " + chosen.obstacle());
			return;
		}
		Map<Contender, Run> runs = new LinkedHashMap<>();
		try {
			for (Contender contender : contenders) {
				runs.put(contender, chosen.prepare(this.bench, contender));
			}
			for (int round = 0; round < chosen.rounds(this.bench.pace()); round++) {
				for (Map.Entry<Contender, Run> entry : runs.entrySet()) {
					this.results.add(chosen.name(), entry.getKey().name(), entry.getValue().round());
				}
			}
		}
		finally {
			for (Run run : runs.values()) {
				run.close();
			}
			this.bench.console().flush();
		}
		contenders.forEach((contender) -> print(chosen, contender));
	}

	private void print(Case chosen, Contender contender) {
		StringJoiner line = new StringJoiner("  ");
		for (Results.Series series : this.results.series()) {
			if (series.caseName().equals(chosen.name()) && series.contender().equals(contender.name())) {
				double value = this.results.median(chosen.name(), contender.name(), series.metric()).orElse(Double.NaN);
				line.add("%s=%s".formatted(series.metric(), Figure.plain(value)));
			}
		}
		this.output.println("  %-14s %s".formatted(contender.name(), line).toLowerCase(Locale.ROOT));
	}

}
