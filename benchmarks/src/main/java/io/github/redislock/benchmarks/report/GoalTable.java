package io.github.redislock.benchmarks.report;

import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

import io.github.redislock.benchmarks.contender.Contenders;
import org.jspecify.annotations.Nullable;

/**
 * Writes goals and their measured values as a table in Markdown.
 */
final class GoalTable {

	private static final List<String> OTHERS = List.of(Contenders.REDISSON_FAIR, Contenders.REDISSON_SPIN,
			Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);

	private static final String NOTHING = "–";

	private final Results results;

	GoalTable(Results results) {
		this.results = results;
	}

	String write(List<Goal> goals) {
		StringBuilder table = new StringBuilder("""
				| case | limit | Redisson | best other peer | Redis Lock | target | missed by |
				|---|--:|--:|--:|--:|--:|--:|
				""");
		goals.forEach((goal) -> table.append("| ").append(String.join(" | ", cells(goal))).append(" |\n"));
		return table.toString();
	}

	/**
	 * Write the measured values only, without the targets.
	 */
	String writeValues(List<Goal> goals) {
		StringBuilder table = new StringBuilder("""
				| case | Redis Lock | Redisson | best other peer | limit |
				|---|--:|--:|--:|--:|
				""");
		goals.forEach((goal) -> table
			.append("| %s | **%s** | %s | %s | %s |\n".formatted(goal.title(), text(value(goal, goal.contender())),
					text(value(goal, Contenders.REDISSON)), bestOther(goal), limits(goal))));
		return table.toString();
	}

	private List<String> cells(Goal goal) {
		Target target = goal.target();
		OptionalDouble ours = value(goal, goal.contender());
		return List.of(goal.title(), limits(goal), text(value(goal, Contenders.REDISSON)), bestOther(goal),
				"**" + text(ours) + "**" + comparison(goal), target.text(),
				target.missedBy(this.results, goal.caseName(), goal.contender(), goal.metric()));
	}

	private String limits(Goal goal) {
		String text = goal.limits()
			.stream()
			.map((limit) -> measured(goal, limit))
			.filter(Objects::nonNull)
			.collect(Collectors.joining("; "));
		return text.isEmpty() ? NOTHING : text;
	}

	private String bestOther(Goal goal) {
		@Nullable String best = null;
		for (String other : OTHERS) {
			OptionalDouble value = value(goal, other);
			if (value.isPresent() && (best == null
					|| goal.target().better().is(value.getAsDouble(), value(goal, best).orElseThrow()))) {
				best = other;
			}
		}
		return (best != null) ? text(value(goal, best)) + " (" + best + ")" : NOTHING;
	}

	/**
	 * Return the ratio of our value to the value of the target's reference contender, or
	 * an empty string if there is no such ratio.
	 */
	private String comparison(Goal goal) {
		String reference = goal.target().reference();
		if (reference == null) {
			return "";
		}
		OptionalDouble ratio = this.results.ratio(goal.caseName(), goal.contender(), reference, goal.metric());
		return ratio.isPresent() ? " (" + Figure.plain(ratio.getAsDouble()) + " ×)" : "";
	}

	private OptionalDouble value(Goal goal, String contender) {
		return this.results.median(goal.caseName(), contender, goal.metric());
	}

	private @Nullable String measured(Goal goal, String limit) {
		OptionalDouble value = value(goal, limit);
		if (value.isEmpty()) {
			return null;
		}
		return (goal.limits().size() > 1) ? text(value) + " (" + limit + ")" : text(value);
	}

	private static String text(OptionalDouble value) {
		if (value.isEmpty()) {
			return NOTHING;
		}
		return (value.getAsDouble() == Metrics.NEVER) ? "never" : Figure.plain(value.getAsDouble());
	}

}
