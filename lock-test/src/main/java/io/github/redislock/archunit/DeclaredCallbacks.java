package io.github.redislock.archunit;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;

/**
 * Finds the methods that are container callbacks, to which a lock on their type does not
 * apply. The rules are the same as at run time, but are applied to byte code, without
 * loading the types.
 */
final class DeclaredCallbacks {

	private static final List<String> INTERFACES = List.of("org.springframework.beans.factory.InitializingBean",
			"org.springframework.beans.factory.DisposableBean", "java.lang.AutoCloseable");

	private static final String AWARE = "org.springframework.beans.factory.Aware";

	private static final List<String> WITH_THOSE_OF_SPRING = List.of("org.springframework.context.Lifecycle",
			"org.springframework.context.ApplicationListener");

	private static final List<String> ANNOTATIONS = List.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value", "org.springframework.context.annotation.Bean");

	private DeclaredCallbacks() {
	}

	/**
	 * Return whether a method is a container callback.
	 * @param overridden the method itself and the methods that it overrides or implements
	 */
	static boolean isCallback(JavaMethod method, List<JavaMethod> overridden) {
		return overridden.stream().anyMatch(DeclaredCallbacks::isAnnotated)
				|| Stream.concat(Stream.of(method.getOwner()), method.getOwner().getAllRawInterfaces().stream())
					.filter(DeclaredCallbacks::isForCallbacks)
					.anyMatch((type) -> declares(type, method));
	}

	private static boolean isAnnotated(JavaMethod method) {
		return ANNOTATIONS.stream().anyMatch(method::isMetaAnnotatedWith);
	}

	private static boolean isForCallbacks(JavaClass type) {
		return type.isInterface() && (INTERFACES.contains(type.getName()) || type.isAssignableTo(AWARE)
				|| (type.getName().startsWith("org.springframework.")
						&& WITH_THOSE_OF_SPRING.stream().anyMatch(type::isAssignableTo)));
	}

	private static boolean declares(JavaClass type, JavaMethod method) {
		return type.getAllMethods()
			.stream()
			.anyMatch((other) -> other.getName().equals(method.getName()) && takes(other, method));
	}

	/**
	 * Return whether a method has the same parameters as another method, or more general
	 * ones.
	 */
	private static boolean takes(JavaMethod other, JavaMethod method) {
		List<JavaClass> general = other.getRawParameterTypes();
		List<JavaClass> own = method.getRawParameterTypes();
		return general.size() == own.size()
				&& IntStream.range(0, own.size()).allMatch((i) -> own.get(i).isAssignableTo(general.get(i).getName()));
	}

}
