package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockFence;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.memory.ManualLockTimer;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockOptionsTests {

	private static final Duration SECOND = Duration.ofSeconds(1);

	@Test
	void withoutOptionsTheBuiltInDefaultsApply() {
		AcquireSettings settings = AcquireSettings.of(LockOptions.options(), LockOptions.defaults(), null);

		assertThat(settings).isEqualTo(new AcquireSettings(LeaseLength.of(Duration.ofSeconds(30)),
				Duration.ofMillis(300), 10_000, Duration.ofMillis(100), true, ChronoUnit.FOREVER.getDuration(), null,
				Duration.ZERO, null, true, OnLost.THROW, null, null, Duration.ofMillis(31_500), Duration.ofSeconds(1)));
	}

	@Test
	void everyOptionIsAppliedToTheAcquisition() {
		LockFence fence = new JdbcFence(new JdbcTemplate());
		LockOptions options = LockOptions.options()
			.timeout(SECOND)
			.retry(7)
			.retryDelay(Duration.ofMillis(20))
			.maxWaiters(8)
			.autoRenew(false)
			.renewEvery(Duration.ofMillis(500))
			.maxHold(Duration.ofMinutes(5))
			.atLeastFor(Duration.ofSeconds(3))
			.owner("job-17")
			.reentrant(false)
			.onLost(OnLost.INTERRUPT)
			.warnAfter(Duration.ofHours(1))
			.fence(fence);

		assertThat(AcquireSettings.of(options, LockOptions.defaults(), null))
			.isEqualTo(new AcquireSettings(LeaseLength.of(SECOND), Duration.ofMillis(140), 8, Duration.ofMillis(20),
					false, Duration.ofMillis(500), Duration.ofMinutes(5), Duration.ofSeconds(3), "job-17", false,
					OnLost.INTERRUPT, Duration.ofHours(1), fence, Duration.ofSeconds(3), Duration.ofSeconds(1)));
		assertThat(AcquireSettings.of(options.atLeastFor(Duration.ZERO), LockOptions.defaults(), SECOND).timeToLive())
			.isEqualTo(SECOND.multipliedBy(2));
		assertThat(AcquireSettings.of(options.neverExpires(), LockOptions.defaults(), null).lease())
			.isEqualTo(LeaseLength.ENDLESS);
		assertThat(AcquireSettings.of(options.waitTime(SECOND), LockOptions.defaults(), null).waitTime())
			.isEqualTo(SECOND);
	}

	@Test
	void explicitOptionsTakePrecedenceOverDefaults() {
		LockOptions merged = LockOptions.options()
			.timeout(SECOND)
			.orElse(LockOptions.options().timeout(SECOND.multipliedBy(9)).autoRenew(false));

		AcquireSettings settings = AcquireSettings.of(merged, LockOptions.defaults(), null);
		assertThat(settings.lease()).isEqualTo(LeaseLength.of(SECOND));
		assertThat(settings.autoRenew()).isFalse();
		assertThat(settings.retryDelay()).isEqualTo(Duration.ofMillis(100));
	}

	@Test
	void explicitRetryTakesPrecedenceOverADefaultWaitTime() {
		LockOptions defaults = LockOptions.options().waitTime(Duration.ofMinutes(1));

		assertThat(waitTime(LockOptions.options().retry(2), defaults)).isEqualTo(Duration.ofMillis(200));
		assertThat(waitTime(LockOptions.options().retry(0), defaults)).isZero();
		assertThat(waitTime(LockOptions.options(), defaults)).isEqualTo(Duration.ofMinutes(1));
		assertThat(waitTime(LockOptions.options().retryDelay(SECOND), defaults)).isEqualTo(Duration.ofMinutes(1));
		assertThat(waitTime(LockOptions.options().waitTime(SECOND), LockOptions.options().retry(5))).isEqualTo(SECOND);
	}

	@Test
	void waitTimeTakesPrecedenceOverRetryOfTheSameCaller() {
		LockOptions both = LockOptions.options().retry(100).waitTime(SECOND);

		assertThat(waitTime(both, LockOptions.options())).isEqualTo(SECOND);
		assertThat(waitTime(LockOptions.options().waitTime(SECOND).retry(100), LockOptions.options()))
			.isEqualTo(SECOND);
	}

	@Test
	void mergingOptionsIsAssociative() {
		Random random = new Random(7);

		IntStream.range(0, 2_000).forEach((i) -> {
			LockOptions first = anyOptions(random);
			LockOptions second = anyOptions(random);
			LockOptions third = anyOptions(random);
			assertThat(AcquireSettings.of(first.orElse(second).orElse(third), LockOptions.defaults(), null))
				.isEqualTo(AcquireSettings.of(first.orElse(second.orElse(third)), LockOptions.defaults(), null));
		});
	}

	@Test
	void longestWaitDoesNotOverflow() {
		LockOptions longest = LockOptions.options().retry(Integer.MAX_VALUE).retryDelay(Duration.ofDays(3_650));

		assertThat(AcquireSettings.of(longest, LockOptions.defaults(), null).waitTime()).isPositive();
	}

	@Test
	void invalidValuesAreRejectedWithAnExplanation() {
		Duration negative = Duration.ofSeconds(-1);
		Duration forever = ChronoUnit.FOREVER.getDuration();
		LockOptions options = LockOptions.options();

		refused(() -> LockOptions.options().timeout(negative), "timeout must be at least 10ms but is -1s");
		refused(() -> options.timeout(Duration.ZERO), "timeout must be at least 10ms but is 0ms");
		refused(() -> options.timeout(forever),
				"timeout must be at most 3650d but is forever; use neverExpires() for a lock without expiry");
		refused(() -> options.timeout(Duration.ofDays(365_243)),
				"timeout must be at most 3650d but is 365243d; use neverExpires() for a lock without expiry");
		refused(() -> options.retry(-1), "retry must not be negative but is -1");
		refused(() -> options.retryDelay(Duration.ZERO), "retryDelay must be at least 1ms but is 0ms");
		refused(() -> options.retryDelay(forever), "retryDelay must be at most 3650d but is forever");
		refused(() -> options.waitTime(negative), "waitTime must not be negative but is -1s");
		refused(() -> options.renewEvery(Duration.ofMillis(99)), "renewEvery must be at least 100ms but is 99ms");
		refused(() -> options.maxHold(Duration.ZERO), "maxHold must be at least 10ms but is 0ms");
		refused(() -> options.maxHold(forever), "maxHold must be at most 3650d but is forever");
		refused(() -> options.atLeastFor(negative), "atLeastFor must not be negative but is -1s");
		refused(() -> options.atLeastFor(forever), "atLeastFor must be at most 3650d but is forever");
		refused(() -> options.warnAfter(negative), "warnAfter must not be negative but is -1s");
		refused(() -> options.owner(" "), "owner must have 1 to 256 characters and not be blank");
		refused(() -> options.owner("x".repeat(257)), "owner must have 1 to 256 characters and not be blank");
		assertThat(options.owner("x".repeat(256)).get("owner", String.class)).hasSize(256);
		refused(() -> options.owner("job\u00007"), "owner must not contain control characters but contains U+0000");
		refused(() -> options.owner("job-\ud800"),
				"owner must not contain half of a surrogate pair but contains U+D800");
		refused(() -> options.owner("job\u2028 7"), "owner must not contain line separators but contains U+2028");
		refused(() -> options.owner("shared 7"), "owner must not begin with 'shared ', which marks shared locks");
	}

	@Test
	void renewalIntervalIsAtMostHalfOfTheLease() {
		LockOptions defaults = LockOptions.options().timeout(Duration.ofSeconds(10));
		LockOptions half = LockOptions.options().renewEvery(Duration.ofSeconds(5));
		LockOptions longer = LockOptions.options().renewEvery(Duration.ofMillis(5_100));
		LockOptions tooShort = half.timeout(Duration.ofMillis(150));

		assertThat(renewEvery(half, defaults)).isEqualTo(Duration.ofSeconds(5));
		refused(() -> renewEvery(longer, defaults), tooLong("10s", "5s", "5.1s"));
		refused(() -> renewEvery(half, defaults.maxHold(Duration.ofSeconds(9))), tooLong("9s", "4.5s", "5s"));
		refused(() -> renewEvery(tooShort, defaults), tooLong("150ms", "75ms", "5s"));
	}

	@Test
	void longIntervalIsAcceptedIfItHasNoEffect() {
		LockOptions options = LockOptions.options().renewEvery(Duration.ofDays(1));

		assertThat(renewEvery(options.autoRenew(false), LockOptions.options())).isEqualTo(Duration.ofDays(1));
		assertThat(renewEvery(options.neverExpires(), LockOptions.options())).isEqualTo(Duration.ofDays(1));
	}

	@Test
	void defaultIntervalIsAcceptedForAShorterLease() {
		LockOptions defaults = LockOptions.options().renewEvery(Duration.ofSeconds(10));

		assertThat(renewEvery(LockOptions.options().timeout(SECOND), defaults)).isEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void allDurationsAreShownWithTheirUnits() {
		LockOptions options = LockOptions.options().timeout(SECOND).renewEvery(Duration.ofMillis(500)).waitForever();

		assertThat(options).hasToString("LockOptions{renewEvery=500ms, timeout=1s, waitTime=forever}");
		assertThat(options.neverExpires()).asString().contains("timeout=forever");
	}

	@Test
	void ownerTokenIsNotPrinted() {
		assertThat(LockOptions.options().timeout(SECOND).retry(2).waitTime(Duration.ofMinutes(1)).owner("job-17"))
			.asString()
			.doesNotContain("job-17")
			.isEqualTo("LockOptions{retry=2, timeout=1s, waitTime=1m}");
	}

	/**
	 * Options with computed values must not fill the memory.
	 */
	@Test
	void settingsOfUpTo256OptionsAreKept() {
		LockEngine engine = new LockEngine(new ScriptedStore(),
				LockConfiguration.defaults().timer(new ManualLockTimer()));
		LockTarget target = LockTarget.of("order:42");
		List<AcquireSettings> kept = IntStream.range(0, 256)
			.mapToObj((retry) -> engine.settings(target, LockOptions.options().retry(retry)))
			.toList();

		assertThat(engine.settings(target, LockOptions.options().retry(0))).isSameAs(kept.get(0));
		LockOptions own = LockOptions.options().owner("job-17");
		assertThat(engine.settings(target, own)).isNotSameAs(engine.settings(target, own));
		engine.settings(target, LockOptions.options().retry(256));
		assertThat(engine.settings(target, LockOptions.options().retry(0))).isNotSameAs(kept.get(0));
	}

	private static Duration waitTime(LockOptions options, LockOptions defaults) {
		return AcquireSettings.of(options, defaults, null).waitTime();
	}

	private static Duration renewEvery(LockOptions options, LockOptions defaults) {
		return AcquireSettings.of(options, defaults, null).requireTimeToRenew(options, "Lock 'order:42'").renewEvery();
	}

	private static String tooLong(String lease, String most, String interval) {
		return ("Lock 'order:42' with a lease of %s needs time for a second renewal if one is lost: renewEvery (at"
				+ " least 100ms) must be at most %s but is %s")
			.formatted(lease, most, interval);
	}

	private static void refused(Runnable attempt, String message) {
		assertThatIllegalArgumentException().isThrownBy(attempt::run).withMessage(message);
	}

	private static LockOptions anyOptions(Random random) {
		LockOptions options = LockOptions.options();
		List<Duration> durations = List.of(SECOND, SECOND.multipliedBy(2), SECOND.multipliedBy(3));
		if (random.nextBoolean()) {
			options = options.timeout(durations.get(random.nextInt(3)));
		}
		if (random.nextBoolean()) {
			options = options.retry(random.nextInt(3));
		}
		if (random.nextBoolean()) {
			options = options.retryDelay(durations.get(random.nextInt(3)));
		}
		if (random.nextBoolean()) {
			options = options.waitTime(durations.get(random.nextInt(3)));
		}
		if (random.nextBoolean()) {
			options = options.autoRenew(random.nextBoolean());
		}
		if (random.nextBoolean()) {
			options = options.renewEvery(durations.get(random.nextInt(3)));
		}
		if (random.nextBoolean()) {
			options = options.atLeastFor(durations.get(random.nextInt(3)));
		}
		if (random.nextBoolean()) {
			options = options.owner("job-" + random.nextInt(3));
		}
		return random.nextBoolean() ? options.reentrant(random.nextBoolean()) : options;
	}

}
