package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;

/**
 * The variables for the arguments of a method.
 */
final class ExpressionVariables {

	private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

	private final Class<?>[] types;

	private final Map<String, Integer> named = new LinkedHashMap<>();

	/**
	 * Create the variables of a method.
	 * @param method the method that actually runs
	 * @param declaredOn the method that declares the expression, whose parameter names
	 * take precedence
	 */
	ExpressionVariables(Method method, Method declaredOn) {
		this.types = method.getParameterTypes();
		addNames(declaredOn);
		addNames(method);
	}

	private void addNames(Method method) {
		@Nullable String[] names = NAMES.getParameterNames(method);
		for (int i = 0; names != null && i < names.length; i++) {
			if (names[i] != null) {
				this.named.putIfAbsent(names[i], i);
			}
		}
	}

	/**
	 * Return whether the class files contain the names of the parameters.
	 */
	boolean namesKnown() {
		return this.types.length == 0 || !this.named.isEmpty();
	}

	/**
	 * Return the index of the argument that a variable refers to.
	 * @return {@code null} if there is no such variable
	 */
	@Nullable Integer index(String variable) {
		Integer index = this.named.get(variable);
		return (index != null) ? index : numbered(variable);
	}

	Class<?> type(int index) {
		return this.types[index];
	}

	/**
	 * Return the usable variables, for messages.
	 */
	String describe() {
		if (this.types.length == 0) {
			return "the method has no parameters";
		}
		StringBuilder text = new StringBuilder("there is ");
		this.named.keySet().forEach((name) -> text.append("'#").append(name).append("', "));
		text.append("'#p0'");
		if (this.types.length > 1) {
			text.append(" to '#p").append(this.types.length - 1).append('\'');
		}
		return text.append(" and '#root'").toString();
	}

	private @Nullable Integer numbered(String variable) {
		if (!variable.matches("[ap]\\d{1,3}")) {
			return null;
		}
		int index = Integer.parseInt(variable.substring(1));
		return (index < this.types.length) ? index : null;
	}

}
