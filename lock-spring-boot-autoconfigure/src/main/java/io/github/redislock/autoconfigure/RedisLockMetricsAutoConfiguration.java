package io.github.redislock.autoconfigure;

import java.util.Locale;

import io.github.redislock.cache.LoadOnceListener;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationListener;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for the {@link MeterRegistry meters}
 * of locks.
 */
@AutoConfiguration(after = RedisLockObservationAutoConfiguration.class,
		afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@Conditional(OnLocksEnabledCondition.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnSingleCandidate(MeterRegistry.class)
@Import(DeclaredMeters.class)
public final class RedisLockMetricsAutoConfiguration {

	@Bean
	@ConditionalOnMissingBean
	LockMeterListener redisLockMeterListener(MeterRegistry registry,
			ObjectProvider<LockObservationListener> observations) {
		LockObservationListener beside = observations.getIfUnique();
		return (beside != null) ? new LockMeterListener(registry, beside) : new LockMeterListener(registry);
	}

	@Bean
	LoadOnceListener redisLockLoadOnceMeters(ObjectProvider<LockMeterListener> meters) {
		return (lock, outcome) -> meters
			.forEach((listener) -> listener.missed(lock, outcome.name().toLowerCase(Locale.ROOT)));
	}

}
