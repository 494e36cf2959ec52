package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

import io.github.redislock.internal.support.KeyRules;
import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.spel.SpelNode;
import org.springframework.expression.spel.ast.Assign;
import org.springframework.expression.spel.ast.BeanReference;
import org.springframework.expression.spel.ast.CompoundExpression;
import org.springframework.expression.spel.ast.ConstructorReference;
import org.springframework.expression.spel.ast.FunctionReference;
import org.springframework.expression.spel.ast.InlineList;
import org.springframework.expression.spel.ast.InlineMap;
import org.springframework.expression.spel.ast.MethodReference;
import org.springframework.expression.spel.ast.OpDec;
import org.springframework.expression.spel.ast.OpInc;
import org.springframework.expression.spel.ast.Projection;
import org.springframework.expression.spel.ast.PropertyOrFieldReference;
import org.springframework.expression.spel.ast.Selection;
import org.springframework.expression.spel.ast.TypeReference;
import org.springframework.expression.spel.ast.VariableReference;
import org.springframework.expression.spel.standard.SpelExpression;

/**
 * Finds mistakes in expressions at startup. At run time, SpEL would read an unknown
 * variable as {@code null}, and all calls could share one lock.
 */
final class ExpressionRules {

	private static final List<String> ROOT = List.of("method", "methodName", "args", "target", "targetClass");

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private static final String CORRECT_OR_COMPILE = """
			Correct the name of the variable. If the names of parameters are missing, use '#p0' for the first \
			parameter, or compile with '-parameters' (Maven: \
			<maven.compiler.parameters>true</maven.compiler.parameters>; Gradle: options.compilerArgs << \
			'-parameters'; Spring Boot's parent and plugin do this automatically).""";

	private static final Map<Class<?>, String> FORBIDDEN = Map.of(TypeReference.class, "a type",
			ConstructorReference.class, "a constructor", BeanReference.class, "a bean", FunctionReference.class,
			"a function", Assign.class, "an assignment", OpInc.class, "an assignment", OpDec.class, "an assignment");

	private static final List<Class<?>> ALWAYS_SEVERAL = List.of(InlineList.class, Projection.class);

	private final Class<?>[] types;

	private final boolean mayBeSeveral;

	private final BiFunction<String, String, InvalidLockedMethodException> failure;

	/** The variables for the arguments, each with the index of its argument. */
	private final Map<String, Integer> variables = new LinkedHashMap<>();

	private final Map<String, Integer> used = new LinkedHashMap<>();

	/**
	 * Create the rules for an expression.
	 * @param method the method that actually runs
	 * @param declaredOn the method that declares the expression, whose parameter names
	 * take precedence
	 * @param mayBeSeveral whether the value may be several keys
	 * @param failure creates the exception for an expression that cannot work, from the
	 * problem (the end of a sentence) and an action (a sentence)
	 */
	ExpressionRules(Method method, Method declaredOn, boolean mayBeSeveral,
			BiFunction<String, String, InvalidLockedMethodException> failure) {
		this.types = method.getParameterTypes();
		this.mayBeSeveral = mayBeSeveral;
		this.failure = failure;
		addNames(declaredOn);
		addNames(method);
		for (int i = 0; i < this.types.length; i++) {
			this.variables.putIfAbsent("p" + i, i);
			this.variables.putIfAbsent("a" + i, i);
		}
	}

	private void addNames(Method method) {
		@Nullable String[] names = NAMES.getParameterNames(method);
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				this.variables.putIfAbsent(names[i], i);
			}
		}
	}

	/**
	 * Check an expression.
	 * @return the variables that the expression uses, each with the index of its argument
	 */
	Map<String, Integer> check(SpelExpression expression) {
		walk(expression.getAST(), true, true);
		checkResult(expression.getAST());
		return this.used;
	}

	/**
	 * Check a node and its children.
	 * @param onRoot whether a property without an owner would be read from the root
	 * object
	 * @param scopeIsRoot whether a property without an owner would be read from the root
	 * object in the arguments of a method or in an index
	 */
	private void walk(SpelNode node, boolean onRoot, boolean scopeIsRoot) {
		refuseForbidden(node);
		if (node instanceof VariableReference) {
			use(node.toStringAST().substring(1));
		}
		if (onRoot) {
			checkOwner(node);
		}
		boolean inElement = node instanceof Projection || node instanceof Selection;
		boolean childScopeIsRoot = scopeIsRoot && !inElement;
		for (int i = 0; i < node.getChildCount(); i++) {
			boolean first = !(node instanceof CompoundExpression) || i == 0;
			walk(node.getChild(i), childScopeIsRoot && first, childScopeIsRoot);
		}
		if (node instanceof CompoundExpression && node.getChild(0).toStringAST().equals("#root")) {
			checkRootProperty(node.getChild(1));
		}
	}

	private void refuseForbidden(SpelNode node) {
		boolean classOfObject = node instanceof PropertyOrFieldReference property && property.getName().equals("class");
		String what = classOfObject ? "the class of an object" : FORBIDDEN.get(node.getClass());
		if (what != null) {
			throw invalid("uses %s, '%s', which is not allowed in declared locks".formatted(what, node.toStringAST()),
					"Use only the parameters, their properties and their methods; compute the rest in the caller and"
							+ " pass it as a parameter, or use LockOperations.execute.");
		}
	}

	private void use(String variable) {
		if (variable.equals("root") || variable.equals("this")) {
			return;
		}
		Integer index = this.variables.get(variable);
		if (index == null) {
			String known = this.variables.keySet()
				.stream()
				.map((each) -> ", '#" + each + "'")
				.collect(Collectors.joining("", "'#root'", ""));
			throw invalid("uses '#%s', which does not exist; there is %s".formatted(variable, known),
					CORRECT_OR_COMPILE);
		}
		this.used.put(variable, index);
	}

	private void checkOwner(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
			String name = property.getName();
			throw invalid("uses '%s' without the parameter that has it".formatted(name),
					("Write '#%1$s' if it is a parameter, or '#parameter.%1$s' with the name of the parameter that has"
							+ " it; fixed text is written in single quotes.")
						.formatted(name));
		}
		if (node instanceof MethodReference) {
			throw invalid("calls '%s' without an object".formatted(node.toStringAST()),
					"Call it on a parameter, or on '#root.target' if it is a public method of the bean.");
		}
	}

	private void checkRootProperty(SpelNode node) {
		if (node instanceof PropertyOrFieldReference property && !ROOT.contains(property.getName())) {
			throw invalid("uses '#root.%s', which does not exist".formatted(property.getName()),
					"Use '#root.' with one of " + String.join(", ", ROOT) + '.');
		}
	}

	private void checkResult(SpelNode node) {
		SpelNode last = (node instanceof CompoundExpression) ? node.getChild(node.getChildCount() - 1) : node;
		Class<?> type = (last instanceof InlineMap) ? Map.class : Object.class;
		if (ALWAYS_SEVERAL.contains(last.getClass()) || last.toStringAST().startsWith("?[")) {
			type = Collection.class;
		}
		if (node instanceof VariableReference && !this.used.isEmpty()) {
			type = this.types[this.used.values().iterator().next()];
		}
		boolean root = node instanceof VariableReference && this.used.isEmpty();
		String reason = root ? "is the call itself, which has no text" : whyNot(type);
		if (reason != null) {
			throw invalid(reason, "Name the lock by one value, as in '#order.id' or '#ids[0]';"
					+ " or let 'key' be a collection, an array or a stream of such values, to lock all of them at"
					+ " once, which needs exclusive locks: without mode = READ and 'permits'.");
		}
	}

	private InvalidLockedMethodException invalid(String problem, String action) {
		return this.failure.apply(problem, action);
	}

	private @Nullable String whyNot(Class<?> type) {
		boolean several = this.mayBeSeveral && KeyRules.areSeveral(type);
		return (several && !type.isArray()) ? null : KeyRules.whyNotOne(several ? type.getComponentType() : type);
	}

}
