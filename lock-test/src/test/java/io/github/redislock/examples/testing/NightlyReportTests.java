package io.github.redislock.examples.testing;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class NightlyReportTests {

	private final TestLocks locks = TestLocks.withManualClock();

	private final NightlyReport report = new NightlyReport(this.locks.template());

	@AfterEach
	void closeLocks() {
		this.locks.close();
	}

	@Test
	void reportIsWrittenAfterTheLeaseOfACrashedInstance() {
		this.locks.holdElsewhere("nightly", Duration.ofSeconds(30));
		CompletableFuture<String> written = CompletableFuture.supplyAsync(this.report::write);
		await().until(() -> this.locks.waiters("nightly") == 1);

		this.locks.advance(Duration.ofSeconds(31));

		assertThat(written).succeedsWithin(Duration.ofSeconds(10)).isEqualTo("written");
	}

	@Test
	void reportIsNotWrittenIfAnotherInstanceTakesTooLong() {
		this.locks.holdElsewhere("nightly");
		CompletableFuture<String> written = CompletableFuture.supplyAsync(this.report::write);
		await().until(() -> this.locks.waiters("nightly") == 1);

		this.locks.advance(Duration.ofMinutes(2));

		assertThat(written).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class);
	}

}
