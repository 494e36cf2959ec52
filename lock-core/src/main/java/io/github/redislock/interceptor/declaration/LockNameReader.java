package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Reads the declared name and key of a lock, and refuses what cannot work.
 */
public final class LockNameReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final Method method;

	private final Class<?> targetClass;

	private final boolean shared;

	private final ExpressionVariables variables;

	private final List<LockName.Part> parts = new ArrayList<>();

	private final Map<String, Integer> used = new LinkedHashMap<>();

	private LockName.@Nullable Part key;

	private String metricName = "";

	private LockNameReader(Method method, Class<?> targetClass, LockDefinition definition, boolean shared) {
		this.method = method;
		this.targetClass = targetClass;
		this.shared = shared;
		this.variables = ExpressionVariables.of(method, definition.declaredOn());
	}

	/**
	 * Read what was declared.
	 * @param shared whether others may hold the lock at the same time
	 */
	public static LockName read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			boolean shared) {
		LockNameReader reader = new LockNameReader(method, targetClass, definition, shared);
		if (definition.name().isEmpty()) {
			reader.addDefaultName(definition);
		}
		else {
			reader.addName(definition.name(), text);
		}
		if (!definition.key().isEmpty()) {
			reader.key = reader.key(definition.key());
		}
		if (!definition.metricName().isEmpty()) {
			reader.metricName = reader.metricName(definition.metricName(), text);
		}
		return reader.toName();
	}

	private LockName toName() {
		try {
			return new LockName(MethodNames.describe(this.method, this.targetClass), List.copyOf(this.parts), this.key,
					this.metricName, this.shared, Map.copyOf(this.used));
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its " + ex.getMessage(), "Give it another name.", ex);
		}
	}

	/**
	 * Return the name of a lock for which none was declared. It has the package in it:
	 * applications that share a Redis have classes of the same simple name.
	 */
	public static String defaultName(Method method, Class<?> targetClass, LockDefinition definition) {
		return namedAfter(targetClass, definition).getName() + '.' + method.getName();
	}

	private static Class<?> namedAfter(Class<?> targetClass, LockDefinition definition) {
		return ClassKinds.isGenerated(targetClass) ? definition.declaredOn().getDeclaringClass() : targetClass;
	}

	private void addDefaultName(LockDefinition definition) {
		String simpleName = namedAfter(this.targetClass, definition).getSimpleName();
		if (simpleName.isEmpty()) {
			throw invalid("it is in a class without a name, so the lock has none either", "Set 'name'.", null);
		}
		this.parts.add(new LockName.Part("name", defaultName(this.method, this.targetClass, definition), null));
		this.metricName = simpleName + '.' + this.method.getName();
	}

	private void addName(String declared, DeclaredText text) {
		Expression expression;
		try {
			expression = PARSER.parseExpression(text.resolve(declared), new TemplateParserContext());
		}
		catch (ParseException ex) {
			throw invalid("its name '%s' does not parse: %s".formatted(declared, ex.toDetailedString()),
					"Mend the expression between '#{' and '}'.", ex);
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its name '%s' has a placeholder without a value: %s".formatted(declared, ex.getMessage()),
					"Set the property, or give a default as in '${some.name:orders}'.", ex);
		}
		Expression[] pieces = (expression instanceof CompositeStringExpression composite) ? composite.getExpressions()
				: new Expression[] { expression };
		for (Expression piece : pieces) {
			addPiece(declared, piece);
		}
	}

	private void addPiece(String declared, Expression piece) {
		String text = piece.getExpressionString();
		if (!(piece instanceof LiteralExpression)) {
			this.parts.add(expression("name", ExpressionUse.NAME, declared, piece));
		}
		else if (text.contains("#")) {
			throw invalid("its name '%s' has a '#' that is not part of '#{…}'".formatted(declared),
					"Put the expression into 'key', as in key = \"#id\"; or write it as '#{#id}' inside the name.",
					null);
		}
		else {
			this.parts.add(new LockName.Part("name", text, null));
		}
	}

	private String metricName(String declared, DeclaredText text) {
		try {
			return LockTarget.of(text.resolve(declared)).name();
		}
		catch (IllegalArgumentException ex) {
			throw invalid("its metricName '%s' is no name: %s".formatted(declared, ex.getMessage()),
					"Write text, in which '${…}' is a property that has a value.", ex);
		}
	}

	private LockName.Part key(String declared) {
		if (declared.isBlank()) {
			throw invalid("its key is blank", "Write an expression, or leave 'key' out.", null);
		}
		if (declared.contains("#{")) {
			throw invalid("its key '%s' is written as a template".formatted(declared),
					"A key is an expression as a whole: write '#id', not '#{#id}'.", null);
		}
		try {
			return expression("key", this.shared ? ExpressionUse.SHARED_KEY : ExpressionUse.KEY, declared,
					PARSER.parseExpression(declared));
		}
		catch (ParseException ex) {
			throw invalid("its key '%s' does not parse: %s".formatted(declared, ex.toDetailedString()),
					"Write a SpEL expression over the parameters, as in '#order.id'; fixed text stands in"
							+ " single quotes.",
					ex);
		}
	}

	private LockName.Part expression(String attribute, ExpressionUse use, String declared, Expression expression) {
		if (expression instanceof SpelExpression spel) {
			try {
				this.used.putAll(ExpressionRules.check(spel, use, this.variables));
			}
			catch (ExpressionRules.BrokenRule ex) {
				throw invalid("its %s '%s' %s".formatted(attribute, declared, ex.problem()), ex.action(), null);
			}
		}
		return new LockName.Part(attribute, expression.getExpressionString(), expression);
	}

	private InvalidLockedMethodException invalid(String problem, String action, @Nullable Throwable cause) {
		return new InvalidLockedMethodException(this.method, this.targetClass, problem, action, cause);
	}

}
