package io.github.redislock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.redislock.transaction.CommitGuard;
import io.github.redislock.transaction.FenceGuard;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/**
 * Adds a {@link CommitGuard} and a {@link FenceGuard} to each transaction manager that
 * accepts listeners.
 * <p>
 * Spring Boot would add a listener bean only to the managers that it creates itself, and
 * not to those that an application declares.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class CommitGuardPostProcessor implements BeanPostProcessor {

	private static final Log logger = LogFactory.getLog(CommitGuardPostProcessor.class);

	private final boolean enabled;

	/**
	 * Create a post-processor that reads its property from the environment, because a
	 * properties bean would be created too early.
	 */
	CommitGuardPostProcessor(Environment environment) {
		this.enabled = Binder.get(environment).bind("redis-lock.transaction.commit-guard", Boolean.class).orElse(true);
	}

	@Override
	public Object postProcessBeforeInitialization(Object bean, String beanName) {
		if (bean instanceof AbstractPlatformTransactionManager manager) {
			guard(manager, new FenceGuard(manager));
		}
		if (this.enabled && bean instanceof PlatformTransactionManager) {
			if (bean instanceof ConfigurableTransactionManager manager) {
				guard(manager, new CommitGuard());
			}
			else {
				logger.info(("Transaction manager '%s' accepts no listeners: locks that were acquired before its"
						+ " transactions are not checked at the commit")
					.formatted(beanName));
			}
		}
		return bean;
	}

	private static void guard(ConfigurableTransactionManager manager, TransactionExecutionListener guard) {
		List<TransactionExecutionListener> listeners = new ArrayList<>(manager.getTransactionExecutionListeners());
		if (listeners.stream().noneMatch(guard.getClass()::isInstance)) {
			listeners.add(guard);
			// Add to a copy, because the application's own list may be immutable.
			manager.setTransactionExecutionListeners(listeners);
		}
	}

}
