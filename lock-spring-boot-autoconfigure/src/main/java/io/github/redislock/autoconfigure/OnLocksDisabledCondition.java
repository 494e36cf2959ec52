package io.github.redislock.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if {@code redis-lock.enabled} is false.
 */
class OnLocksDisabledCondition extends OnLocksEnabledCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		ConditionOutcome enabled = super.getMatchOutcome(context, metadata);
		return new ConditionOutcome(!enabled.isMatch(), enabled.getConditionMessage());
	}

}
