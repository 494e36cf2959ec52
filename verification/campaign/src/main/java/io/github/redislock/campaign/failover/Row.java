package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.failover.Statistics.Interval;

/**
 * A row of the table: the fail-overs of one contender that one fault caused.
 *
 * @param results at least one
 */
record Row(Topology topology, Library library, Duration replication, Blow blow, List<Result> results) {

	static final String HEAD = """
			| servers | contender | replication | fault | judged | two holders (95 %) | for, median; longest \
			| increments lost; fail-overs with losses (95 %) | first grant, median; longest \
			| p99 to acquire a free lock before | hot locks taken, seconds each |
			|---|---|---|---|---|---|---|---|---|---|---|""";

	String markdown() {
		List<Result> judged = this.results.stream().filter(Result::isJudged).toList();
		String head = "| %s | %s | %s | %s | %d of %d |".formatted(this.topology.label(), this.library.label(),
				speed(this.topology, this.replication), this.blow.label(), judged.size(), this.results.size());
		double seconds = this.results.stream().mapToLong((result) -> result.took().toMillis()).average().orElse(0)
				/ 1_000;
		if (judged.isEmpty()) {
			return head + String.format(Locale.ROOT, " – | – | – | – | – | –; %.1f |", seconds);
		}
		List<Long> overlaps = judged.stream().map(Result::overlap).filter((overlap) -> overlap > 0).toList();
		long lost = judged.stream().mapToLong(Result::lost).sum();
		int losing = (int) judged.stream().filter((result) -> result.lost() > 0).count();
		List<Long> grants = judged.stream().map(Result::firstGrant).toList();
		List<Long> acquiring = judged.stream().flatMap((result) -> result.acquiring().stream()).toList();
		return head + String.format(Locale.ROOT, " %s | %s | %d; %s | %s | %s | %.0f; %.1f |",
				rate(overlaps.size(), judged.size()), range(overlaps), lost, rate(losing, judged.size()), range(grants),
				acquiring.isEmpty() ? "–" : millis(Statistics.percentile(acquiring, 0.99)),
				judged.stream().mapToLong(Result::taken).average().orElse(0), seconds);
	}

	static String speed(Topology topology, Duration replication) {
		if (topology == Topology.QUORUM) {
			return "none";
		}
		return replication.isZero() ? "fast" : "+" + replication.toMillis() + " ms";
	}

	/**
	 * Return the median and the largest of some times.
	 */
	static String range(List<Long> nanos) {
		return nanos.isEmpty() ? "–"
				: seconds(Statistics.percentile(nanos, 0.5)) + "; " + seconds(Statistics.percentile(nanos, 1));
	}

	private static String rate(int hits, int trials) {
		Interval interval = Statistics.interval(hits, trials);
		return String.format(Locale.ROOT, "%d (%.1f to %.1f %%)", hits, interval.low() * 100, interval.high() * 100);
	}

	private static String seconds(long nanos) {
		return String.format(Locale.ROOT, (nanos < 100_000_000) ? "%.3f s" : "%.2f s", nanos / 1e9);
	}

	private static String millis(long nanos) {
		return String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
	}

}
