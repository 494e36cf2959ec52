package io.github.redislock.redis;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class RedisLockStoreOptionsTests {

	private final RedisLockStoreOptions defaults = RedisLockStoreOptions.defaults();

	@Test
	void keyPrefixCommandTimeoutAndClientNameHaveTheirDefaults() {
		assertThat(this.defaults.keyPrefix()).isEqualTo("distributed_lock:");
		assertThat(this.defaults.commandTimeout()).isEqualTo(Duration.ofSeconds(2));
		assertThat(this.defaults.client().clientName()).isEqualTo("redis-lock");
	}

	@Test
	void commandTimeoutIsBetweenAMillisecondAndAnHour() {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.commandTimeout(Duration.ofNanos(999_999)))
			.withMessage("commandTimeout must be at least 1ms but is 0ms");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.defaults.commandTimeout(ChronoUnit.FOREVER.getDuration()));
		assertThat(this.defaults.commandTimeout(Duration.ofHours(1)).commandTimeout()).hasHours(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "a b", "a\nb" })
	void clientNameMustNotBeEmptyOrContainWhiteSpace(String name) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.clientName(name))
			.withMessage("clientName must not be empty or contain white space");
	}

}
