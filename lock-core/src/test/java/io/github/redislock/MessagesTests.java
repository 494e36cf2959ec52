package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.testing.FencingTokens;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Checks the messages of refusals, of other outcomes and of invalid targets. Other tests
 * check types and accessors.
 */
class MessagesTests {

	private static final Duration FOREVER = ChronoUnit.FOREVER.getDuration();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	@ParameterizedTest
	@MethodSource({ "refusals", "otherOutcomes" })
	void exceptionHasTheExpectedMessage(String message, Supplier<LockException> exception) {
		assertThat(exception.get()).hasMessage(message);
	}

	@ParameterizedTest
	@MethodSource("invalidTargets")
	void invalidTargetHasTheExpectedMessage(String message, ThrowingCallable call) {
		assertThat(catchThrowable(call)).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
	}

	static Stream<Arguments> refusals() {
		return Stream.of(outcome("Lock 'order:42' not acquired", () -> refusal(Duration.ZERO, null)),
				outcome("Lock 'order:42' not acquired within 5s", () -> refusal(Duration.ofSeconds(5), null)),
				outcome("Lock 'order:42' not acquired within 5s: held by orders-1 since 2026-03-01T10:15:30Z,"
						+ " free in 12.4s if it died, 2 instances waiting",
						() -> refusal(Duration.ofSeconds(5),
								LockState.of("order:42", "orders-1/Zm9v", Duration.ofMillis(12_400),
										FencingTokens.next(Instant.parse("2026-03-01T10:15:30.803727Z"), 0), null, 3L,
										true, 1))),
				outcome("Lock 'order:42' not acquired: held by another client, free in 1s if it died",
						() -> refusal(Duration.ZERO,
								LockState.of("order:42", "x", Duration.ofSeconds(1), null, null, 0L, true, 1))),
				outcome("Lock 'order:42' not acquired: held by another client, with no expiry",
						() -> refusal(Duration.ZERO, LockState.of("order:42", "x", FOREVER, null, null, 0L, true, 1))),
				outcome("Lock 'order:42' not acquired within 5s: free but kept for orders-1, which has waited"
						+ " longer",
						() -> refusal(Duration.ofSeconds(5),
								LockState.of("order:42", "orders-1/Zm9v", Duration.ofMillis(900), 5L, null, 1L, false,
										1))),
				outcome("Lock 'order:42' not acquired within 5s: held by orders-1 and 2 more,"
						+ " free in 900ms if it died, 1 instance waiting",
						() -> refusal(Duration.ofSeconds(5),
								LockState.of("order:42", "orders-1/Zm9v", Duration.ofMillis(900), null, null, 2L, true,
										3))),
				outcome("Lock 'order:42' not acquired: held by orders-1 since 1970-01-01T00:00:00Z, with no expiry",
						() -> refusal(Duration.ZERO,
								LockState.of("order:42", "orders-1/Zm9v", FOREVER, 5L, 5L, null, true, 1))),
				outcome("Lock 'a + b' not acquired: 'b' is held by another client, free in 1s if it died",
						() -> new LockNotAcquiredException(LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b")),
								Duration.ZERO, Duration.ZERO,
								LockState.of("b", "x", Duration.ofSeconds(1), null, null, 0L, true, 1), null, null,
								null)),
				outcome("Lock 'order:42' not acquired: kept by orders-1 since 1970-01-01T00:00:00Z (atLeastFor),"
						+ " 2 instances waiting; try again in 3.2s",
						() -> new LockNotAcquiredException(TARGET, Duration.ZERO, Duration.ZERO,
								LockState.of("order:42", "orders-1/Zm9v", Duration.ofSeconds(31), 5L, null, 2L, true,
										1),
								Duration.ofMillis(3_200), null, null)),
				outcome("Lock 'order:42' not acquired: 100 or more callers of this instance wait for it,"
						+ " and maxWaiters allows no more",
						() -> new LockNotAcquiredException(TARGET, Duration.ZERO, 100, null, null)),
				outcome("Lock 'order:42' not acquired: 100 or more callers of this instance wait for it,"
						+ " and maxWaiters allows no more; 'order:42' is held by orders-1,"
						+ " free in 900ms if it died, 2 instances waiting; try again in about 1.2s",
						() -> new LockNotAcquiredException(TARGET, Duration.ZERO, 100,
								LockState.of("order:42", "orders-1/Zm9v", Duration.ofMillis(900), null, null, 2L, true,
										1),
								Duration.ofMillis(1_200))),
				outcome("Lock 'order:42' not acquired; the caller itself holds 'order:42 (read)', which does not cover"
						+ " this lock: release that one first. Deadlock of two",
						() -> new LockNotAcquiredException(TARGET, Duration.ZERO, Duration.ZERO, null, null,
								TARGET.forReading(), "Deadlock of two")));
	}

	static Stream<Arguments> otherOutcomes() {
		return Stream.of(
				outcome("Lock 'order:42' not acquired: the thread was interrupted",
						() -> new LockInterruptedException(TARGET)),
				outcome("Lock 'order:42' not acquired: this instance is shutting down",
						() -> new LockShutdownException(TARGET)),
				outcome("Lock 'order:42' not acquired: the caller's future or subscription ended after 1s",
						() -> new LockCancelledException(TARGET, Duration.ofSeconds(1))),
				outcome("Lock 'order:42' was lost: its lease ran out. Work done in the last 340ms may not have been"
						+ " protected: check or undo it",
						() -> new LockLostException(TARGET, Duration.ofMillis(340), "its lease ran out")),
				outcome("Lock 'order:42' was lost: gone. Work is no longer protected: stop it",
						() -> new LockLostException(TARGET, Duration.ofNanos(999_999), "gone")));
	}

	@SuppressWarnings("NullAway")
	static Stream<Arguments> invalidTargets() {
		LockTarget a = LockTarget.of("a");
		LockTarget b = LockTarget.of("b");
		String nothing = null;
		return Stream.of(invalid("lock name must not be null", () -> LockTarget.of(nothing)),
				invalid("key of lock 'pay' is null", () -> LockTarget.of("pay", nothing)),
				invalid("lock name must not be blank", () -> LockTarget.of(" ")),
				invalid("key of lock 'pay' is blank", () -> LockTarget.of("pay", "")),
				invalid("lock name must not contain control characters but contains U+000A",
						() -> LockTarget.of("a\nb")),
				invalid("lock name must not contain line separators but contains U+2028",
						() -> LockTarget.of("a\u2028b")),
				invalid("lock name must not contain half of a surrogate pair but contains U+D83D",
						() -> LockTarget.of("a\ud83db")),
				invalid("lock 'export:7' must have at least 1 permit but has 0",
						() -> LockTarget.of("export", 7).permits(0)),
				invalid("at least one lock must be given", () -> LockTarget.allOf(List.of())),
				invalid("several locks can only be acquired together if each of them is exclusive, but 'a (read)' is"
						+ " shared: acquire it separately", () -> LockTarget.allOf(a.forReading(), b)),
				invalid("'a + b' cannot be shared: locks acquired together must be exclusive, so acquire each"
						+ " separately", () -> LockTarget.allOf(a, b).forReading()));
	}

	private static Arguments outcome(String message, Supplier<LockException> exception) {
		return arguments(message, exception);
	}

	private static Arguments invalid(String message, ThrowingCallable call) {
		return arguments(message, call);
	}

	private static LockNotAcquiredException refusal(Duration waitTime, @Nullable LockState holder) {
		return new LockNotAcquiredException(TARGET, waitTime.plusMillis(154), waitTime, holder, null, null, null);
	}

}
