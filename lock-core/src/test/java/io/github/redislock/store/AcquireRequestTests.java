package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AcquireRequestTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private final AcquireRequest request = new AcquireRequest(LockTarget.of("a"), "me", "r1", MINUTE, 3,
			Duration.ofSeconds(1), 7, Duration.ofSeconds(2), false, 0);

	@Test
	void copyWithALongerLeaseKeepsAllOtherFields() {
		AcquireRequest longer = this.request.lastingAtLeast(Duration.ofHours(1));

		assertThat(longer.timeToLive()).isEqualTo(Duration.ofHours(1));
		assertThat(longer).usingRecursiveComparison().ignoringFields("timeToLive").isEqualTo(this.request);
	}

}
