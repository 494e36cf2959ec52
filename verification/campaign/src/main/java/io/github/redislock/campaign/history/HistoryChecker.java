package io.github.redislock.campaign.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.redislock.campaign.history.Attempt.Grant;

/**
 * Looks for violations in a history.
 * <p>
 * Each grant has a fencing token, which gives its place in the order of all grants.
 * Therefore it is enough to sort the grants, and no search is needed.
 */
public final class HistoryChecker {

	private final Rules rules;

	private final List<Violation> violations = new ArrayList<>();

	private HistoryChecker(Rules rules) {
		this.rules = rules;
	}

	public static List<Violation> check(History history, Rules rules) {
		HistoryChecker checker = new HistoryChecker(rules);
		Map<String, List<Attempt>> byKey = history.attempts().stream().collect(Collectors.groupingBy(Attempt::key));
		byKey.values().forEach((attempts) -> {
			List<Attempt> holds = attempts.stream().filter((attempt) -> attempt.grant() != null).toList();
			checker.checkExclusion(holds);
			checker.checkOrder(holds, Attempt::invoked, Attempt::replied);
			if (rules.kept()) {
				// If Redis forgets no lock, each hold begins after the end of the
				// previous one.
				checker.checkOrder(holds.stream().filter((hold) -> grant(hold).claims()).toList(),
						(hold) -> grant(hold).from(), (hold) -> grant(hold).until());
			}
			checker.checkUniqueness(holds);
			checker.checkLosses(holds);
		});
		checker.violations.addAll(RefusalChecker.check(byKey, rules));
		checker.checkWaits(history);
		checker.checkEnds(history);
		history.unexpected().forEach((text) -> checker.report(Promise.NO_SURPRISE, text));
		return checker.violations;
	}

	private void checkExclusion(List<Attempt> holds) {
		Attempt longest = null;
		for (Attempt next : sorted(holds, (hold) -> grant(hold).from())) {
			if (longest != null && grant(next).from() < grant(longest).until() && grant(next).claims()) {
				report(Promise.EXCLUSION,
						"for %s\n    %s\n    %s".formatted(
								micros(Math.min(grant(longest).until(), grant(next).until()) - grant(next).from()),
								longest, next));
			}
			if (longest == null || grant(next).until() > grant(longest).until()) {
				longest = next;
			}
		}
	}

	/**
	 * Check that a hold that begins after the end of another one has a greater token.
	 */
	private void checkOrder(List<Attempt> holds, Function<Attempt, Long> begin, Function<Attempt, Long> end) {
		List<Attempt> byEnd = sorted(holds, end);
		Attempt greatest = null;
		int ended = 0;
		for (Attempt next : sorted(holds, begin)) {
			while (ended < byEnd.size() && end.apply(byEnd.get(ended)) < begin.apply(next)) {
				Attempt earlier = byEnd.get(ended);
				greatest = (greatest == null || grant(earlier).token() > grant(greatest).token()) ? earlier : greatest;
				ended++;
			}
			if (greatest != null && grant(greatest).token() > grant(next).token()) {
				report(Promise.ORDER, "\n    %s\n    %s".formatted(greatest, next));
			}
		}
	}

	private void checkUniqueness(List<Attempt> holds) {
		Map<Long, Attempt> byToken = new HashMap<>();
		for (Attempt hold : holds) {
			Attempt other = byToken.put(grant(hold).token(), hold);
			if (other != null) {
				report(Promise.UNIQUE, "\n    %s\n    %s".formatted(other, hold));
			}
		}
	}

	private void checkLosses(List<Attempt> holds) {
		if (this.rules.kept()) {
			holds.stream()
				.filter((hold) -> hold.outcome() == Outcome.TAKEN)
				.forEach((hold) -> report(Promise.KEPT, "\n    " + hold));
		}
	}

	private void checkWaits(History history) {
		long room = this.rules.room().toNanos();
		for (Attempt attempt : history.attempts()) {
			if (attempt.outcome() == Outcome.STUCK && attempt.grant() == null) {
				report(Promise.BOUNDED_WAIT, "no reply\n    " + attempt);
			}
			long late = attempt.replied() - attempt.invoked() - attempt.waitNanos();
			if (late > room && late - stopped(history, attempt.client(), attempt.invoked(), attempt.replied()) > room) {
				report(Promise.BOUNDED_WAIT, "%s late\n    %s".formatted(micros(late), attempt));
			}
		}
	}

	private void checkEnds(History history) {
		long telling = this.rules.telling().toNanos();
		for (History.End end : history.ends()) {
			long late = end.told() - end.due();
			if (late > telling && late - stopped(history, end.client(), end.due(), end.told()) > telling) {
				report(Promise.TOLD, "%s late\n    %s".formatted(micros(late), end));
			}
			if (late < 0 && this.rules.kept()) {
				report(Promise.TOLD, "%s early\n    %s".formatted(micros(-late), end));
			}
		}
	}

	private static long stopped(History history, String client, long begin, long end) {
		return history.stops()
			.stream()
			.filter((stop) -> stop.client().equals(client))
			.mapToLong((stop) -> stop.within(begin, end))
			.sum();
	}

	private void report(Promise promise, String what) {
		this.violations.add(new Violation(promise, what));
	}

	private static List<Attempt> sorted(List<Attempt> attempts, Function<Attempt, Long> time) {
		return attempts.stream().sorted(Comparator.comparing(time)).toList();
	}

	private static Grant grant(Attempt hold) {
		Grant grant = hold.grant();
		if (grant == null) {
			throw new IllegalArgumentException("No grant: " + hold);
		}
		return grant;
	}

	private static String micros(long nanos) {
		return nanos / 1_000 + " us";
	}

}
