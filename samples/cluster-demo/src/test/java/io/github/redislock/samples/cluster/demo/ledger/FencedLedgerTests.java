package io.github.redislock.samples.cluster.demo.ledger;

import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.samples.cluster.demo.ledger.FencedLedger.Verdict;
import io.github.redislock.samples.cluster.message.Claim;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;

import static org.assertj.core.api.Assertions.assertThat;

class FencedLedgerTests {

	private final AtomicLong clock = new AtomicLong(-50);

	private final EmbeddedDatabase database = new LedgerConfiguration().ledgerDatabase();

	private final FencedLedger ledger = new FencedLedger(this.database, this.clock::get);

	@AfterEach
	void endDatabase() {
		this.database.shutdown();
	}

	@Test
	void holdersThatTakeTurnsAreAccepted() {
		Verdict first = write("one", 1, 100);
		this.ledger.leave("one", 1);
		Verdict second = write("two", 2, 100);

		assertThat(first.accepted()).isTrue();
		assertThat(second.accepted()).isTrue();
		assertThat(second.violations()).isEmpty();
	}

	@Test
	void holderWithAnExpiredLeaseMayBeReplaced() {
		write("one", 1, 100);
		this.clock.set(100);

		Verdict verdict = write("two", 2, 200);

		assertThat(verdict.accepted()).isTrue();
		assertThat(verdict.violations()).isEmpty();
	}

	@Test
	void lateWriteIsRefusedButNotAViolation() {
		write("one", 1, 100);
		this.clock.set(100);
		write("two", 2, 200);

		Verdict verdict = write("one", 1, 100);

		assertThat(verdict.claimed()).isFalse();
		assertThat(verdict.refusal()).returns(2L, StaleFencingTokenException::getNewestToken)
			.returns("two", StaleFencingTokenException::getNewestHolder);
		assertThat(verdict.violations()).isEmpty();
	}

	@Test
	void overlappingHoldersAreOneViolationForEachPairOfHolds() {
		write("one", 1, 100);

		assertThat(write("two", 2, 100).violations()).singleElement()
			.isEqualTo("one and two hold the lock at the same time, with tokens 1 and 2");
		assertThat(write("two", 2, 100).violations()).isEmpty();
		assertThat(write("two", 3, 100).violations()).hasSize(1);
	}

	@Test
	void overlapWithAnExtendedClaimIsAViolation() {
		write("one", 1, 100);
		write("one", 1, 300);
		this.clock.set(200);

		assertThat(write("two", 2, 400).violations()).hasSize(1);
	}

	@Test
	void endingAnEarlierHoldKeepsTheCurrentOne() {
		write("one", 1, 100);
		this.ledger.leave("one", 0);

		assertThat(write("two", 2, 100).violations()).hasSize(1);
	}

	@Test
	void holderWithASmallerTokenThanTheLastIsAViolation() {
		write("one", 5, 100);
		this.ledger.leave("one", 5);

		Verdict verdict = write("two", 4, 100);

		assertThat(verdict.accepted()).isFalse();
		assertThat(verdict.claimed()).isTrue();
		assertThat(verdict.violations()).containsExactly("two holds the lock with token 4, but one had 5 before");
	}

	@Test
	void holderWithTheTokenOfTheLastHolderIsAViolation() {
		write("one", 5, 100);
		this.ledger.leave("one", 5);

		assertThat(write("two", 5, 100).violations()).hasSize(1);
	}

	private Verdict write(String worker, long token, long until) {
		return this.ledger.write(new Claim(worker, token, until));
	}

}
