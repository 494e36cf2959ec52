package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.common.TemplateParserContext;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.standard.SpelExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/**
 * Reads an expression that says how many may share a lock, and refuses what cannot work.
 */
public final class PermitsExpressionReader {

	private static final SpelExpressionParser PARSER = new SpelExpressionParser();

	private final Method method;

	private final Class<?> targetClass;

	private final LockDefinition definition;

	private final @Nullable ConfigurableBeanFactory beanFactory;

	PermitsExpressionReader(Method method, Class<?> targetClass, LockDefinition definition,
			@Nullable ConfigurableBeanFactory beanFactory) {
		this.method = method;
		this.targetClass = targetClass;
		this.definition = definition;
		this.beanFactory = beanFactory;
	}

	/**
	 * Read an expression.
	 * @param declared the text in the source, for messages
	 * @param resolved the same without placeholders
	 */
	PermitsExpression read(String declared, String resolved) {
		SpelExpression expression = parse(declared, resolved);
		Map<String, Integer> variables;
		try {
			variables = ExpressionRules.check(expression, ExpressionUse.PERMITS,
					ExpressionVariables.of(this.method, this.definition.declaredOn()));
		}
		catch (ExpressionRules.BrokenRule ex) {
			throw invalid(declared, ex.problem(), ex.action(), null);
		}
		Set<String> beans = beans(expression);
		beans.forEach((bean) -> requireBean(declared, bean));
		return new PermitsExpression(this.method, this.targetClass, declared, expression, variables, beans,
				this.beanFactory);
	}

	/**
	 * Return the names of the beans that a declared text asks, as far as it can be read.
	 */
	public static Set<String> beans(String declared) {
		try {
			return (PARSER.parseExpression(declared, new TemplateParserContext()) instanceof SpelExpression expression)
					? beans(expression) : Set.of();
		}
		catch (ParseException ex) {
			return Set.of();
		}
	}

	private SpelExpression parse(String declared, String resolved) {
		Expression expression;
		try {
			expression = PARSER.parseExpression(resolved, new TemplateParserContext());
		}
		catch (ParseException ex) {
			throw invalid(declared, "does not parse: " + ex.toDetailedString(),
					"Mend the expression between '#{' and '}'.", ex);
		}
		if (expression instanceof SpelExpression spel) {
			return spel;
		}
		throw invalid(declared, "is more than an expression",
				"Write one expression as a whole, as in '#{@limits.exports}'.", null);
	}

	private void requireBean(String declared, String bean) {
		if (this.beanFactory == null || !this.beanFactory.containsBean(bean)) {
			throw invalid(declared, "uses bean '@%s', which does not exist".formatted(bean),
					"Correct the name of the bean, or declare it.", null);
		}
	}

	private InvalidLockedMethodException invalid(String declared, String problem, String action,
			@Nullable Throwable cause) {
		return new InvalidLockedMethodException(this.method, this.targetClass,
				"its permitsString '%s' %s".formatted(declared, problem), action, cause);
	}

	private static Set<String> beans(SpelExpression expression) {
		Set<String> names = new LinkedHashSet<>();
		addBeans(expression.getAST(), names);
		return names;
	}

	private static void addBeans(SpelNode node, Set<String> names) {
		if (node instanceof BeanReference) {
			String text = node.toStringAST();
			names.add(text.startsWith("@") ? text.substring(1).replaceAll("^'|'$", "") : text);
		}
		for (int i = 0; i < node.getChildCount(); i++) {
			addBeans(node.getChild(i), names);
		}
	}

}
