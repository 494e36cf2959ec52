package io.github.redislock.campaign.failover;

import java.util.List;

import io.github.redislock.campaign.failover.Ledger.Stay;
import io.github.redislock.campaign.failover.Statistics.Span;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LedgerTests {

	private static final Span ALWAYS = new Span(Long.MIN_VALUE, Long.MAX_VALUE);

	private final Ledger ledger = new Ledger(2);

	@Test
	void twoHoldersOfOneLockOverlap() {
		Stay first = this.ledger.enter(0);
		Stay second = this.ledger.enter(0);
		long end = System.nanoTime() + 1_000_000;
		first.believedAt(end);
		second.believedAt(end);

		assertThat(this.ledger.overlap(ALWAYS)).isPositive().isLessThanOrEqualTo(end - first.span().from());
	}

	@Test
	void holdersOfDifferentLocksDoNotOverlap() {
		long end = System.nanoTime() + 1_000_000;
		this.ledger.enter(0).believedAt(end);
		this.ledger.enter(1).believedAt(end);

		assertThat(this.ledger.overlap(ALWAYS)).isZero();
	}

	@Test
	void incrementThatIsOverwrittenIsLost() {
		long first = this.ledger.read(0, Client.UNFENCED);
		long second = this.ledger.read(0, Client.UNFENCED);
		this.ledger.write(0, Client.UNFENCED, first + 1);
		assertThat(this.ledger.lost()).isZero();

		this.ledger.write(0, Client.UNFENCED, second + 1);

		assertThat(this.ledger.lost()).isEqualTo(1);
	}

	@Test
	void fencedIncrementOfAnEarlierHolderIsRefused() {
		long first = this.ledger.read(0, 1);
		long second = this.ledger.read(0, 2);
		assertThatIllegalStateException().isThrownBy(() -> this.ledger.write(0, 1, first + 1));

		this.ledger.write(0, 2, second + 1);

		assertThatIllegalStateException().isThrownBy(() -> this.ledger.read(0, 1));
		assertThat(this.ledger.read(1, 1)).isZero();
		assertThat(this.ledger.lost()).isZero();
	}

	@Test
	void onlyGrantsOfServedInstancesThatWereRequestedAfterTheFaultCount() {
		this.ledger.granted(1, 90, 110);
		this.ledger.granted(0, 100, 120);
		this.ledger.granted(1, 105, 130);

		assertThat(this.ledger.firstGrant(List.of(1), 100)).hasValue(130);
		assertThat(this.ledger.firstGrant(List.of(0, 1), 100)).hasValue(120);
		assertThat(this.ledger.firstGrant(List.of(0), 101)).isEmpty();
	}

	@Test
	void acquiringIsMeasuredWithinTheWindow() {
		this.ledger.granted(0, 90, 110);
		this.ledger.granted(0, 120, 127);
		this.ledger.granted(0, 190, 210);

		assertThat(this.ledger.acquiring(new Span(100, 200))).containsExactly(7L);
	}

}
