package io.github.redislock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if {@code redis-lock.enabled} is false.
 */
class OnLocksDisabledCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean enabled = OnLocksEnabledCondition.isEnabled(context.getEnvironment());
		return new ConditionOutcome(!enabled, OnLocksEnabledCondition.message(enabled));
	}

}
