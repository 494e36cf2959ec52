package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * The name of a method's lock: fixed text and expressions over the arguments of a call.
 * <p>
 * Expressions can read arguments and call their methods. They cannot reach types,
 * constructors or beans, nor assign anything; and what they answer is text, never again
 * an expression.
 */
final class LockName {

	private final String describedMethod;

	private final List<Part> parts;

	private final @Nullable Part key;

	private final Map<String, Integer> variables;

	private final @Nullable LockTarget fixed;

	/**
	 * Create a name.
	 * @param describedMethod the method, for messages
	 * @param parts in order
	 * @param key which of all locks of that name, if there is more than one
	 * @param variables the variables that the parts use, each with the number of its
	 * argument
	 * @throws IllegalArgumentException if all calls have the same name and it is none
	 */
	LockName(String describedMethod, List<Part> parts, @Nullable Part key, Map<String, Integer> variables) {
		this.describedMethod = describedMethod;
		this.parts = parts;
		this.key = key;
		this.variables = variables;
		this.fixed = (key != null || parts.stream().anyMatch((part) -> part.expression() != null)) ? null
				: LockTarget.of(String.join("", parts.stream().map(Part::text).toList()));
	}

	/**
	 * Return the lock for a call.
	 * @throws InvalidLockNameException if the arguments do not lead to one
	 */
	LockTarget evaluate(MethodInvocation invocation, Class<?> targetClass) {
		if (this.fixed != null) {
			return this.fixed;
		}
		EvaluationContext context = context(invocation, targetClass);
		StringBuilder name = new StringBuilder();
		this.parts.forEach((part) -> name.append(evaluate(part, context)));
		String evaluatedKey = (this.key != null) ? evaluate(this.key, context) : null;
		try {
			return (evaluatedKey != null) ? LockTarget.of(name.toString(), evaluatedKey)
					: LockTarget.of(name.toString());
		}
		catch (IllegalArgumentException ex) {
			String expressions = Stream.concat(this.parts.stream(), Stream.ofNullable(this.key))
				.filter((part) -> part.expression() != null)
				.map(Part::text)
				.collect(Collectors.joining("', '"));
			throw new InvalidLockNameException(
					"Method '%s' was called with arguments from which '%s' makes no lock name: %s"
						.formatted(this.describedMethod, expressions, ex.getMessage()),
					ex);
		}
	}

	private String evaluate(Part part, EvaluationContext context) {
		Expression expression = part.expression();
		if (expression == null) {
			return part.text();
		}
		Object value;
		try {
			value = expression.getValue(context);
		}
		catch (EvaluationException ex) {
			throw failure(part, "failed: " + ex.getMessage(), ex);
		}
		if (value == null) {
			throw failure(part, "is null", null);
		}
		String reason = KeyTypes.whyNoKey(value.getClass());
		if (reason != null) {
			throw failure(part, reason, null);
		}
		String text = (value instanceof Class<?> type) ? type.getName() : value.toString();
		if (text == null || text.isBlank()) {
			throw failure(part, "is blank", null);
		}
		return text;
	}

	private InvalidLockNameException failure(Part part, String reason, @Nullable Throwable cause) {
		return new InvalidLockNameException("Method '%s' was called with arguments that name no lock: '%s' in its %s %s"
			.formatted(this.describedMethod, part.text(), part.attribute(), reason), cause);
	}

	private EvaluationContext context(MethodInvocation invocation, Class<?> targetClass) {
		@Nullable Object[] arguments = invocation.getArguments();
		CallRoot root = new CallRoot(invocation.getMethod(), invocation.getMethod().getName(), arguments,
				invocation.getThis(), targetClass);
		SimpleEvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
			.withInstanceMethods()
			.withRootObject(root)
			.build();
		this.variables.forEach((variable, index) -> context.setVariable(variable, arguments[index]));
		return context;
	}

	/**
	 * A piece of the name.
	 *
	 * @param attribute what it was declared as, for messages
	 * @param text the fixed text, or the expression's text
	 * @param expression what makes the text, or {@code null} if it is fixed
	 */
	record Part(String attribute, String text, @Nullable Expression expression) {
	}

	/**
	 * What expressions see as {@code #root}.
	 *
	 * @param method the called method
	 * @param methodName its name
	 * @param args the arguments
	 * @param target the object on which it is called
	 * @param targetClass the class of that object
	 */
	record CallRoot(Method method, String methodName, @Nullable Object[] args, @Nullable Object target,
			Class<?> targetClass) {

	}

}
