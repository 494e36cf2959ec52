package io.github.redislock.autoconfigure;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless {@code redis-lock.enabled} is false.
 * <p>
 * Reads the property with the binder, which accepts values such as "yes". A condition on
 * the text would treat such a value as neither true nor false, so locks would be neither
 * enabled nor reported as switched off.
 */
class OnLocksEnabledCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		String version = SpringBootVersion.getVersion();
		if (version.startsWith("3.")) {
			// Otherwise, startup fails with a misleading report, or methods may run
			// unlocked.
			throw new LockSetupException("Redis Lock needs Spring Boot 4, but this application uses " + version + ".",
					"Update Spring Boot to version 4, or remove Redis Lock.", null);
		}
		boolean enabled = isEnabled(context.getEnvironment());
		return new ConditionOutcome(enabled, "redis-lock.enabled is " + enabled);
	}

	static boolean isEnabled(Environment environment) {
		return Binder.get(environment).bind("redis-lock.enabled", Boolean.class).orElse(true);
	}

}
