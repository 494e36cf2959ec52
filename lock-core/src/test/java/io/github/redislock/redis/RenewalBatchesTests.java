package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class RenewalBatchesTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RenewRequest JOB = new RenewRequest(LockTarget.of("job"), "me", MINUTE);

	private static final RenewRequest OTHER = new RenewRequest(LockTarget.of("other"), "me", MINUTE);

	private final List<Duration> timeouts = new ArrayList<>();

	private List<Long> reply = List.of(1L);

	private final RenewalBatches sender = new RenewalBatches(new Server(), RedisLockStoreOptions.defaults());

	@Test
	void renewalUsesTheShorterOfItsOwnAndTheCommandTimeout() {
		Duration within = Duration.ofMillis(300);

		this.sender.send(List.of(new RenewRequest(LockTarget.of("job"), "me", MINUTE, within)));
		this.sender.send(List.of(new RenewRequest(LockTarget.of("job"), "me", MINUTE, MINUTE)));

		assertThat(this.timeouts).containsExactly(within, Duration.ofSeconds(2));
	}

	@Test
	void eachRenewalOfABatchGetsItsOwnReply() {
		this.reply = List.of(1L, 0L);

		assertThat(this.sender.send(List.of(JOB, OTHER))).extracting((renewed) -> renewed.toCompletableFuture().join())
			.containsExactly(true, false);
	}

	@ParameterizedTest
	@CsvSource({ "200, 1", "201, 2" })
	void scriptRenewsAtMost200Locks(int renewals, int scripts) {
		this.sender.send(Collections.nCopies(renewals, JOB));

		assertThat(this.timeouts).as("one of each script").hasSize(scripts);
	}

	@Test
	void renewalsFailIfRepliesAreMissing() {
		assertThat(this.sender.send(List.of(JOB, OTHER)))
			.allSatisfy((renewed) -> assertThat(renewed.toCompletableFuture()).failsWithin(Duration.ZERO)
				.withThrowableThat()
				.withStackTraceContaining("Redis replied [1]"));
	}

	/**
	 * A lock that was handed over must be renewed soon, which must not shorten the wait
	 * for the reply to other renewals.
	 */
	@Test
	void renewalsWithDifferentTimeoutsAreSentSeparately() {
		Duration within = Duration.ofMillis(300);

		this.sender.send(List.of(JOB, new RenewRequest(LockTarget.of("claimed"), "me", MINUTE, within)));

		assertThat(this.timeouts).containsExactlyInAnyOrder(Duration.ofSeconds(2), within);
	}

	@Test
	void renewalsAreSentOneByOneWhileTheirSlotMoves() {
		RenewalBatches moving = new RenewalBatches(new Server() {

			@Override
			public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
					@Nullable Predicate<Object> written) {
				// The lock and its fence.
				return (call.seal().keys().size() == 2) ? super.run(call, timeout, sendTimeout, written)
						: CompletableFuture.failedFuture(
								new IllegalStateException("TRYAGAIN Multiple keys request during rehashing of slot"));
			}

		}, RedisLockStoreOptions.defaults());

		assertThat(moving.send(List.of(JOB, OTHER)))
			.allSatisfy((renewed) -> assertThat(renewed.toCompletableFuture()).isCompletedWithValue(true));
	}

	/**
	 * Sends the same reply to each script.
	 */
	private class Server extends TestScriptRunner {

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			RenewalBatchesTests.this.timeouts.add(timeout);
			return CompletableFuture.completedFuture(RenewalBatchesTests.this.reply);
		}

	}

}
