package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AcquireRequestTests {

	@ParameterizedTest
	@CsvSource({ "me/r1, r1, true", "/r1, r1, true", "me-r1, r1, false", "me/r2, r1, false", "r1, r1, false",
			"1, r1, false" })
	void requestIsKnownByAnOwnerTokenThatEndsWithItsId(String owner, String requestId, boolean known) {
		assertThat(request(owner, requestId).isKnownByItsOwner()).isEqualTo(known);
	}

	@Test
	void requestWithoutAnIdReadsItFromTheOwnerToken() {
		AcquireRequest kept = request("eu/me/r1", "r1").withoutId();

		assertThat(kept.requestId()).isEqualTo("r1");
		assertThat(kept.isKnownByItsOwner()).isTrue();
	}

	private static AcquireRequest request(String owner, String requestId) {
		return new AcquireRequest(LockTarget.of("order:42"), owner, requestId, Duration.ofMinutes(1));
	}

}
