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
 * Skips tests with a reason if no {@link PythonProcess} can be started.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsPython.Condition.class)
public @interface NeedsPython {

	/**
	 * Looks for the program.
	 */
	final class Condition implements ExecutionCondition {

		@Override
		public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
			if (Requirements.ALL || Python.withRedis().isPresent()) {
				return ConditionEvaluationResult.enabled("Python has redis-py, or is required");
			}
			Requirements.say(context.getDisplayName(), Python.MISSING);
			return ConditionEvaluationResult.disabled(Python.MISSING);
		}

	}

}
