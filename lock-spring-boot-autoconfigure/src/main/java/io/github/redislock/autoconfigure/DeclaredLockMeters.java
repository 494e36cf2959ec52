package io.github.redislock.autoconfigure;

import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationListener;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the meters of annotated methods at startup, so that a dashboard shows zero
 * and an alert sees the first loss as an increase. The meters of a bean that is created
 * later are registered at its creation.
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
		this.beans.getBeanProvider(LockObservationListener.class)
			.forEach((listener) -> methods.onExample(listener::declare));
	}

}
