package io.github.redislock.autoconfigure;

import java.util.List;

import io.github.redislock.interceptor.LockedMethods;
import io.github.redislock.observation.AcquireTimers;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationConvention;
import io.github.redislock.observation.LockObservationListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.ObservationFilter;
import io.micrometer.observation.ObservationPredicate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.ResolvableType;

/**
 * Registers the meters of annotated methods at startup, so that a dashboard shows zero
 * and an alert sees the first loss as an increase. For a bean that is created later, they
 * are registered at its creation.
 */
final class DeclaredLockMeters implements SmartInitializingSingleton {

	private final BeanFactory beans;

	DeclaredLockMeters(BeanFactory beans) {
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		LockedMethods methods = this.beans.getBeanProvider(LockedMethods.class).getIfAvailable();
		if (methods == null) {
			return;
		}
		this.beans.getBeanProvider(LockMeterListener.class).forEach((listener) -> methods.onExample(listener::declare));
		List<LockObservationListener> observations = this.beans.getBeanProvider(LockObservationListener.class)
			.stream()
			.toList();
		observations.forEach((listener) -> methods.onExample(listener::declare));
		if (!observations.isEmpty()) {
			methods.onExample(timers()::declare);
		}
	}

	private AcquireTimers timers() {
		return new AcquireTimers(this.beans.getBean(MeterRegistry.class),
				this.beans.getBeanProvider(LockObservationConvention.class).getIfAvailable(),
				this.beans.getBeanProvider(ObservationPredicate.class).orderedStream().toList(),
				this.beans.getBeanProvider(ObservationFilter.class).orderedStream().toList(),
				this.beans
					.<GlobalObservationConvention<?>>getBeanProvider(
							ResolvableType.forClass(GlobalObservationConvention.class))
					.orderedStream()
					.toList());
	}

}
