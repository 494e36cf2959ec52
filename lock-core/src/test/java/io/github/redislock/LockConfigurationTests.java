package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

import io.github.redislock.fencing.JdbcFence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockConfigurationTests {

	private final LockConfiguration defaults = LockConfiguration.defaults();

	@Test
	void instanceNameDefaultsToTheProcessId() {
		assertThat(this.defaults.get("instance", String.class)).isEqualTo("pid-" + ProcessHandle.current().pid());
		assertThat(this.defaults.instance("orders-1").get("instance", String.class)).isEqualTo("orders-1");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " " })
	void instanceNameMustNotBeEmptyOrBlank(String instance) {
		refused(instance, "instance must have 1 to 128 characters and not be blank");
	}

	@Test
	void instanceNameMustNotBeAmbiguousInStoreOrLogs() {
		refused("a\nb", "instance must not contain control characters but contains U+000A");
		refused("a\u2028b", "instance must not contain line separators but contains U+2028");
		refused("a\ud800", "instance must not contain half of a surrogate pair but contains U+D800");
		refused("shared orders", "instance must not begin with 'shared ', which marks shared locks");
		assertThat(this.defaults.instance("shared").get("instance", String.class)).isEqualTo("shared");
	}

	private void refused(String instance, String message) {
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.instance(instance)).withMessage(message);
	}

	@Test
	void gracePeriodIsBounded() {
		assertThat(this.defaults.get("grace", Duration.class)).isNull();
		assertThat(this.defaults.grace(Duration.ZERO).get("grace", Duration.class)).isZero();
		assertThat(this.defaults.grace(Duration.ZERO).grace(null).get("grace", Duration.class)).isNull();
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.grace(Duration.ofMillis(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.grace(ChronoUnit.FOREVER.getDuration()));
	}

	@Test
	void otherTimesAreBounded() {
		Duration negative = Duration.ofMillis(-1);

		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.slice(negative));
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.slice(Duration.ofHours(2)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.closeWait(negative));
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.closeWait(Duration.ofHours(2)));
		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.warnAfter(negative));
	}

	@Test
	void equalOptionsAreEqual() {
		LockOptions options = LockOptions.options().retry(2);

		assertThat(options).isEqualTo(LockOptions.options().retry(2))
			.hasSameHashCodeAs(LockOptions.options().retry(2))
			.isNotEqualTo(LockOptions.options().retry(3))
			.isNotEqualTo("retry=2");
	}

	@Test
	void numberOfWaitersMustNotBeNegative() {
		assertThatIllegalArgumentException().isThrownBy(() -> LockOptions.options().maxWaiters(-1));
	}

	@Test
	void ownerTokenCannotBeADefault() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.defaults.options(LockOptions.options().owner("job-17")))
			.withMessage(
					"default options must not have an owner: all callers would share it, and exclude no other caller");
	}

	@Test
	void fenceCannotBeADefault() {
		LockOptions fenced = LockOptions.options().fence(new JdbcFence(new JdbcTemplate()));

		assertThatIllegalArgumentException().isThrownBy(() -> this.defaults.options(fenced))
			.withMessage("default options must not have a fence: asynchronous and shared locks cannot have one");
	}

	@Test
	void renewalIntervalTooLongForTheLeaseCannotBeADefault() {
		LockOptions options = LockOptions.options().renewEvery(Duration.ofSeconds(15));

		assertThat(this.defaults.options(options).get("options", LockOptions.class)).isSameAs(options);
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.defaults.options(options.timeout(Duration.ofSeconds(20))))
			.withMessage("A lock with a lease of 20s needs time for a second renewal if one is lost: renewEvery (at"
					+ " least 100ms) must be at most 10s but is 15s");
	}

	@Test
	void numberOfLocksAcquiredTogetherIsBounded() {
		assertThat(LockConfiguration.defaults().get("maxKeys", Integer.class)).isEqualTo(64);
		assertThat(LockConfiguration.defaults().maxKeys(1_000).get("maxKeys", Integer.class)).isEqualTo(1_000);
		assertThat(LockConfiguration.defaults().maxKeys(1).get("maxKeys", Integer.class)).isEqualTo(1);
		assertThatIllegalArgumentException().isThrownBy(() -> LockConfiguration.defaults().maxKeys(0))
			.withMessage("maxKeys must be 1 to 1000 but is 0");
		assertThatIllegalArgumentException().isThrownBy(() -> LockConfiguration.defaults().maxKeys(1_001));
	}

}
