package io.github.redislock.autoconfigure.test;

import java.util.Arrays;
import java.util.List;

import io.github.redislock.LockOperations;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Makes sure that the tested application keeps its locks in memory. Otherwise, the
 * simulated failures would not affect the application's locks, and the test would prove
 * nothing.
 */
final class TestLocksCheck implements SmartInitializingSingleton {

	private final ConfigurableListableBeanFactory beanFactory;

	TestLocksCheck(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<String> operations = Arrays.stream(this.beanFactory.getBeanNamesForType(LockOperations.class, true, false))
			.filter(this.beanFactory::containsSingleton)
			.toList();
		boolean unused = this.beanFactory.getDependentBeans(TestLocksAutoConfiguration.STORE_BEAN_NAME).length == 0;
		if (!operations.isEmpty() && unused) {
			throw new LockSetupException(
					("The test keeps locks in memory (@AutoConfigureRedisLock), but the application's own '%s'"
							+ " keeps them elsewhere.")
						.formatted(String.join("', '", operations)),
					"Let the bean method of the template take a LockStore as a parameter, or leave the template to the"
							+ " auto-configuration.",
					null);
		}
	}

}
