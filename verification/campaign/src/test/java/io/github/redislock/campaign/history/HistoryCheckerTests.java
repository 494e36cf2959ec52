package io.github.redislock.campaign.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.github.redislock.campaign.history.Attempt.Grant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.redislock.campaign.history.Histories.MS;
import static io.github.redislock.campaign.history.Histories.RULES;
import static io.github.redislock.campaign.history.Histories.hold;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

class HistoryCheckerTests {

	@Test
	void correctHistoryHasNoViolation() {
		for (int seed = 0; seed < 50; seed++) {
			assertThat(Histories.check(Histories.good(300, seed))).isEmpty();
		}
	}

	/**
	 * One attempt among hundreds is slightly changed, and the checker must find the
	 * change.
	 */
	@ParameterizedTest(name = "{0}")
	@MethodSource("mutants")
	void eachMutantOfAHistoryIsFound(String name, Promise broken, UnaryOperator<Attempt> mutation) {
		for (int seed = 0; seed < 50; seed++) {
			List<Attempt> attempts = new ArrayList<>(Histories.good(300, seed));
			// A hold in the middle, so that later holds of the same key reveal the
			// change.
			int victim = 2 * (50 + new Random(seed).nextInt(200));
			attempts.set(victim, mutation.apply(attempts.get(victim)));

			assertThat(Histories.check(attempts)).as("mutant of seed %d", seed)
				.extracting(Violation::promise)
				.contains(broken);
		}
	}

	static Stream<Arguments> mutants() {
		return Stream.of(
				mutant("claims until the next one holds", Promise.EXCLUSION,
						(hold) -> ending(hold, hold.replied() + 32_000)),
				mutant("claims without end", Promise.EXCLUSION, (hold) -> ending(hold, Long.MAX_VALUE)),
				mutant("has the next one's token", Promise.UNIQUE, (hold) -> token(hold, 3)),
				mutant("has the previous one's token", Promise.UNIQUE, (hold) -> token(hold, -3)),
				mutant("has a greater token than the next one", Promise.ORDER, (hold) -> token(hold, 4)),
				mutant("has a smaller token than the previous one", Promise.ORDER, (hold) -> token(hold, -4)),
				mutant("has a smaller token than one that held before it, though it asked before", Promise.ORDER,
						(hold) -> token(asked(hold, hold.replied() - 90 * MS), -4)),
				mutant("ended late", Promise.BOUNDED_WAIT, (hold) -> asked(hold, hold.replied() - 101 * MS)),
				mutant("never ended", Promise.BOUNDED_WAIT, HistoryCheckerTests::stuck),
				mutant("was notified of a loss too early", Promise.KEPT, (hold) -> taken(hold)));
	}

	@Test
	void stoppedProcessIsNotLate() {
		Attempt late = asked(hold("c1.1", "key", "c1.1/x", 1, 500 * MS, 501 * MS), 300 * MS);

		List<Violation> violations = HistoryChecker.check(new History(List.of(late), List.of(),
				List.of(new History.Stop("c1.1", 350 * MS, 480 * MS), new History.Stop("c2.1", 0, 300 * MS)),
				List.of()), RULES);

		assertThat(violations).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(longs = { -1, 50 * MS + 1 })
	void leaderNotifiedTooLateOrTooEarlyIsReported(long late) {
		List<History.End> ends = new ArrayList<>(
				Stream.generate(() -> new History.End("c1.1", 500 * MS, 550 * MS)).limit(10).toList());
		assertThat(check(ends)).isEmpty();

		ends.set(5, new History.End("c1.1", 500 * MS, 500 * MS + late));

		assertThat(check(ends)).extracting(Violation::promise).containsExactly(Promise.TOLD);
	}

	@Test
	void delayOfALeaderIsExcusedWhileItIsStopped() {
		History.End end = new History.End("c1.1", 500 * MS, 900 * MS);

		assertThat(check(List.of(end), new History.Stop("c1.1", 400 * MS, 850 * MS))).isEmpty();
		assertThat(check(List.of(end), new History.Stop("c1.1", 400 * MS, 849 * MS))).hasSize(1);
		assertThat(check(List.of(end), new History.Stop("c2.1", 400 * MS, 900 * MS))).hasSize(1);
	}

	@Test
	void earlyNoticeToALeaderIsAllowedForAForgetfulStore() {
		Rules forgetful = new Rules(RULES.room(), RULES.afterlife(), RULES.memory(), RULES.telling(), false, true);
		History history = new History(List.of(), List.of(new History.End("c1.1", 500 * MS, 400 * MS)), List.of(),
				List.of());

		assertThat(HistoryChecker.check(history, forgetful)).isEmpty();
	}

	@Test
	void stopOfAnotherProcessDoesNotExcuseADelay() {
		Attempt late = asked(hold("c1.1", "key", "c1.1/x", 1, 500 * MS, 501 * MS), 300 * MS);

		List<Violation> violations = HistoryChecker.check(
				new History(List.of(late), List.of(), List.of(new History.Stop("c2.1", 300 * MS, 500 * MS)), List.of()),
				RULES);

		assertThat(violations).extracting(Violation::promise).containsExactly(Promise.BOUNDED_WAIT);
	}

	@Test
	void longHoldIsComparedWithEveryLaterHold() {
		List<Attempt> attempts = List.of(hold("c1.1", "key", "a", 1, 0, 9_000),
				hold("c2.1", "key", "b", 2, 3_000, 3_500), hold("c3.1", "key", "c", 3, 6_000, 7_000));

		assertThat(Histories.check(attempts)).filteredOn((violation) -> violation.promise() == Promise.EXCLUSION)
			.hasSize(2);
	}

	@Test
	void unexpectedExceptionIsReported() {
		History history = new History(List.of(), List.of(), List.of(), List.of("NullPointerException"));

		assertThat(HistoryChecker.check(history, RULES))
			.containsExactly(new Violation(Promise.NO_SURPRISE, "NullPointerException"));
	}

	private static List<Violation> check(List<History.End> ends, History.Stop... stops) {
		return HistoryChecker.check(new History(List.of(), ends, List.of(stops), List.of()), RULES);
	}

	private static Arguments mutant(String name, Promise broken, UnaryOperator<Attempt> mutation) {
		return arguments(name, broken, mutation);
	}

	private static Attempt ending(Attempt hold, long until) {
		Grant grant = hold.grant();
		return changed(hold, hold.invoked(), new Grant(grant.token(), grant.owner(), grant.from(), until),
				hold.outcome());
	}

	private static Attempt token(Attempt hold, long difference) {
		Grant grant = hold.grant();
		return changed(hold, hold.invoked(),
				new Grant(grant.token() + difference, grant.owner(), grant.from(), grant.until()), hold.outcome());
	}

	private static Attempt asked(Attempt hold, long invoked) {
		return changed(hold, invoked, hold.grant(), hold.outcome());
	}

	private static Attempt stuck(Attempt hold) {
		return changed(hold, hold.invoked(), null, Outcome.STUCK);
	}

	private static Attempt taken(Attempt hold) {
		return changed(hold, hold.invoked(), hold.grant(), Outcome.TAKEN);
	}

	private static Attempt changed(Attempt hold, long invoked, Grant grant, Outcome outcome) {
		return new Attempt(hold.client(), hold.key(), hold.ownToken(), hold.waitNanos(), invoked, hold.replied(), grant,
				outcome, hold.ended(), hold.holder());
	}

}
