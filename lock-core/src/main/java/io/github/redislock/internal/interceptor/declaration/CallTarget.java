package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockTarget;
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

	/** Used instead of a number of permits for an exclusive lock. */
	static final int ALONE = 0;

	/** Used instead of a number of permits for any number of readers. */
	static final int READERS = Integer.MAX_VALUE;

	/** Used instead of an index if the value is not one of several elements. */
	private static final int WHOLE = -1;

	/**
	 * The maximum number of elements of a key. There is a limit because a stream may be
	 * infinite.
	 */
	private static final int MOST_ELEMENTS = 10_000;

	private static final int LONGEST_METRIC_NAME = 200;

	private static final Pattern LINE_BREAKS = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

	private final String describedMethod;

	private final List<Part> parts;

	private final @Nullable Part key;

	private final String metricName;

	private final int permits;

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
	 * @param permits how many callers may hold the lock at the same time: a number,
	 * {@link #READERS} or {@link #ALONE}
	 * @throws IllegalArgumentException if the fixed name or the metric name is not valid
	 */
	CallTarget(String describedMethod, List<Part> parts, @Nullable Part key, String metricName, int permits) {
		this.describedMethod = describedMethod;
		this.parts = List.copyOf(parts);
		this.key = key;
		this.metricName = metricName.isEmpty() ? declared(parts) : metricName;
		this.permits = permits;
		this.fixedName = parts.stream().allMatch(Part::isFixed)
				? parts.stream().map(Part::text).collect(Collectors.joining()) : null;
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
		String name = (this.fixedName != null) ? this.fixedName : name(invocation, targetClass);
		Object value = (this.key != null) ? value(this.key, invocation, targetClass) : null;
		try {
			if (this.key == null || value == null) {
				return finish(LockTarget.of(name));
			}
			return finish(KeyTypes.areSeveral(value.getClass()) ? each(name, this.key, value)
					: LockTarget.of(name, text(this.key, WHOLE, value)));
		}
		catch (InvalidLockNameException ex) {
			throw ex;
		}
		catch (IllegalArgumentException ex) {
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
		LockTarget counted = alone.withMetricName(this.metricName);
		return switch (this.permits) {
			case ALONE -> counted;
			case READERS -> counted.forReading();
			default -> counted.permits(this.permits);
		};
	}

	private String name(MethodInvocation invocation, Class<?> targetClass) {
		StringBuilder name = new StringBuilder();
		for (Part part : this.parts) {
			name.append(part.isFixed() ? part.text() : text(part, WHOLE, value(part, invocation, targetClass)));
		}
		return name.toString();
	}

	private Object value(Part part, MethodInvocation invocation, Class<?> targetClass) {
		Object value;
		try {
			value = part.value(this.contexts, invocation, targetClass);
		}
		catch (EvaluationException ex) {
			throw failure(part, "failed: " + ex.getMessage(), ex);
		}
		if (value == null) {
			throw failure(part, "is null", null);
		}
		return value;
	}

	private String text(Part part, int index, @Nullable Object value) {
		if (value == null) {
			throw failure(part, index, "is null");
		}
		String reason = (value instanceof String) ? null : KeyTypes.whyNoKey(value.getClass());
		if (reason != null) {
			throw failure(part, index, reason);
		}
		String text = (value instanceof Class<?> type) ? type.getName() : value.toString();
		if (text == null || text.isBlank()) {
			throw failure(part, index, "is blank");
		}
		return text;
	}

	private LockTarget each(String name, Part part, Object values) {
		if (this.permits != ALONE) {
			throw failure(part, KeyTypes.SEVERAL_SHARED + ". " + KeyTypes.ONE_OR_ALONE, null);
		}
		List<@Nullable Object> elements = elements(part, values);
		if (elements.isEmpty()) {
			throw failure(part, "has no elements, so nothing would be locked: call the method only with elements,"
					+ " or let the key return one value instead", null);
		}
		List<LockTarget> targets = new ArrayList<>(elements.size());
		for (int index = 0; index < elements.size(); index++) {
			targets.add(LockTarget.of(name, text(part, index, elements.get(index))));
		}
		return LockTarget.allOf(targets);
	}

	private List<@Nullable Object> elements(Part part, Object values) {
		List<@Nullable Object> read = new ArrayList<>();
		// Close the stream, because it may keep a resource open.
		try (BaseStream<?, ?> stream = stream(values)) {
			Iterator<? extends @Nullable Object> elements = stream.iterator();
			while (elements.hasNext() && read.size() <= MOST_ELEMENTS) {
				read.add(elements.next());
			}
		}
		catch (RuntimeException ex) {
			throw failure(part, "failed at index %s: %s".formatted(read.size(), ex.getMessage()), ex);
		}
		if (read.size() > MOST_ELEMENTS) {
			throw failure(part, "has more than %s elements".formatted(MOST_ELEMENTS), null);
		}
		return read;
	}

	private static BaseStream<?, ?> stream(Object values) {
		if (values instanceof BaseStream<?, ?> stream) {
			return stream;
		}
		if (values instanceof Iterable<?> iterable) {
			return StreamSupport.stream(iterable.spliterator(), false);
		}
		return IntStream.range(0, Array.getLength(values)).mapToObj((index) -> Array.get(values, index));
	}

	private InvalidLockNameException failure(Part part, int index, String reason) {
		return failure(part, (index != WHOLE) ? "at index %s %s".formatted(index, reason) : reason, null);
	}

	private InvalidLockNameException failure(Part part, String reason, @Nullable Throwable cause) {
		return new InvalidLockNameException("Method '%s' was called with arguments that name no lock: '%s' in its %s %s"
			.formatted(this.describedMethod, part.text(), part.attribute(), reason), cause);
	}

	/**
	 * A piece of the name, or the key.
	 *
	 * @param attribute the attribute that declares the text, for messages
	 * @param text the fixed text, or the expression's text
	 * @param expression the parsed expression, or {@code null} if the text is fixed
	 * @param variables the variables of the expression, each with the index of its
	 * argument
	 * @param argument the index of the argument if the whole expression is one argument,
	 * as for most keys, or {@link #NONE}
	 */
	record Part(String attribute, String text, @Nullable SpelExpression expression, Map<String, Integer> variables,
			int argument) {

		private static final int NONE = -1;

		static Part fixed(String text) {
			return new Part("name", text, null, Map.of(), NONE);
		}

		static Part of(String attribute, SpelExpression expression, Map<String, Integer> variables) {
			int argument = (expression.getAST() instanceof VariableReference only)
					? variables.getOrDefault(only.toStringAST().substring(1), NONE) : NONE;
			return new Part(attribute, expression.getExpressionString(), expression, Map.copyOf(variables), argument);
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
