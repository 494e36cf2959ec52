package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

import io.github.redislock.testing.FencingTokens;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockStateTests {

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	@Test
	void holderIsTheReadablePartOfTheOwnerToken() {
		assertThat(state("orders-1/Zm9v", 5L).holder()).isEqualTo("orders-1");
		assertThat(state("eu/orders-1/Zm9v", 5L).holder()).isEqualTo("eu/orders-1");
	}

	@Test
	void unknownOwnerFormatIsShownAsAnotherClient() {
		assertThat(state("3f2a77", null).holder()).isEqualTo("another client");
		assertThat(state("/3f2a77", null).holder()).isEqualTo("another client");
		assertThat(state("3f2a77", null).since()).isNull();
	}

	@Test
	void fencingTokenContainsTheTimeOfTheGrant() {
		Instant now = Instant.parse("2026-03-01T10:15:30.123456Z");

		assertThat(state("orders-1/Zm9v", FencingTokens.next(now, 0)).since()).isEqualTo(now);
	}

	@Test
	void ownerTokenIsNotPrinted() {
		assertThat(state("orders-1/Zm9v", 5L))
			.hasToString("LockState[name=order:42, holder=orders-1, freeIn=1s, fencingToken=5, waiters=0, held=true,"
					+ " holders=1]");
	}

	@Test
	void furtherHoldersAreCounted() {
		LockState shared = LockState.of("order:42", "orders-1/Zm9v", Duration.ofSeconds(1), null, null, 0L, true, 3);

		assertThat(shared.describe(false)).isEqualTo("held by orders-1 and 2 more, free in 1s if it died");
	}

	@Test
	void holderMayUseAnyFencingTokenReservedForItsTurn() {
		LockState elsewhere = LockState.of("order:42", "orders-1/Zm9v", FOREVER, 5L, 7L, 0L, true, 1);

		assertThat(List.of(4L, 5L, 6L, 7L, 8L)).filteredOn(elsewhere::mayHave).containsExactly(5L, 6L, 7L);
		assertThat(List.of(5L, 6L, 7L)).filteredOn(elsewhere.having(6)::mayHave).containsExactly(6L);
		assertThat(List.of(4L, 5L, 6L)).filteredOn(state("orders-1/Zm9v", 5L)::mayHave).containsExactly(5L);
		assertThat(state("3f2a77", null).mayHave(5)).isFalse();
	}

	private static LockState state(String owner, Long fencingToken) {
		return LockState.of("order:42", owner, Duration.ofSeconds(1), fencingToken, null, 0L, true, 1);
	}

}
