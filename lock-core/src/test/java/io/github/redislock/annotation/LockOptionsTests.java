package io.github.redislock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.redislock.LockOptions;
import io.github.redislock.OnLost;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LockOptionsTests {

	@Test
	void undeclaredOptionsStayUnset() {
		assertThat(optionsOf(Options::nothing)).isEqualTo(LockOptions.options().toString());
	}

	@Test
	void allDeclaredOptionsArePassedOn() {
		LockOptions expected = LockOptions.options()
			.timeout(Duration.ofSeconds(5))
			.retry(7)
			.maxWaiters(100)
			.retryDelay(Duration.ofMillis(250))
			.waitTime(Duration.ofSeconds(90))
			.maxHold(Duration.ofMinutes(10))
			.autoRenew(false)
			.atLeastFor(Duration.ofMinutes(1))
			.onLost(OnLost.INTERRUPT);

		assertThat(optionsOf(Options::everything)).isEqualTo(expected.toString());
	}

	@Test
	void declaredDefaultValuesArePassedOn() {
		assertThat(optionsOf(Options::usual))
			.isEqualTo(LockOptions.options().autoRenew(true).onLost(OnLost.THROW).toString());
	}

	@Test
	void zeroIsNotTheDefault() {
		assertThat(optionsOf(Options::impatient)).isEqualTo(LockOptions.options().retry(0).maxWaiters(0).toString());
	}

	@Test
	void durationsMayComeFromProperties() {
		assertThat(optionsOf(Options::placeholder))
			.isEqualTo(LockOptions.options().timeout(Duration.ofSeconds(9)).waitTime(Duration.ofSeconds(3)).toString());
	}

	@Test
	void emptyPropertyLeavesTheOptionUnset() {
		assertThat(optionsOf(Options::emptyPlaceholder)).isEqualTo(LockOptions.options().toString());
	}

	@Test
	void skippableCallDoesNotWaitByDefault() {
		assertThat(optionsOf(Options::skipped)).isEqualTo(LockOptions.options().retry(0).toString());
		assertThat(optionsOf(Options::skippedUnlessConfigured)).isEqualTo(LockOptions.options().retry(0).toString());
	}

	@Test
	void skippableCallWaitsIfAWaitIsDeclared() {
		assertThat(optionsOf(Options::skippedAfterAWhile))
			.isEqualTo(LockOptions.options().waitTime(Duration.ofSeconds(2)).toString());
		assertThat(optionsOf(Options::skippedAfterRetries)).isEqualTo(LockOptions.options().retry(5).toString());
	}

	@Test
	void waitTimeMayBeUnlimited() {
		assertThat(optionsOf(Options::patient)).isEqualTo(LockOptions.options().waitForever().toString());
	}

	@Test
	void optionsAreNamedLikeTheAnnotationAttributes() {
		Set<String> options = Arrays.stream(LockOptions.class.getMethods())
			.filter((method) -> !Modifier.isStatic(method.getModifiers()))
			.map(Method::getName)
			.collect(Collectors.toSet());

		assertThat(options).contains("timeout", "retry", "retryDelay", "waitTime", "maxWaiters", "maxHold", "autoRenew",
				"atLeastFor", "onLost");
		assertThat(DistributedLock.class.getMethods()).extracting(Method::getName)
			.contains("timeout", "retry", "retryDelay", "waitTime", "maxWaiters", "maxHold", "autoRenew", "atLeastFor",
					"onLost");
	}

	private static String optionsOf(Consumer<Options> call) {
		try (LockedContext context = LockedContext.of(Map.of("app.lease", "9s"),
				(beans) -> beans.register(Options.class))) {
			call.accept(context.get(Options.class));
			return context.locks().options.get(0).toString();
		}
	}

	static class Options {

		@DistributedLock
		void nothing() {
		}

		@DistributedLock(timeout = "5s", retry = 7, maxWaiters = 100, retryDelay = "250ms", waitTime = "PT1M30S",
				autoRenew = false, maxHold = "10m", atLeastFor = "1m", onLost = OnLost.INTERRUPT)
		void everything() {
		}

		@DistributedLock(autoRenew = true, onLost = OnLost.THROW)
		void usual() {
		}

		@DistributedLock(retry = 0, maxWaiters = 0)
		void impatient() {
		}

		@DistributedLock(waitTime = "Forever")
		void patient() {
		}

		@DistributedLock(timeout = "${app.none:}")
		void emptyPlaceholder() {
		}

		@DistributedLock(ifLocked = IfLocked.SKIP)
		public void skipped() {
		}

		@DistributedLock(ifLocked = IfLocked.SKIP, waitTime = "${app.none:}")
		public void skippedUnlessConfigured() {
		}

		@DistributedLock(ifLocked = IfLocked.SKIP, waitTime = "2s")
		public void skippedAfterAWhile() {
		}

		@DistributedLock(ifLocked = IfLocked.SKIP, retry = 5)
		public void skippedAfterRetries() {
		}

		@DistributedLock(timeout = "${app.lease}", waitTime = "${app.wait:3s}")
		void placeholder() {
		}

	}

}
