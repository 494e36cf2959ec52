package io.github.redislock.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests with a reason if no {@link RedisProcess} can be started.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsRedisServer.Condition.class)
public @interface NeedsRedisServer {

	/**
	 * Looks for the program.
	 */
	final class Condition implements ExecutionCondition {

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			if (RedisProcess.isInstalled() || Requirements.ALL) {
				return ConditionEvaluationResult.enabled("redis-server is installed, or required");
			}
			Requirements.say(context.getDisplayName(), RedisProcess.NOT_INSTALLED);
			return ConditionEvaluationResult.disabled(RedisProcess.NOT_INSTALLED);
		}

	}

}
