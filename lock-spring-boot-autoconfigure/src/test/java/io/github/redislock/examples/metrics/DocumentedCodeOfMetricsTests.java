package io.github.redislock.examples.metrics;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.observation.DefaultLockObservationConvention;
import io.github.redislock.observation.LockAcquireContext;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationConvention;
import io.github.redislock.observation.LockObservationListener;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.DocumentedCode;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The code in {@code docs/metrics.md} is tested here.
 */
class DocumentedCodeOfMetricsTests {

	@Test
	void pageExamplesMatchCompiledCode() throws IOException {
		DocumentedCode code = DocumentedCode.in(Path.of("../docs/metrics.md"));

		assertThat(code.size()).isEqualTo(1);
		assertThat(code.notFoundIn(Path.of("src/test/java/io/github/redislock/examples/metrics"))).isEmpty();
	}

	@Test
	void locksAreMeasuredWithoutSpringBoot() {
		MeterRegistry meterRegistry = new SimpleMeterRegistry();
		ObservationRegistry observationRegistry = ObservationRegistry.create();
		observationRegistry.observationConfig().observationHandler(new DefaultMeterObservationHandler(meterRegistry));

		LockObservationListener observations = new LockObservationListener(observationRegistry, null);
		LockConfiguration configuration = LockConfiguration.defaults()
			.listener(observations)
			.listener(new LockMeterListener(meterRegistry, observations))
			.taskDecorator(observations::decorate);

		try (RedisLockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), configuration)) {
			locks.execute(LockTarget.of("order", 42), () -> {
			});
		}
		assertThat(meterRegistry.get("redis.lock.acquire").tag("lock", "order").timer().count()).isOne();
		assertThat(meterRegistry.get("redis.lock.hand.overs").tags("lock", "order", "from", "none").counter().count())
			.isOne();
	}

	@Test
	void keyCanBeKeptOutOfSpans() {
		ObservationRegistry observations = ObservationRegistry.create();
		List<String> keys = new ArrayList<>();
		observations.observationConfig().observationHandler(new ObservationHandler<LockAcquireContext>() {

			@Override
			public void onStop(LockAcquireContext context) {
				context.getAllKeyValues().forEach((keyValue) -> keys.add(keyValue.getKey()));
			}

			@Override
			public boolean supportsContext(Observation.Context context) {
				return context instanceof LockAcquireContext;
			}

		});
		LockConfiguration configuration = LockConfiguration.defaults()
			.listener(new LockObservationListener(observations, new Naming().withoutKeys()));

		try (RedisLockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), configuration)) {
			locks.execute(LockTarget.of("order", 42), () -> {
			});
		}
		assertThat(keys).contains("lock").doesNotContain("redis.lock.name");
	}

	static class Naming {

		@Bean
		LockObservationConvention withoutKeys() {
			return new DefaultLockObservationConvention() {

				@Override
				public KeyValues getHighCardinalityKeyValues(LockAcquireContext context) {
					return KeyValues.empty();
				}

			};
		}

	}

}
