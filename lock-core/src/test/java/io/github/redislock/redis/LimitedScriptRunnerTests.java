package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.LimitedScriptRunner;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@Tag("promise-7")
class LimitedScriptRunnerTests {

	private static final int LIMIT = LimitedScriptRunner.MOST_UNDER_WAY;

	private static final Duration LONG = Duration.ofMinutes(1);

	@AutoClose
	private final Server server = new Server();

	private long now = System.nanoTime();

	private final LimitedScriptRunner runner = new LimitedScriptRunner(this.server, () -> this.now);

	@Test
	void requestsInFlightAreLimitedAndTheRestFollowInOrder() {
		List<CompletableFuture<Object>> replies = send(LockScript.ACQUIRE, LIMIT + 3, LONG);
		assertThat(this.server.sent).hasSize(LIMIT);

		this.server.reply(0);
		this.server.reply(7);

		assertThat(this.server.sent).hasSize(LIMIT + 2);
		assertThat(this.server.sent.subList(LIMIT, LIMIT + 2)).extracting(Sent::number)
			.containsExactly(Integer.toString(LIMIT), Integer.toString(LIMIT + 1));
		assertThat(replies.get(0)).isCompletedWithValue(0L);
		assertThat(replies.get(1)).isNotDone();

		this.server.reply(1);
		this.server.reply(2);
		send(LockScript.ACQUIRE, 2, LONG);

		assertThat(this.server.sent).as("one of the last two").hasSize(LIMIT + 4);
	}

	@Test
	void withdrawalsHaveTheirOwnLimitAndReleasesAndRenewalsHaveNone() {
		send(LockScript.ACQUIRE, LIMIT + 1, LONG);
		send(LockScript.WITHDRAW, LIMIT, LONG);
		send(LockScript.WITHDRAW_SHARED, 1, LONG);
		assertThat(this.server.sent).hasSize(2 * LIMIT);
		this.server.sent.clear();

		send(LockScript.RELEASE, LIMIT + 1, LONG);
		send(LockScript.RENEW, 1, LONG);

		assertThat(this.server.sent).hasSize(LIMIT + 2);
	}

	@Test
	void timeoutIncludesTheTimeBeforeSending() {
		send(LockScript.ACQUIRE, LIMIT, LONG);
		send(LockScript.ACQUIRE, 1, LONG);
		this.now += Duration.ofSeconds(10).toNanos();

		this.server.reply(0);

		assertThat(this.server.sent.get(0).timeout()).isEqualTo(LONG);
		assertThat(this.server.sent.get(LIMIT).timeout()).isEqualTo(LONG.minusSeconds(10));
	}

	/** A caller may wait for less time than for a reply. */
	@ParameterizedTest
	@ValueSource(longs = { 20, 60_000 })
	void requestNotSentInTimeFailsAndIsNeverSent(long timeout) {
		send(LockScript.ACQUIRE, LIMIT, LONG);
		CompletableFuture<Object> late = send(Duration.ofMillis(timeout), Duration.ofMillis(20));
		CompletableFuture<Object> patient = send(LockScript.ACQUIRE, 1, LONG).get(0);

		await().until(late::isCompletedExceptionally);
		LockStoreException failure = (LockStoreException) RedisErrors.translate("acquire", LockTarget.of("job"), "key",
				LONG, late.handle((reply, thrown) -> thrown).join());
		assertThat(failure).hasMessage(
				"Lock 'job': acquire failed: not sent within 20ms: 1024 requests to Redis are already under way");
		assertThat(failure.isRetryable()).isTrue();
		assertThat(failure.isOutcomeUnknown()).isFalse();

		this.server.reply(0);
		assertThat(this.server.sent).hasSize(LIMIT + 1);
		this.server.reply(LIMIT);
		assertThat(patient).isCompletedWithValue((long) LIMIT);
	}

	@Test
	void requestSentInTimeDoesNotFailWhenThatTimeEnds() {
		CompletableFuture<Void> busy = new CompletableFuture<>();
		this.server.timer.execute(busy::join);
		send(LockScript.ACQUIRE, LIMIT, LONG);
		CompletableFuture<Object> sent = send(LONG, Duration.ofMillis(1));
		CompletableFuture<Object> late = send(LONG, Duration.ofMillis(1));
		this.server.reply(0);

		busy.complete(null);

		await().until(late::isCompletedExceptionally);
		assertThat(sent).isNotDone();
	}

	@Test
	void queuedRequestIsSentAfterItsTimeoutIfItsReplyIsAwaited() {
		send(LockScript.ACQUIRE, LIMIT, LONG);
		CompletableFuture<Object> late = send(Duration.ofMillis(20), LONG);
		CompletableFuture<Object> impatient = send(LONG, Duration.ofMillis(60));
		await().until(impatient::isCompletedExceptionally);
		assertThat(late).isNotDone();

		this.server.reply(0);

		assertThat(this.server.sent).hasSize(LIMIT + 1);
		assertThat(this.server.sent.get(LIMIT).timeout()).isEqualTo(Duration.ofMillis(20));
	}

	@Test
	void lateRequestGetsTheRestOfItsWaitTimeAndHalfASecond() {
		send(LockScript.ACQUIRE, LIMIT, LONG);
		for (int request = 0; request < 3; request++) {
			send(Duration.ofSeconds(20), Duration.ofSeconds(30));
		}

		this.server.reply(0);
		this.now += Duration.ofSeconds(25).toNanos();
		this.server.reply(1);
		this.now += Duration.ofSeconds(6).toNanos();
		this.server.reply(2);

		assertThat(this.server.sent.subList(LIMIT, LIMIT + 3)).extracting(Sent::timeout)
			.containsExactly(Duration.ofSeconds(20), Duration.ofMillis(5_500), Duration.ofMillis(500));
	}

	@Test
	void slotsOfSimultaneousFailuresAreReused() {
		send(LockScript.ACQUIRE, LIMIT, LONG);
		List<CompletableFuture<Object>> waiting = send(LockScript.ACQUIRE, 50_000, LONG);
		this.server.down = true;

		this.server.reply(0);

		assertThat(waiting).allMatch(CompletableFuture::isCompletedExceptionally);
		this.server.down = false;
		send(LockScript.ACQUIRE, 1, LONG);
		assertThat(this.server.sent).hasSize(LIMIT + 1);
	}

	private List<CompletableFuture<Object>> send(Script script, int count, Duration timeout) {
		return IntStream.range(0, count)
			.mapToObj((number) -> this.runner.run(call(script, Integer.toString(number)), timeout, timeout, null))
			.toList();
	}

	private CompletableFuture<Object> send(Duration timeout, Duration patience) {
		return this.runner.run(call(LockScript.ACQUIRE, "-"), timeout, patience, null);
	}

	private static ScriptCall call(Script script, String argument) {
		return ScriptCall.of(script, List.of(), List.of(argument.getBytes(StandardCharsets.UTF_8)));
	}

	private record Sent(String number, Duration timeout, CompletableFuture<Object> reply) {
	}

	/**
	 * Replies when the test triggers it.
	 */
	private final class Server extends TestScriptRunner {

		private final List<Sent> sent = new ArrayList<>();

		private boolean down;

		@Override
		public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
				@Nullable Predicate<Object> written) {
			if (this.down) {
				return CompletableFuture.failedFuture(new IllegalStateException("down"));
			}
			Sent sent = new Sent(LockKeys.text(call.seal().arguments().get(0)), timeout, new CompletableFuture<>());
			this.sent.add(sent);
			return sent.reply();
		}

		void reply(int index) {
			this.sent.get(index).reply().complete((long) index);
		}

	}

}
