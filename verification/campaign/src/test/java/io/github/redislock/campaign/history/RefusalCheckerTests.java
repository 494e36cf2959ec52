package io.github.redislock.campaign.history;

import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.Test;

import static io.github.redislock.campaign.history.Histories.MS;
import static io.github.redislock.campaign.history.Histories.check;
import static io.github.redislock.campaign.history.Histories.hold;
import static io.github.redislock.campaign.history.Histories.refused;
import static org.assertj.core.api.Assertions.assertThat;

class RefusalCheckerTests {

	private static final long LONG_AGO = 10 * MS;

	private static final long NOW = 1_000 * MS;

	@Test
	void refusalNamingTheCurrentHolderIsAccepted() {
		assertThat(check(List.of(hold("c1.1", "key", "c1.1/a", 1, NOW, NOW + 9_000),
				refused("c2.1", "key", null, NOW + 1_000, NOW + 2_000, "c1.1/a"))))
			.isEmpty();
	}

	@Test
	void refusalOfAFreeLockIsReported() {
		assertWrong("no other caller could have had the lock",
				hold("c1.1", "key", "c1.1/a", 1, LONG_AGO, LONG_AGO + 9_000),
				refused("c2.1", "key", null, NOW, NOW + 1_000, null));
	}

	@Test
	void refusalNamingTheCallerItselfIsReported() {
		assertWrong("only the refused caller itself", hold("c1.1", "key", "c1.1/a", 1, NOW, NOW + 9_000),
				refused("c2.1", "key", "mine", NOW, NOW + 1_000, "mine"));
	}

	@Test
	void holderIsRecognizedByAPrefixOfItsToken() {
		Attempt inside = hold("c1.1", "key", "3f2a77b2c4d5-own-c1.1", 1, NOW, NOW + 9_000);

		assertThat(check(List.of(inside, refused("c2.1", "key", null, NOW, NOW + 1_000, "3f2a77…")))).isEmpty();
		assertThat(check(List.of(inside, refused("c2.1", "key", "3f2a77-mine-c2.1", NOW, NOW + 1_000, "3f2a77…"))))
			.as("either of the two")
			.isEmpty();
		assertWrong("the named holder could not", inside, refused("c2.1", "key", null, NOW, NOW + 1_000, "77b2c4…"));
		assertWrong("only the refused caller itself", inside,
				refused("c2.1", "key", "77b2c4-mine-c2.1", NOW, NOW + 1_000, "77b2c4…"));
	}

	@Test
	void refusalNamingAHolderFromLongAgoIsReported() {
		assertWrong("the named holder could not", hold("c1.1", "key", "c1.1/a", 1, LONG_AGO, LONG_AGO + 9_000),
				hold("c1.1", "key", "c1.1/b", 2, NOW, NOW + 9_000),
				refused("c2.1", "key", null, NOW, NOW + 1_000, "c1.1/a"));
	}

	@Test
	void storeThatForgetsAReleaseMayRefuseUntilTheLeaseEnds() {
		Rules rules = new Rules(Duration.ofMillis(100), Duration.ofMillis(500), Duration.ofMillis(50),
				Duration.ofMillis(50), true, false);
		Attempt released = hold("c1.1", "key", "c1.1/a", 1, NOW, NOW + 9_000);

		assertThat(HistoryChecker.check(
				new History(List.of(released, refused("c2.1", "key", null, NOW + 400 * MS, NOW + 401 * MS, "c1.1/a")),
						List.of(), List.of(), List.of()),
				rules))
			.isEmpty();
		assertThat(HistoryChecker.check(
				new History(List.of(released, refused("c2.1", "key", null, NOW + 600 * MS, NOW + 601 * MS, "c1.1/a")),
						List.of(), List.of(), List.of()),
				rules))
			.extracting(Violation::promise)
			.containsExactly(Promise.TRUE_REFUSAL);
	}

	@Test
	void leftoverJustifiesARefusal() {
		assertThat(check(
				List.of(failed("c1.1", NOW - 400 * MS), refused("c2.1", "key", null, NOW, NOW + 1_000, "c1.1/a"))))
			.isEmpty();
	}

	@Test
	void leftoverDoesNotJustifyARefusalIndefinitely() {
		assertWrong("no other caller could have had the lock", failed("c1.1", NOW - 600 * MS),
				refused("c2.1", "key", null, NOW, NOW + 1_000, "c1.1/a"));
	}

	private static Attempt failed(String client, long at) {
		return new Attempt(client, "key", null, 0, at - 100, at, null, Outcome.STORE_FAILURE, at, null);
	}

	private static void assertWrong(String reason, Attempt... attempts) {
		List<Violation> violations = check(List.of(attempts));

		assertThat(violations).extracting(Violation::promise).containsExactly(Promise.TRUE_REFUSAL);
		assertThat(violations.get(0).what()).startsWith(reason);
	}

}
