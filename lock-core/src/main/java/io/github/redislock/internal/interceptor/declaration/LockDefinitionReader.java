package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

import io.github.redislock.LockFence;
import io.github.redislock.LockMode;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;

/**
 * Reads and checks the declaration of a method's lock. If the declaration cannot work,
 * the methods throw an {@link InvalidLockedMethodException}.
 */
public final class LockDefinitionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final Method method;

	private final Class<?> targetClass;

	private final LockDefinition definition;

	private final ConfigurableListableBeanFactory beanFactory;

	/**
	 * Create a reader.
	 * @param method the method that actually runs
	 * @param targetClass the bean's class
	 * @param definition what was declared
	 * @param beanFactory provides the properties, and the bean that acquires the lock
	 */
	public LockDefinitionReader(Method method, Class<?> targetClass, LockDefinition definition,
			ConfigurableListableBeanFactory beanFactory) {
		this.method = method;
		this.targetClass = targetClass;
		this.definition = definition;
		this.beanFactory = beanFactory;
	}

	/**
	 * Return the default name of a lock. The name includes the package, because
	 * applications that share a Redis may have classes with the same simple name.
	 */
	public static String defaultName(Method method, Class<?> targetClass, LockDefinition definition) {
		return namedAfter(targetClass, definition).getName() + '.' + method.getName();
	}

	private static Class<?> namedAfter(Class<?> targetClass, LockDefinition definition) {
		return ClassKinds.hasStableName(targetClass) ? targetClass : definition.declaredOn().getDeclaringClass();
	}

	/**
	 * Read the target: the name, the key, and how many calls may share the lock.
	 */
	public CallTarget target() {
		Method noAlias = this.definition.noAlias();
		if (noAlias != null) {
			String described = MethodNames.describe(noAlias, noAlias.getDeclaringClass());
			throw invalid("'%s' has no effect on its lock".formatted(described),
					"Add @AliasFor(annotation = DistributedLock.class, attribute = \"%s\") to it, or rename it."
						.formatted(noAlias.getName()),
					null);
		}
		UnaryOperator<LockTarget> mode = mode();
		boolean unnamed = this.definition.name().isEmpty();
		List<CallTarget.Part> parts = unnamed ? List.of(defaultName()) : name(this.definition.name());
		String declaredKey = this.definition.key();
		// Several locks cannot be shared.
		boolean mayBeSeveral = !mode.apply(LockTarget.of("any")).isShared();
		CallTarget.Part key = declaredKey.isEmpty() ? null : key(declaredKey, mayBeSeveral);
		// If this is empty, metrics use the name of the lock as it was declared.
		String metricName = unnamed
				? namedAfter(this.targetClass, this.definition).getSimpleName() + '.' + this.method.getName() : "";
		try {
			return new CallTarget(MethodNames.describe(this.method, this.targetClass), parts, key, metricName, mode);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its " + ex.getMessage(), "Give it another name.", ex);
		}
	}

	/**
	 * Return what makes an exclusive target shared, if the lock is.
	 */
	private UnaryOperator<LockTarget> mode() {
		boolean reads = this.definition.mode() == LockMode.READ;
		String declared = this.definition.permits();
		// Empty text, as from '${app.exports:}', counts as not declared.
		String resolved = resolve("permits", declared, "${app.exports:3}").strip();
		if (reads && !resolved.isEmpty()) {
			throw invalid("it only reads (mode = READ) and has permits = '%s'".formatted(declared),
					"Remove one of the two: any number of calls may read at the same time.", null);
		}
		if (reads) {
			return LockTarget::forReading;
		}
		if (resolved.isEmpty()) {
			return UnaryOperator.identity();
		}
		try {
			int permits = Integer.parseInt(resolved);
			Assert.isTrue(permits > 0, "it admits no caller");
			return (target) -> target.permits(permits);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its permits '%s' is not a valid number: %s".formatted(declared, ex.getMessage()),
					"Write a number of at least 1, as in '3' or '${app.exports:3}'. For one that changes while the"
							+ " application runs, use LockOperations.execute with LockTarget.permits.",
					ex);
		}
	}

	private CallTarget.Part defaultName() {
		if (namedAfter(this.targetClass, this.definition).getSimpleName().isEmpty()) {
			throw invalid("its class has no name, so the lock has no default name", "Set 'name'.", null);
		}
		return CallTarget.Part.fixed(defaultName(this.method, this.targetClass, this.definition));
	}

	private List<CallTarget.Part> name(String declared) {
		Expression expression;
		try {
			expression = PARSER.parseExpression(resolve("name", declared, "${some.name:orders}"),
					new TemplateParserContext());
		}
		catch (ParseException ex) {
			throw invalid("its name '%s' does not parse: %s".formatted(declared, ex.toDetailedString()),
					"Correct the expression between '#{' and '}'.", ex);
		}
		Expression[] pieces = (expression instanceof CompositeStringExpression composite) ? composite.getExpressions()
				: new Expression[] { expression };
		List<CallTarget.Part> parts = new ArrayList<>();
		for (Expression piece : pieces) {
			parts.add((piece instanceof LiteralExpression) ? fixed(declared, piece.getExpressionString())
					: expression("name", declared, (SpelExpression) piece, false));
		}
		return parts;
	}

	private CallTarget.Part fixed(String declared, String piece) {
		if (piece.contains("#")) {
			throw invalid("its name '%s' has a '#' that is not part of '#{…}'".formatted(declared),
					"Put the expression into 'key', as in key = \"#id\"; or write it as '#{#id}' inside the name.",
					null);
		}
		return CallTarget.Part.fixed(piece);
	}

	private CallTarget.Part key(String declared, boolean mayBeSeveral) {
		try {
			Assert.isTrue(!declared.contains("#{"), "it is written as a template");
			return expression("key", declared, PARSER.parseRaw(declared), mayBeSeveral);
		}
		catch (ParseException | IllegalArgumentException ex) {
			throw invalid("its key '%s' does not parse: %s".formatted(declared, ex.getMessage()),
					"Write a SpEL expression over the parameters, as in '#order.id', not '#{#order.id}'; fixed text is"
							+ " written in single quotes.",
					ex);
		}
	}

	private CallTarget.Part expression(String attribute, String declared, SpelExpression expression,
			boolean mayBeSeveral) {
		ExpressionRules rules = new ExpressionRules(this.method, this.definition.declaredOn(), mayBeSeveral,
				(problem, action) -> invalid("its %s '%s' %s".formatted(attribute, declared, problem), action, null));
		return CallTarget.Part.of(expression, rules.check(expression), mayBeSeveral);
	}

	/**
	 * Read the options of the lock.
	 */
	public LockOptions options() {
		LockOptions options = LockOptions.options();
		for (boolean autoRenew : this.definition.options().getBooleanArray("autoRenew")) {
			options = options.autoRenew(autoRenew);
		}
		for (OnLost onLost : this.definition.options().getEnumArray("onLost", OnLost.class)) {
			options = options.onLost(onLost);
		}
		options = withDuration(options, "timeout", LockOptions::timeout);
		options = withDuration(options, "retryDelay", LockOptions::retryDelay);
		options = withDuration(options, "waitTime", LockOptions::waitTime);
		options = withDuration(options, "maxHold", LockOptions::maxHold);
		options = withDuration(options, "atLeastFor", LockOptions::atLeastFor);
		options = withNumber(options, "retry", LockOptions::retry);
		options = withNumber(options, "maxWaiters", LockOptions::maxWaiters);
		boolean waits = number("retry") >= 0 || !duration("waitTime").isEmpty();
		return (this.definition.skipIfLocked() && !waits) ? options.retry(0) : options;
	}

	private LockOptions withNumber(LockOptions options, String attribute,
			BiFunction<LockOptions, Integer, LockOptions> setter) {
		int number = number(attribute);
		if (number < -1) {
			throw invalid("its %s is %s".formatted(attribute, number),
					"Use 0 for a single attempt, or a positive number; leave it out for the default.", null);
		}
		return (number >= 0) ? setter.apply(options, number) : options;
	}

	private int number(String attribute) {
		return this.definition.options().getInt(attribute);
	}

	private LockOptions withDuration(LockOptions options, String attribute,
			BiFunction<LockOptions, Duration, LockOptions> setter) {
		String declared = this.definition.options().getString(attribute);
		String resolved = duration(attribute);
		if (resolved.isEmpty()) {
			return options;
		}
		boolean endless = attribute.equals("waitTime") && resolved.equalsIgnoreCase("forever");
		Duration duration = endless ? ChronoUnit.FOREVER.getDuration() : parse(attribute, declared, resolved);
		try {
			return setter.apply(options, duration);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its %s '%s' is out of range: %s".formatted(attribute, declared, ex.getMessage()),
					"Use a duration within this limit; leave it out for the default.", ex);
		}
	}

	/**
	 * Return a duration as text.
	 * @return the text, or empty text if no duration was declared, as with
	 * <code>${app.lock-timeout:}</code>
	 */
	private String duration(String attribute) {
		return resolve(attribute, this.definition.options().getString(attribute), "${some.time:30s}").strip();
	}

	private Duration parse(String attribute, String declared, String resolved) {
		try {
			Assert.isTrue(!resolved.matches("[0-9+-]+"), "it has no unit");
			return DurationFormatterUtils.detectAndParse(resolved);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its %s '%s' is not a duration: %s".formatted(attribute, declared, ex.getMessage()),
					"Write a number with a unit, as in '500ms', '30s' or '5m', or ISO-8601 as in 'PT30S'.", ex);
		}
	}

	/**
	 * Read which bean acquires the lock.
	 * @return the name of the bean, or empty text for the default bean
	 */
	public String template() {
		return beanName("template", this.definition.template(), LockOperations.class, "${app.template:locks}");
	}

	/**
	 * Read which bean admits the holder in its transactions.
	 * @return the name of the bean, or empty text for none
	 */
	public String fence() {
		String name = beanName("fence", this.definition.options().getString("fence"), LockFence.class,
				"${app.fence:orders}");
		if (!name.isEmpty() && mode().apply(LockTarget.of("any")).isShared()) {
			throw invalid("it has fence = '%s', which would refuse all holders of a shared lock but the newest"
				.formatted(name), "Remove the fence, or 'mode' and 'permits'.", null);
		}
		return name;
	}

	private String beanName(String attribute, String declared, Class<?> type, String example) {
		String name = resolve(attribute, declared, example).strip();
		if (!name.isEmpty() && !(this.beanFactory.containsBean(name) && this.beanFactory.isTypeMatch(name, type))) {
			String[] present = this.beanFactory.getBeanNamesForType(type, true, false);
			throw invalid("its %s '%s' is not a bean of type %s".formatted(attribute, name, type.getSimpleName()),
					"Use one of these: %s.".formatted((present.length > 0)
							? Arrays.stream(present).sorted().collect(Collectors.joining("', '", "'", "'")) : "none"),
					null);
		}
		return name;
	}

	private String resolve(String attribute, String declared, String example) {
		try {
			return DeclaredText.resolve(declared, this.beanFactory);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(
					"its %s '%s' has a placeholder without a value: %s".formatted(attribute, declared, ex.getMessage()),
					"Set the property, or give a default as in '%s'.".formatted(example), ex);
		}
	}

	private InvalidLockedMethodException invalid(String problem, String action, @Nullable Throwable cause) {
		return new InvalidLockedMethodException(this.method, this.targetClass, problem, action, cause);
	}

}
