package io.github.redislock.autoconfigure;

import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.leadership.LockLeadership;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Starts beans and listener containers when this instance becomes the leader of their
 * role, and stops them when it no longer leads.
 * <p>
 * Both are looked up at startup, after the registries have created their listener
 * containers and before the candidacies begin.
 */
final class LeaderOnlyBeans implements SmartLifecycle {

	private static final Log logger = LogFactory.getLog(LeaderOnlyBeans.class);

	/**
	 * The method that returns a listener container by its id, in the registries of Spring
	 * for Apache Kafka, Spring JMS and Spring AMQP.
	 */
	private static final String CONTAINER_METHOD = "getListenerContainer";

	private final RedisLockProperties.Leadership properties;

	private final ObjectProvider<LockLeadership> leaderships;

	private final ListableBeanFactory beanFactory;

	private final Duration patience;

	private volatile boolean running;

	/**
	 * Create an instance for all roles.
	 * @param patience how long to wait for a bean to stop before the next leader may
	 * begin
	 */
	LeaderOnlyBeans(RedisLockProperties.Leadership properties, ObjectProvider<LockLeadership> leaderships,
			ListableBeanFactory beanFactory, Duration patience) {
		this.properties = properties;
		this.leaderships = leaderships;
		this.beanFactory = beanFactory;
		this.patience = patience;
	}

	@Override
	public void start() {
		this.leaderships.forEach(this::connect);
		this.running = true;
	}

	/**
	 * Do nothing, because the beans are still started and stopped with the leadership if
	 * the context starts again.
	 */
	@Override
	public void stop() {
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return DEFAULT_PHASE - 1;
	}

	private void connect(LockLeadership leadership) {
		for (String name : this.properties.role(leadership.role()).leaderOnly()) {
			Lifecycle bean = find(name, leadership.role());
			// One listener for each bean, so that a bean that fails does not affect the
			// others.
			leadership.onGranted((term) -> {
				if (!bean.isRunning()) {
					bean.start();
				}
			});
			leadership.onRevoked((term) -> {
				if (bean.isRunning()) {
					stop(bean, name, leadership.role());
				}
			});
		}
	}

	/**
	 * Stop a bean, and wait until it has stopped. The wait for a {@link SmartLifecycle}
	 * is limited.
	 */
	private void stop(Lifecycle bean, String name, String role) {
		if (!(bean instanceof SmartLifecycle smart)) {
			bean.stop();
			return;
		}
		CountDownLatch stopped = new CountDownLatch(1);
		smart.stop(stopped::countDown);
		try {
			if (!stopped.await(this.patience.toNanos(), TimeUnit.NANOSECONDS)) {
				logger.warn("'%s' did not stop within %s, and the next leader of role '%s' will not wait for it"
					.formatted(name, Durations.describe(this.patience), role));
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private Lifecycle find(String name, String role) {
		String property = "%s.%s.leader-only".formatted(LockPropertyNames.ROLES, role);
		Object bean = this.beanFactory.containsBean(name) ? this.beanFactory.getBean(name) : container(name);
		if (bean == null) {
			throw new LockSetupException(
					("Role '%s' should start and stop '%s', but there is no such bean, and no listener container with"
							+ " that id.")
						.formatted(role, name),
					"Correct '%s'.".formatted(property), null);
		}
		if (!(bean instanceof Lifecycle lifecycle)) {
			throw new LockSetupException(
					"Role '%s' should start and stop bean '%s', but its type '%s' cannot be started and stopped."
						.formatted(role, name, ClassUtils.getUserClass(bean).getName()),
					"Implement SmartLifecycle, or remove the bean from '%s' and use Leadership.onGranted and onRevoked."
						.formatted(property),
					null);
		}
		if (lifecycle instanceof SmartLifecycle smart && smart.isAutoStartup()) {
			throw new LockSetupException(
					"Role '%s' should start and stop '%s', but it starts by itself in each instance.".formatted(role,
							name),
					"Make its isAutoStartup() return false (for a listener container, autoStartup = \"false\").", null);
		}
		return lifecycle;
	}

	/**
	 * Return a listener container, which belongs to a registry and is not a bean, or
	 * {@code null} if there is none with this id.
	 */
	private @Nullable Object container(String id) {
		for (Object registry : this.beanFactory.getBeansOfType(Lifecycle.class, false, false).values()) {
			Method method = ClassUtils.getMethodIfAvailable(registry.getClass(), CONTAINER_METHOD, String.class);
			Object container = (method != null) ? ReflectionUtils.invokeMethod(method, registry, id) : null;
			if (container != null) {
				return container;
			}
		}
		return null;
	}

}
