package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockStateTests {

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	@Test
	void holderIsTheReadablePartOfTheToken() {
		assertThat(state("orders-1/Zm9v", 5L).holder()).isEqualTo("orders-1");
		assertThat(state("eu/orders-1/Zm9v", 5L).holder()).isEqualTo("eu/orders-1");
	}

	@Test
	void holderOfAnotherKindIsAnotherClient() {
		assertThat(state("3f2a77", null).holder()).isEqualTo("another client");
		assertThat(state("/3f2a77", null).holder()).isEqualTo("another client");
		assertThat(state("3f2a77", null).since()).isNull();
	}

	@Test
	void fencingTokenTellsTheMomentOfTheGrant() {
		Instant now = Instant.parse("2026-03-01T10:15:30.123456Z");

		assertThat(state("orders-1/Zm9v", FencingTokens.next(now, 0)).since()).isEqualTo(now);
	}

	@Test
	void ownerTokenIsNotWritten() {
		assertThat(state("orders-1/Zm9v", 5L))
			.hasToString("LockState[name=order:42, holder=orders-1, freeIn=PT1S, fencingToken=5, waiters=0, held=true,"
					+ " holders=1]");
	}

	@Test
	void holderMayHaveTheTokensThatWereReservedForItsTurn() {
		LockState elsewhere = new LockState("order:42", "orders-1/Zm9v", FOREVER, 5L, 7L, 0L, true, 1);

		assertThat(List.of(4L, 5L, 6L, 7L, 8L)).filteredOn(elsewhere::mayHave).containsExactly(5L, 6L, 7L);
		assertThat(List.of(5L, 6L, 7L)).filteredOn(elsewhere.having(6)::mayHave).containsExactly(6L);
		assertThat(List.of(4L, 5L, 6L)).filteredOn(state("orders-1/Zm9v", 5L)::mayHave).containsExactly(5L);
		assertThat(state("3f2a77", null).mayHave(5)).isFalse();
	}

	@Test
	void stateIsMadeInOneWay() {
		assertThat(LockState.class.getConstructors()).hasSize(1);
	}

	@Test
	void fencingTokensGrowEvenWhenTheClockStepsBack() {
		Instant now = Instant.parse("2026-03-01T10:15:30.123456Z");
		long first = FencingTokens.next(now, 0);

		assertThat(FencingTokens.next(now, first)).isEqualTo(first + 1);
		assertThat(FencingTokens.next(now.minusSeconds(60), first)).isEqualTo(first + 1);
		assertThat(FencingTokens.next(now.plusSeconds(60), first)).isEqualTo(first + 60_000_000);
	}

	@Test
	void refusalIsWrittenWithAllThatIsKnown() {
		LockState holder = new LockState("order:42", "orders-1/Zm9v", Duration.ofMillis(12_400),
				FencingTokens.next(Instant.parse("2026-03-01T10:15:30.803727Z"), 0), null, 3L, true, 1);

		assertThat(refusal(Duration.ofSeconds(5), holder))
			.hasMessage("Lock 'order:42' not acquired within 5s: held by orders-1 since 2026-03-01T10:15:30Z,"
					+ " free in at most 12.4s unless renewed, 3 instances waiting");
		assertThat(refusal(Duration.ZERO, state("x", null)))
			.hasMessage("Lock 'order:42' not acquired: held by another client, free in at most 1s unless renewed");
		assertThat(refusal(Duration.ZERO, new LockState("order:42", "x", FOREVER, null, null, 0L, true, 1)))
			.hasMessage("Lock 'order:42' not acquired: held by another client, with no expiry");
		assertThat(refusal(Duration.ofSeconds(5),
				new LockState("order:42", "orders-1/Zm9v", Duration.ofMillis(900), 5L, null, 1L, false, 1)))
			.hasMessage("Lock 'order:42' not acquired within 5s: free but kept for orders-1, which has waited"
					+ " longer, 1 instance waiting");
		assertThat(refusal(Duration.ofSeconds(5),
				new LockState("order:42", "orders-1/Zm9v", Duration.ofMillis(900), null, null, 2L, true, 3)))
			.hasMessage("Lock 'order:42' not acquired within 5s: held by orders-1 and 2 more,"
					+ " free in at most 900ms unless renewed, 2 instances waiting");
		assertThat(refusal(Duration.ZERO, new LockState("order:42", "orders-1/Zm9v", FOREVER, 5L, 5L, null, true, 1)))
			.hasMessage("Lock 'order:42' not acquired: held by orders-1 since 1970-01-01T00:00:00Z, with no expiry");
		assertThat(refusal(Duration.ZERO, null)).hasMessage("Lock 'order:42' not acquired");
	}

	@Test
	void refusalNamesTheWaitingTimeThatWasAskedForAndNotTheOneMeasured() {
		Duration measured = Duration.ofMillis(5_154);

		assertThat(new LockNotAcquiredException(TARGET, measured, Duration.ZERO, null, null))
			.hasMessage("Lock 'order:42' not acquired");
		assertThat(new LockNotAcquiredException(TARGET, measured, Duration.ofSeconds(5), null, null))
			.hasMessage("Lock 'order:42' not acquired within 5s")
			.extracting(LockNotAcquiredException::getWaited)
			.isEqualTo(measured);
	}

	private static LockNotAcquiredException refusal(Duration waitTime, @Nullable LockState holder) {
		return new LockNotAcquiredException(TARGET, waitTime, waitTime, holder, null);
	}

	private static LockState state(String owner, Long fencingToken) {
		return new LockState("order:42", owner, Duration.ofSeconds(1), fencingToken, null, 0L, true, 1);
	}

}
