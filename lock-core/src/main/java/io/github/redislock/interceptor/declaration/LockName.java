package io.github.redislock.interceptor.declaration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;

/**
 * The name of a method's lock: fixed text and expressions over the arguments of a call.
 * <p>
 * Expressions can read arguments and call their methods. They cannot reach types,
 * constructors or beans, nor assign anything; and what they answer is text, never again
 * an expression.
 */
public final class LockName implements CallTarget {

	/** A stream may have no end. */
	private static final int MOST_ELEMENTS = 10_000;

	private static final int LONGEST_METRIC_NAME = 200;

	private static final Pattern LINE_BREAKS = Pattern.compile("[\\s\\p{Cntrl}\\u2028\\u2029]+");

	private final String describedMethod;

	private final List<Part> parts;

	private final @Nullable Part key;

	private final String metricName;

	private final boolean shared;

	private final Map<String, Integer> variables;

	private final EvaluationContext rules = CallContext.newRules();

	private final @Nullable String fixedName;

	private final @Nullable LockTarget fixed;

	/**
	 * Create a name.
	 * @param describedMethod the method, for messages
	 * @param parts in order
	 * @param key which of all locks of that name, if there is more than one
	 * @param metricName by which name metrics count the lock; if empty, by its parts as
	 * they were declared
	 * @param shared whether others may hold the lock, so that there can be one only
	 * @param variables the variables that the parts use, each with the number of its
	 * argument
	 * @throws IllegalArgumentException if all calls have the same name and it is none
	 */
	LockName(String describedMethod, List<Part> parts, @Nullable Part key, String metricName, boolean shared,
			Map<String, Integer> variables) {
		this.describedMethod = describedMethod;
		this.parts = parts;
		this.key = key;
		this.metricName = metricName.isEmpty() ? declared(parts) : metricName;
		this.shared = shared;
		this.variables = variables;
		this.fixedName = parts.stream().anyMatch((part) -> part.expression() != null) ? null
				: String.join("", parts.stream().map(Part::text).toList());
		this.fixed = (key != null || this.fixedName == null) ? null : counted(LockTarget.of(this.fixedName));
		// As early as everything else.
		example();
	}

	@Override
	public LockTarget example() {
		return (this.fixed != null) ? this.fixed : LockTarget.of(this.metricName).withMetricName(this.metricName);
	}

	/**
	 * Return the lock that is the same for all calls, if it is.
	 */
	@Nullable LockTarget fixed() {
		return this.fixed;
	}

	@Override
	public LockTarget evaluate(MethodInvocation invocation, Class<?> targetClass) {
		if (this.fixed != null) {
			return this.fixed;
		}
		CallContext context = new CallContext(this.rules, invocation, targetClass, this.variables);
		String name = (this.fixedName != null) ? this.fixedName : evaluateParts(context);
		Object value = (this.key != null) ? value(this.key, context) : null;
		try {
			if (this.key == null || value == null) {
				return counted(LockTarget.of(name));
			}
			return counted(KeyTypes.areSeveral(value.getClass()) ? each(name, this.key, value)
					: LockTarget.of(name, text(this.key, "", value)));
		}
		catch (InvalidLockNameException ex) {
			throw ex;
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

	/**
	 * Return a name as it was declared, on one line: it may be a text block.
	 */
	private static String declared(List<Part> parts) {
		String declared = parts.stream().map(Part::declared).collect(Collectors.joining());
		String line = LINE_BREAKS.matcher(declared).replaceAll(" ");
		return (line.length() <= LONGEST_METRIC_NAME) ? line
				: line.substring(0, line.offsetByCodePoints(0, LONGEST_METRIC_NAME / 2)) + '…';
	}

	private LockTarget counted(LockTarget target) {
		return target.withMetricName(this.metricName);
	}

	private String evaluateParts(CallContext context) {
		StringBuilder name = new StringBuilder();
		this.parts.forEach((part) -> name.append(evaluate(part, context)));
		return name.toString();
	}

	private String evaluate(Part part, CallContext context) {
		return (part.expression() != null) ? text(part, "", value(part, context)) : part.text();
	}

	private Object value(Part part, CallContext context) {
		Object value;
		try {
			value = context.evaluate(Objects.requireNonNull(part.expression()));
		}
		catch (EvaluationException ex) {
			throw failure(part, "failed: " + ex.getMessage(), ex);
		}
		if (value == null) {
			throw failure(part, "is null", null);
		}
		return value;
	}

	private String text(Part part, String place, @Nullable Object value) {
		if (value == null) {
			throw failure(part, place + "is null", null);
		}
		String reason = (value instanceof String) ? null : KeyTypes.whyNoKey(value.getClass());
		if (reason != null) {
			throw failure(part, place + reason, null);
		}
		String text = (value instanceof Class<?> type) ? type.getName() : value.toString();
		if (text == null || text.isBlank()) {
			throw failure(part, place + "is blank", null);
		}
		return text;
	}

	/**
	 * Return the lock of each element, all at once.
	 */
	private LockTarget each(String name, Part part, Object values) {
		if (this.shared) {
			throw failure(part, KeyTypes.SEVERAL_SHARED + ". " + KeyTypes.ONE_OR_ALONE, null);
		}
		List<@Nullable Object> elements = elements(part, values);
		if (elements.isEmpty()) {
			throw failure(part, "has no elements, and to lock nothing protects nothing: do not call the method then,"
					+ " or let the key answer one value instead", null);
		}
		return LockTarget.allOf(IntStream.range(0, elements.size())
			.mapToObj((index) -> LockTarget.of(name, text(part, "at index %d ".formatted(index), elements.get(index))))
			.toList());
	}

	private List<@Nullable Object> elements(Part part, Object values) {
		List<@Nullable Object> read = new ArrayList<>();
		try (KeyElements elements = KeyElements.of(values)) {
			while (elements.hasNext() && read.size() <= MOST_ELEMENTS) {
				read.add(elements.next());
			}
		}
		catch (RuntimeException ex) {
			throw failure(part, "failed at index %d: %s".formatted(read.size(), ex.getMessage()), ex);
		}
		if (read.size() > MOST_ELEMENTS) {
			throw failure(part, "has more than %d elements".formatted(MOST_ELEMENTS), null);
		}
		return read;
	}

	private InvalidLockNameException failure(Part part, String reason, @Nullable Throwable cause) {
		return new InvalidLockNameException("Method '%s' was called with arguments that name no lock: '%s' in its %s %s"
			.formatted(this.describedMethod, part.text(), part.attribute(), reason), cause);
	}

	/**
	 * A piece of the name.
	 *
	 * @param attribute what it was declared as, for messages
	 * @param text the fixed text, or the expression's text
	 * @param expression what makes the text, or {@code null} if it is fixed
	 */
	record Part(String attribute, String text, @Nullable Expression expression) {

		/**
		 * Return the piece as it stands in the source.
		 */
		String declared() {
			return (this.expression != null) ? "#{" + this.text + '}' : this.text;
		}

	}

}
