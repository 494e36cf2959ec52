package io.github.redislock;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;

/**
 * Finds cycles of types in a package. A nested type counts as the top-level type of its
 * file.
 */
public final class TypeCircles {

	private final Map<String, Set<String>> known = new TreeMap<>();

	private TypeCircles(JavaClasses classes) {
		for (JavaClass type : classes) {
			this.known.computeIfAbsent(file(type), (file) -> new HashSet<>())
				.addAll(type.getDirectDependenciesFromSelf()
					.stream()
					.map((dependency) -> dependency.getTargetClass().getBaseComponentType())
					.filter((target) -> target.getPackageName().equals(type.getPackageName()))
					.map(TypeCircles::file)
					.collect(Collectors.toSet()));
		}
	}

	/**
	 * Return each cycle of two or more types.
	 */
	public static Set<Set<String>> of(JavaClasses classes) {
		TypeCircles circles = new TypeCircles(classes);
		return circles.known.keySet()
			.stream()
			.map(circles::around)
			.filter((circle) -> circle.size() > 1)
			.collect(Collectors.toSet());
	}

	private Set<String> around(String type) {
		Set<String> circle = new TreeSet<>(reachable(type));
		circle.removeIf((other) -> !reachable(other).contains(type));
		return circle;
	}

	private Set<String> reachable(String from) {
		Set<String> reached = new HashSet<>();
		collect(from, reached);
		return reached;
	}

	private void collect(String from, Set<String> reached) {
		this.known.getOrDefault(from, Set.of()).stream().filter(reached::add).forEach((next) -> collect(next, reached));
	}

	private static String file(JavaClass type) {
		return type.getName().split("\\$")[0];
	}

}
