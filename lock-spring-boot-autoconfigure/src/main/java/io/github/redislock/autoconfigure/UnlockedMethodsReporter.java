package io.github.redislock.autoconfigure;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import io.github.redislock.internal.annotation.DistributedLockSource;
import io.github.redislock.internal.interceptor.AdvisedMethods;
import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/**
 * Warns about methods that run unlocked because locks are switched off, or their
 * auto-configuration is excluded: once at startup, and again for beans that are created
 * later.
 */
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class UnlockedMethodsReporter implements BeanPostProcessor, SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(UnlockedMethodsReporter.class);

	private final String cause;

	private final List<AdvisedMethods<?, ?>> methods;

	private final Set<String> found = new HashSet<>();

	private final Set<String> unreported = new TreeSet<>();

	private boolean started;

	UnlockedMethodsReporter(Environment environment) {
		this.cause = OnLocksEnabledCondition.isEnabled(environment)
				? "the exclusion of DistributedLockAutoConfiguration" : "'redis-lock.enabled=false'";
		DistributedLockSource source = new DistributedLockSource();
		this.methods = List.of(new LockedMethods(source, 0), new LeaderOnlyMethods(source));
	}

	@Override
	public synchronized Object postProcessAfterInitialization(Object bean, String beanName) {
		AdvisedMethods.typesOf(AopProxyUtils.ultimateTargetClass(bean), bean)
			.forEach((type) -> this.methods.stream()
				.flatMap((each) -> each.definitions(type).keySet().stream())
				.map((method) -> MethodNames.describe(method, type))
				.filter(this.found::add)
				.forEach(this.unreported::add));
		if (this.started) {
			report();
		}
		return bean;
	}

	@Override
	public synchronized void afterSingletonsInstantiated() {
		this.started = true;
		report();
	}

	/**
	 * Return a text in a frame, below the other lines of a warning that must be noticed.
	 */
	static String framed(String text) {
		String line = "*".repeat(text.length() + 8);
		return "%n%n%s%n**  %s  **%n%s%n".formatted(line, text, line);
	}

	private void report() {
		if (!this.unreported.isEmpty()) {
			logger.warn("Locks are switched off by " + this.cause + ", so these methods run unlocked: "
					+ String.join(", ", this.unreported)
					+ framed("NO LOCKS: several calls may run these methods at once. For tests only."));
			this.unreported.clear();
		}
	}

}
