package io.github.redislock.internal.interceptor.declaration;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.KeyRules;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * The lock of a method's calls: a name of fixed text and expressions over the arguments
 * of a call, an optional key, and how many calls may share the lock.
 * <p>
 * The values of expressions are used as text and never evaluated again.
 */
public final class CallTarget {

	private static final int LONGEST_METRIC_NAME = 200;

	private static final Pattern LINE_BREAKS = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

	private final String describedMethod;

	private final List<Part> parts;

	private final @Nullable Part key;

	private final String metricName;

	private final UnaryOperator<LockTarget> mode;

	private final CallContexts contexts = new CallContexts();

	private final @Nullable String fixedName;

	private final LockTarget example;

	/**
	 * Create the lock of a method's calls.
	 * @param describedMethod the method, for messages
	 * @param parts the parts of the name, in order
	 * @param key the key, or {@code null} if all calls with the same name share a lock
	 * @param metricName the name of the lock in metrics, or empty text to use the
	 * declared text of the parts
	 * @param mode makes an exclusive target shared, if the lock is
	 * @throws IllegalArgumentException if the fixed name or the metric name is not valid
	 */
	CallTarget(String describedMethod, List<Part> parts, @Nullable Part key, String metricName,
			UnaryOperator<LockTarget> mode) {
		this.describedMethod = describedMethod;
		this.parts = List.copyOf(parts);
		this.key = key;
		this.metricName = metricName.isEmpty() ? declared(parts) : metricName;
		this.mode = mode;
		this.fixedName = parts.stream().allMatch(Part::isFixed)
				? parts.stream().map(Part::text).collect(Collectors.joining()) : null;
		// Otherwise, a name with a key would be checked at its first call.
		Stream.ofNullable(this.fixedName).forEach(LockTarget::of);
		this.example = finish(LockTarget.of(isFixed() ? Objects.requireNonNull(this.fixedName) : this.metricName));
	}

	/**
	 * Return the target as metrics see it: with the text of expressions instead of their
	 * values.
	 */
	public LockTarget example() {
		return this.example;
	}

	/**
	 * Return the description of the method, for messages.
	 */
	public String describedMethod() {
		return this.describedMethod;
	}

	/**
	 * Return the lock for a call.
	 * @throws InvalidLockNameException if the arguments do not yield a name
	 */
	public LockTarget evaluate(MethodInvocation invocation, Class<?> targetClass) {
		if (isFixed()) {
			return this.example;
		}
		try {
			String name = (this.fixedName != null) ? this.fixedName : name(invocation, targetClass);
			return finish((this.key != null) ? LockTarget.of(name, value(this.key, invocation, targetClass))
					: LockTarget.of(name));
		}
		catch (EvaluationException | IllegalArgumentException ex) {
			String expressions = Stream.concat(this.parts.stream(), Stream.ofNullable(this.key))
				.filter((part) -> !part.isFixed())
				.map(Part::text)
				.collect(Collectors.joining("', '"));
			throw new InvalidLockNameException(
					"Method '%s' was called with arguments for which '%s' yields no valid lock name: %s"
						.formatted(this.describedMethod, expressions, ex.getMessage()),
					ex);
		}
	}

	private boolean isFixed() {
		return this.fixedName != null && this.key == null;
	}

	/**
	 * Return a name as it was declared, but on one line, because it may be a text block.
	 * The end of a long name is cut off.
	 */
	private static String declared(List<Part> parts) {
		String declared = parts.stream().map(Part::declared).collect(Collectors.joining());
		String line = LINE_BREAKS.matcher(declared).replaceAll(" ");
		return (line.length() <= LONGEST_METRIC_NAME) ? line
				: line.substring(0, line.offsetByCodePoints(0, LONGEST_METRIC_NAME / 2)) + '…';
	}

	private LockTarget finish(LockTarget alone) {
		return this.mode.apply(alone.withMetricName(this.metricName));
	}

	private String name(MethodInvocation invocation, Class<?> targetClass) {
		StringBuilder name = new StringBuilder();
		for (Part part : this.parts) {
			name.append(part.isFixed() ? part.text() : value(part, invocation, targetClass));
		}
		return name.toString();
	}

	private Object value(Part part, MethodInvocation invocation, Class<?> targetClass) {
		Object value = part.value(this.contexts, invocation, targetClass);
		return (value != null && part.mayBeSeveral()) ? value : KeyRules.text(value);
	}

	/**
	 * A piece of the name, or the key.
	 *
	 * @param text the fixed text, or the expression's text
	 * @param expression the parsed expression, or {@code null} if the text is fixed
	 * @param variables the variables of the expression, each with the index of its
	 * argument
	 * @param argument the index of the argument if the whole expression is one argument,
	 * as for most keys, or {@link #NONE}
	 * @param mayBeSeveral whether the value may be several keys
	 */
	record Part(String text, @Nullable SpelExpression expression, Map<String, Integer> variables, int argument,
			boolean mayBeSeveral) {

		private static final int NONE = -1;

		static Part fixed(String text) {
			return new Part(text, null, Map.of(), NONE, false);
		}

		static Part of(SpelExpression expression, Map<String, Integer> variables, boolean mayBeSeveral) {
			int argument = (expression.getAST() instanceof VariableReference only)
					? variables.getOrDefault(only.toStringAST().substring(1), NONE) : NONE;
			return new Part(expression.getExpressionString(), expression, Map.copyOf(variables), argument,
					mayBeSeveral);
		}

		boolean isFixed() {
			return this.expression == null;
		}

		@Nullable Object value(CallContexts contexts, MethodInvocation invocation, Class<?> targetClass) {
			return (this.argument != NONE) ? invocation.getArguments()[this.argument]
					: Objects.requireNonNull(this.expression)
						.getValue(contexts.of(invocation, targetClass, this.variables));
		}

		String declared() {
			return isFixed() ? this.text : "#{" + this.text + '}';
		}

	}

}
