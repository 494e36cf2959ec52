package io.github.redislock.samples.quickstart.web;

import java.util.Objects;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockTarget;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;

class LockProblemsTests {

	@Test
	void keyConflictIsAServerErrorWithoutRetryAfter() {
		ResponseEntity<ProblemDetail> reply = new LockProblems()
			.conflict(new LockKeyConflictException(LockTarget.of("payment:42"), "key", "Its key is not a lock", null));

		assertThat(reply.getStatusCode().value()).isEqualTo(500);
		assertThat(reply.getHeaders().get(HttpHeaders.RETRY_AFTER)).isNull();
		assertThat(Objects.requireNonNull(reply.getBody()).getDetail())
			.isEqualTo("Its key is not a lock. An operator has to fix this first.");
	}

}
