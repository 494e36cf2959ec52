package io.github.redislock.campaign;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.redislock.campaign.history.Attempt;
import io.github.redislock.campaign.history.History;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Promise;
import io.github.redislock.campaign.history.Violation;
import io.github.redislock.campaign.nemesis.Fault;
import io.github.redislock.campaign.worker.Setup;
import io.github.redislock.campaign.worker.Witness;
import io.github.redislock.campaign.worker.Witness.Count;

/**
 * The result of a scenario.
 *
 * @param faults how many faults of each kind occurred
 * @param violations the broken promises
 */
record Verdict(Setting setting, Map<Fault, Integer> faults, History history, Witness witness,
		List<Violation> violations) {

	private static final int SHOWN = 5;

	boolean passed() {
		if (this.setting.scenario().holds()) {
			return this.violations.isEmpty();
		}
		boolean ordered = count(Promise.ORDER) + count(Promise.UNIQUE) == 0;
		return count(Promise.EXCLUSION) > 0 && (ordered || !this.setting.scenario().isOrdered());
	}

	boolean isThorough(List<Fault> kinds, Duration length) {
		int strikes = this.faults.values().stream().mapToInt(Integer::intValue).sum();
		return strikes >= this.setting.faultsPerMinute() * length.toMinutes()
				&& holds() >= this.setting.holdsPerMinute() * length.toMinutes()
				&& kinds.stream().allMatch((kind) -> this.faults.getOrDefault(kind, 0) >= this.setting.faultsPerKind());
	}

	String describe() {
		StringBuilder text = new StringBuilder();
		if (this.setting.scenario() == Scenario.MAIN) {
			this.faults.forEach((fault, count) -> text.append("  %-20s %5d%n".formatted(fault.label(), count)));
		}
		text.append("  %d faults; %s%n".formatted(this.faults.values().stream().mapToInt(Integer::intValue).sum(),
				attempts()));
		text.append("  overlaps: %d claimed in the history, %d claimed and %d physical in memory%n".formatted(
				count(Promise.EXCLUSION), this.witness.count(Count.CLAIMED_OVERLAPS),
				this.witness.count(Count.OVERLAPS)));
		text.append("  writes: %d accepted, %d stale writes refused, %d writes of a holder refused%n".formatted(
				this.witness.count(Count.WRITES), this.witness.count(Count.STALE_WRITES),
				this.witness.count(Count.REFUSED_WRITES)));
		text.append("  longest wait beyond the waiting time: %d ms%n".formatted(latest()));
		text.append("  leaders: %d; notified of their end within %d ms (median), %d ms (95 %%)%n".formatted(leaders(),
				told(50), told(95)));
		Map<Promise, Long> broken = this.violations.stream()
			.collect(Collectors.groupingBy(Violation::promise, () -> new EnumMap<>(Promise.class),
					Collectors.counting()));
		broken.forEach((promise, count) -> text.append("  broken %d times: %s%n".formatted(count, promise.text())));
		if (passed()) {
			return text.toString();
		}
		Arrays.stream(Promise.values())
			.forEach((promise) -> this.violations.stream()
				.filter((violation) -> violation.promise() == promise)
				.limit(SHOWN)
				.forEach((violation) -> text.append("  ! ").append(violation).append(System.lineSeparator())));
		return text.toString();
	}

	private long count(Promise promise) {
		return this.violations.stream().filter((violation) -> violation.promise() == promise).count();
	}

	private String attempts() {
		Map<Outcome, Long> outcomes = this.history.attempts()
			.stream()
			.collect(
					Collectors.groupingBy(Attempt::outcome, () -> new EnumMap<>(Outcome.class), Collectors.counting()));
		return "%d attempts, %d holds: %s".formatted(this.history.attempts().size(), holds(), outcomes);
	}

	private long holds() {
		return this.history.attempts().stream().filter((attempt) -> attempt.grant() != null).count();
	}

	private long leaders() {
		return this.history.attempts()
			.stream()
			.filter((attempt) -> attempt.grant() != null && attempt.key().equals(Setup.lock(Setup.ROLE_KEY)))
			.count();
	}

	private long told(int percent) {
		long[] times = this.history.ends().stream().mapToLong((end) -> end.told() - end.due()).sorted().toArray();
		return (times.length > 0) ? times[(times.length - 1) * percent / 100] / 1_000_000 : 0;
	}

	private long latest() {
		return this.history.attempts()
			.stream()
			.mapToLong((attempt) -> attempt.replied() - attempt.invoked() - attempt.waitNanos())
			.max()
			.orElse(0) / 1_000_000;
	}

}
