package io.github.redislock.benchmarks.runner;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.report.Figure;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.report.Results;

/**
 * Runs cases. For each case, prepares all contenders, and measures each of them in each
 * round.
 */
final class CaseRunner {

	private final Bench bench;

	private final Selection selection;

	private final Results results;

	private final PrintStream output;

	private boolean failed;

	CaseRunner(Bench bench, Selection selection, Results results, PrintStream output) {
		this.bench = bench;
		this.selection = selection;
		this.results = results;
		this.output = output;
	}

	void run(Case chosen) throws InterruptedException {
		List<Contender> contenders = new ArrayList<>(this.selection.of(chosen));
		this.output.printf("%n%s: %s%n", chosen.name(), chosen.title());
		if (!chosen.obstacle().isEmpty()) {
			this.output.println("  left out: " + chosen.obstacle());
			return;
		}
		int jvms = chosen.jvms(this.bench.pace());
		for (int jvm = 1; jvm <= jvms; jvm++) {
			measure(chosen, contenders);
			if (jvms > 1) {
				this.bench.pool().drain();
			}
		}
		this.bench.console().flush();
		this.selection.of(chosen).forEach((contender) -> print(chosen, contender));
	}

	boolean hasFailed() {
		return this.failed;
	}

	/**
	 * Measure contenders, and remove those that fail.
	 */
	private void measure(Case chosen, List<Contender> contenders) throws InterruptedException {
		Map<Contender, Run> runs = new LinkedHashMap<>();
		for (Contender contender : contenders) {
			attempt(contender, () -> runs.put(contender, chosen.prepare(this.bench, contender)));
		}
		for (int round = 0; round < chosen.rounds(this.bench.pace()); round++) {
			for (Map.Entry<Contender, Run> entry : List.copyOf(runs.entrySet())) {
				Contender contender = entry.getKey();
				Run run = entry.getValue();
				if (!attempt(contender, () -> this.results.add(chosen.name(), contender.name(), run.round()))) {
					runs.remove(contender);
				}
			}
		}
		for (Map.Entry<Contender, Run> entry : runs.entrySet()) {
			attempt(entry.getKey(), entry.getValue()::close);
		}
		contenders.retainAll(runs.keySet());
	}

	/**
	 * Run one step of a contender. If the step fails, the other contenders continue
	 * without it, but a violation of mutual exclusion ends the whole run.
	 */
	private boolean attempt(Contender contender, Step step) throws InterruptedException {
		try {
			step.run();
			return true;
		}
		catch (Exclusion.ViolatedException | InterruptedException ex) {
			throw ex;
		}
		catch (Exception ex) {
			this.output.printf("  %-14s FAILED: %s%n", contender.name(), ex);
			this.failed = true;
			this.bench.pool().abandon(contender);
			return false;
		}
	}

	private void print(Case chosen, Contender contender) {
		StringJoiner line = new StringJoiner("  ");
		for (Results.Series series : this.results.series()) {
			if (series.caseName().equals(chosen.name()) && series.contender().equals(contender.name())) {
				double value = this.results.median(chosen.name(), contender.name(), series.metric()).orElse(Double.NaN);
				line.add("%s=%s".formatted(series.metric(), (value == Metrics.NEVER) ? "never" : Figure.plain(value)));
			}
		}
		this.output.println("  %-14s %s".formatted(contender.name(), line).toLowerCase(Locale.ROOT));
	}

	private interface Step {

		void run() throws Exception;

	}

}
