package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * How many may share the lock of a method, asked anew for each call.
 */
final class PermitsExpression {

	private final Method method;

	private final Class<?> targetClass;

	private final String declared;

	private final SpelExpression expression;

	private final Map<String, Integer> variables;

	private final Set<String> beans;

	private final @Nullable ConfigurableBeanFactory beanFactory;

	private final EvaluationContext rules;

	/**
	 * Create an expression that was checked.
	 * @param declared the text in the source, for messages
	 * @param variables the variables that it uses, each with the number of its argument
	 * @param beans the names of the beans that it uses
	 * @param beanFactory where these are
	 */
	PermitsExpression(Method method, Class<?> targetClass, String declared, SpelExpression expression,
			Map<String, Integer> variables, Set<String> beans, @Nullable ConfigurableBeanFactory beanFactory) {
		this.method = method;
		this.targetClass = targetClass;
		this.declared = declared;
		this.expression = expression;
		this.variables = Map.copyOf(variables);
		this.beans = Set.copyOf(beans);
		this.beanFactory = beanFactory;
		this.rules = (beanFactory != null) ? CallContext.newRules(new BeanFactoryResolver(beanFactory))
				: CallContext.newRules();
	}

	/**
	 * Return the number for a call.
	 * @throws IllegalStateException if there is none
	 */
	int evaluate(MethodInvocation invocation, Class<?> targetClass) {
		Object value;
		try {
			value = new CallContext(this.rules, invocation, targetClass, this.variables).evaluate(this.expression);
		}
		catch (EvaluationException ex) {
			throw failure("failed: " + ex.getMessage(), ex);
		}
		Integer number = (value instanceof Integer integer) ? integer : number(value);
		if (number == null) {
			throw failure("is no number but " + describe(value), null);
		}
		if (number < 1) {
			throw failure("is %d, which admits nobody".formatted(number), null);
		}
		return number;
	}

	/**
	 * Ask the beans once, if they are there and it is theirs alone to answer. What they
	 * answer may be another number by the time of a call, but will not become one.
	 * @throws InvalidLockedMethodException if the expression fails or answers no number
	 */
	void checkStarted() {
		ConfigurableBeanFactory factory = this.beanFactory;
		if (factory == null || asksTheCall() || !this.beans.stream().allMatch(factory::containsSingleton)) {
			return;
		}
		Object value;
		try {
			value = this.expression.getValue(this.rules);
		}
		catch (EvaluationException ex) {
			throw invalid("failed: " + ex.getMessage(), ex);
		}
		if (value != null && number(value) == null) {
			throw invalid("is no number but " + describe(value), null);
		}
	}

	/**
	 * Return whether the arguments, or anything else of a call, are needed.
	 */
	private boolean asksTheCall() {
		return !this.variables.isEmpty() || this.expression.getExpressionString().contains("#");
	}

	private IllegalStateException failure(String problem, @Nullable Throwable cause) {
		return new IllegalStateException(
				("Method '%s' did not run, since nobody knows how many may: '%s' in its permitsString %s."
						+ " It must be a number of at least 1")
					.formatted(MethodNames.describe(this.method, this.targetClass), this.declared, problem),
				cause);
	}

	private InvalidLockedMethodException invalid(String problem, @Nullable Throwable cause) {
		return new InvalidLockedMethodException(this.method, this.targetClass,
				"its permitsString '%s' %s".formatted(this.declared, problem),
				"Let it answer a number of at least 1, as a bean with that property does.", cause);
	}

	private static String describe(@Nullable Object value) {
		return (value != null) ? "a " + value.getClass().getName() : "null";
	}

	private static @Nullable Integer number(@Nullable Object value) {
		if (value instanceof Number number) {
			return (number.doubleValue() == number.intValue()) ? (Integer) number.intValue() : null;
		}
		try {
			return (value instanceof CharSequence text) ? Integer.valueOf(text.toString().strip()) : null;
		}
		catch (NumberFormatException ex) {
			return null;
		}
	}

}
