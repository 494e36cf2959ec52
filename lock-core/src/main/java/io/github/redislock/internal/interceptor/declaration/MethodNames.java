package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * Formats methods with the simple names of their parameter types.
 */
public final class MethodNames {

	private MethodNames() {
	}

	/**
	 * Return a method with its bean's class: {@code com.acme.Orders.pay(String, int)}.
	 */
	public static String describe(Method method, Class<?> targetClass) {
		Class<?> type = ClassKinds.isGenerated(targetClass) ? method.getDeclaringClass() : targetClass;
		return type.getName() + '.' + signature(method);
	}

	/**
	 * Return a method without its class: {@code pay(String, int)}.
	 */
	public static String signature(Method method) {
		return Arrays.stream(method.getParameterTypes())
			.map(Class::getSimpleName)
			.collect(Collectors.joining(", ", method.getName() + '(', ")"));
	}

}
