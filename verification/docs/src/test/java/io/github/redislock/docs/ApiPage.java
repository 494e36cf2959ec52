package io.github.redislock.docs;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * The methods in {@code docs/api.md}, generated from the types and their Javadoc.
 */
final class ApiPage {

	static final List<Class<?>> TYPES = List.of(LockOperations.class, LockTarget.class, LockOptions.class,
			LockHandle.class);

	/** Accessors whose names say what they return. */
	private static final Map<Class<?>, Set<String>> LEFT_OUT = Map.of(LockTarget.class,
			Set.of("each", "isSeveral", "isShared", "maxHolders", "metricName", "mode", "name", "names"),
			LockOptions.class, Set.of("get"), LockHandle.class, Set.of("name", "target"));

	private final Map<Class<?>, JavadocOfMethods> sources = new HashMap<>();

	String update(String page) {
		String updated = page;
		for (Class<?> type : TYPES) {
			updated = GeneratedPage.replace(updated, type.getSimpleName(), table(type));
		}
		return updated;
	}

	/**
	 * Return the methods of a type except for plain accessors, with inherited methods
	 * last. Of each group, return the method with the most parameters, and of several
	 * such methods, the one that the others call.
	 */
	Collection<Method> methods(Class<?> type) {
		Map<String, Method> byKind = new LinkedHashMap<>();
		Stream.of(type.getMethods())
			.filter((method) -> !method.isBridge() && !isOfObject(method) && !isLeftOut(type, method))
			.sorted(Comparator.comparing((Method method) -> !method.getDeclaringClass().equals(type))
				.thenComparing((method) -> javadoc(method).position(method)))
			.forEach((method) -> byKind.merge(kind(method), method, ApiPage::richer));
		return byKind.values();
	}

	/**
	 * Return the group of a method: its name and its parameters without the options. In
	 * {@link LockOperations}, a name counts as a target.
	 */
	private static String kind(Method method) {
		boolean ofLock = method.getDeclaringClass().equals(LockOperations.class);
		return method.getName() + Stream.of(method.getParameters())
			.map(Parameter::getName)
			.filter((name) -> !name.equals("options"))
			.map((name) -> (ofLock && name.equals("name")) ? "target" : name)
			.toList();
	}

	private static boolean isLeftOut(Class<?> type, Method method) {
		return LEFT_OUT.getOrDefault(type, Set.of()).contains(method.getName());
	}

	private static boolean isOfObject(Method method) {
		return Stream.of(Object.class.getMethods())
			.anyMatch((other) -> other.getName().equals(method.getName())
					&& Arrays.equals(other.getParameterTypes(), method.getParameterTypes()));
	}

	private static Method richer(Method one, Method other) {
		Comparator<Method> order = Comparator.comparing(Method::getParameterCount)
			.thenComparing((method) -> Modifier.isAbstract(method.getModifiers()));
		return (order.compare(one, other) > 0) ? one : other;
	}

	private JavadocOfMethods javadoc(Method method) {
		return this.sources.computeIfAbsent(method.getDeclaringClass(), JavadocOfMethods::of);
	}

	private String table(Class<?> type) {
		StringBuilder table = new StringBuilder("| method | returns | |\n|---|---|---|\n");
		for (Method method : methods(type)) {
			table.append("| `%s%s(%s)` | %s | %s |\n".formatted(
					Modifier.isStatic(method.getModifiers()) ? type.getSimpleName() + "." : "", method.getName(),
					parameters(method), result(method), GeneratedPage.cell(javadoc(method).firstParagraph(method))));
		}
		return table.toString();
	}

	private static String parameters(Method method) {
		return Stream.of(method.getParameters()).map(Parameter::getName).collect(Collectors.joining(", "));
	}

	private static String result(Method method) {
		if (method.getReturnType().equals(void.class)) {
			return "";
		}
		return "`" + method.getGenericReturnType().getTypeName().replaceAll("(?:\\w+\\.)+", "").replace('$', '.') + "`";
	}

}
