package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps of the clock of Redis are detected in the replies to renewals.
 */
class BatchSenderTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final List<Duration> steps = new ArrayList<>();

	private final List<Duration> timeouts = new ArrayList<>();

	/** How far the clock of Redis is ahead. */
	private Duration ahead = Duration.ZERO;

	@Test
	void clockStepOfASingleServerIsReported() {
		BatchSender sender = sender(true);
		renew(sender);
		assertThat(this.steps).isEmpty();

		this.ahead = MINUTE;
		renew(sender);

		assertThat(this.steps).singleElement()
			.satisfies((step) -> assertThat(step).isBetween(MINUTE.minusMillis(50), MINUTE));
	}

	@Test
	void clockDifferencesBetweenClusterNodesAreNotReported() {
		BatchSender sender = sender(false);
		renew(sender);

		this.ahead = MINUTE;
		renew(sender);

		assertThat(this.steps).isEmpty();
	}

	@Test
	void renewalUsesTheShorterOfItsOwnAndTheCommandTimeout() {
		Duration within = Duration.ofMillis(300);

		sender(true).send(List.of(new RenewRequest(LockTarget.of("job"), "me", MINUTE, within)));
		sender(true).send(List.of(new RenewRequest(LockTarget.of("job"), "me", MINUTE, MINUTE)));

		assertThat(this.timeouts).containsExactly(within, Duration.ofSeconds(2));
	}

	private BatchSender sender(boolean oneServer) {
		BatchSender sender = new BatchSender(new Server(oneServer), RedisLockStoreOptions.defaults(),
				this.timer::nanoTime);
		sender.listen(new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				// No caller waits.
			}

			@Override
			public void changed() {
				// No caller waits.
			}

			@Override
			public void clockStepped(Duration step) {
				BatchSenderTests.this.steps.add(step);
			}

		});
		return sender;
	}

	private void renew(BatchSender sender) {
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(
				sender.send(List.of(new RenewRequest(LockTarget.of("job"), "me", MINUTE))).get(0).toCompletableFuture())
			.isCompletedWithValue(true);
	}

	/**
	 * Renews all locks at once.
	 */
	private final class Server extends TestScriptRunner {

		private final boolean one;

		Server(boolean one) {
			this.one = one;
		}

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			BatchSenderTests.this.timeouts.add(timeout);
			long millis = BatchSenderTests.this.timer.now().plus(BatchSenderTests.this.ahead).toEpochMilli();
			return CompletableFuture.completedFuture(List.of(millis, 1L));
		}

		@Override
		public boolean countsReceivers() {
			return this.one;
		}

	}

}
