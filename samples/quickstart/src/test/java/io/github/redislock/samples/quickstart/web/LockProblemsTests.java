package io.github.redislock.samples.quickstart.web;

import java.time.Duration;
import java.util.Objects;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

class LockProblemsTests {

	@Test
	void retryAfterOfARefusalIsTheRoundedEstimateOrOneSecond() {
		Duration estimate = Duration.ofMillis(2_100);

		assertThat(retryAfter(
				new LockNotAcquiredException(LockTarget.of("payment", 42), Duration.ZERO, 100, null, estimate)))
			.isEqualTo("3");
		assertThat(
				retryAfter(new LockNotAcquiredException(LockTarget.of("payment", 42), Duration.ZERO, 100, null, null)))
			.isEqualTo("1");
	}

	@Test
	void retryAfterOfARateLimitIsTheRestOfItsWindow() {
		ResponseEntity<ProblemDetail> reply = new LockProblems()
			.busy(new LockNotAcquiredException(LockTarget.of("rate-limit", 42), Duration.ZERO, Duration.ZERO, null,
					Duration.ofMillis(3_200), null, null));

		assertThat(reply.getStatusCode().value()).isEqualTo(429);
		assertThat(reply.getHeaders().getFirst(HttpHeaders.RETRY_AFTER)).isEqualTo("4");
	}

	private static @Nullable String retryAfter(LockNotAcquiredException refused) {
		ResponseEntity<ProblemDetail> reply = new LockProblems().busy(refused);
		assertThat(reply.getStatusCode().value()).isEqualTo(503);
		return reply.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
	}

	@Test
	void keyConflictIsAServerErrorWithoutRetryAfter() {
		ResponseEntity<ProblemDetail> reply = new LockProblems()
			.conflict(new LockKeyConflictException(LockTarget.of("payment", 42), "key", "Its key is not a lock", null));

		assertThat(reply.getStatusCode().value()).isEqualTo(500);
		assertThat(reply.getHeaders().get(HttpHeaders.RETRY_AFTER)).isNull();
		assertThat(Objects.requireNonNull(reply.getBody()).getDetail())
			.isEqualTo("Its key is not a lock. An operator has to fix this first.");
	}

}
