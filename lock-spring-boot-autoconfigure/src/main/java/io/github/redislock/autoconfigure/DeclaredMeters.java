package io.github.redislock.autoconfigure;

import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationListener;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the meters of annotated methods and of roles at startup. As a result, a
 * dashboard shows zero before the first call and includes the instances that do not lead,
 * and an alert sees the first loss as an increase. The meters of the methods of a bean
 * that is created later are registered at their first call.
 */
final class DeclaredMeters implements SmartInitializingSingleton {

	private final BeanFactory beans;

	DeclaredMeters(BeanFactory beans) {
		this.beans = beans;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.beans.getBeanProvider(LockedMethods.class).ifAvailable((methods) -> {
			this.beans.getBeanProvider(LockMeterListener.class)
				.forEach((listener) -> methods.examples().forEach(listener::declare));
			this.beans.getBeanProvider(LockObservationListener.class)
				.forEach((listener) -> methods.examples().forEach(listener::declare));
		});
		this.beans.getBeanProvider(LockMeterListener.class).forEach((listener) -> {
			this.beans.getBeanProvider(Leadership.class).forEach(listener::measure);
			this.beans.getBeanProvider(LeaderOnlyMethods.class)
				.ifAvailable((methods) -> methods.onSkipped(listener::countSkipped));
		});
	}

}
