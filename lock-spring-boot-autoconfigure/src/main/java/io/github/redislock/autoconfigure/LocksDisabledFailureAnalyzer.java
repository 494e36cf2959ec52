package io.github.redislock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.analyzer.AbstractInjectionFailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Explains that a bean of this library is missing because locks are switched off.
 */
// Runs before Spring Boot's analyzer, which does not know the property.
@Order(Ordered.LOWEST_PRECEDENCE - 1)
class LocksDisabledFailureAnalyzer extends AbstractInjectionFailureAnalyzer<NoSuchBeanDefinitionException> {

	private final Environment environment;

	LocksDisabledFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, NoSuchBeanDefinitionException cause,
			@Nullable String description) {
		ResolvableType type = cause.getResolvableType();
		if (type == null || cause.getNumberOfBeansFound() > 0
				|| !type.toClass().getName().startsWith("io.github.redislock.")
				|| OnLocksEnabledCondition.isEnabled(this.environment)) {
			return null;
		}
		return new FailureAnalysis(
				"Locks are switched off by 'redis-lock.enabled=false', but %s needs a bean of type '%s'."
					.formatted((description != null) ? description : "the application", type),
				"Set 'redis-lock.enabled=true', inject an ObjectProvider<%s>, or declare a bean of this type."
					.formatted(type.toClass().getSimpleName()),
				cause);
	}

}
