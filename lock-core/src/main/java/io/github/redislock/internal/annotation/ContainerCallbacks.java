package io.github.redislock.internal.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.redislock.internal.interceptor.AdvisedMethods;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds the public methods that are container callbacks. An annotation on a class does
 * not apply to them, because most of them bypass the proxy, and a lock around the others,
 * such as {@code isRunning} or {@code onApplicationEvent}, would delay startup and
 * shutdown.
 */
final class ContainerCallbacks {

	private static final List<Class<?>> INTERFACES = List.of(InitializingBean.class, DisposableBean.class,
			AutoCloseable.class);

	/**
	 * The methods of these types are callbacks, and so are those of Spring's interfaces
	 * that extend them. An application's interface that extends them may also declare
	 * methods that do work.
	 */
	private static final List<Class<?>> EXTENDED_BY_SPRING = List.of(Lifecycle.class, ApplicationListener.class);

	/** Listed by name, because some of them may be missing from the class path. */
	private static final Set<String> ANNOTATIONS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value", "org.springframework.context.annotation.Bean");

	private ContainerCallbacks() {
	}

	static boolean isCallback(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return ANNOTATIONS.stream().anyMatch(annotations::isPresent)
				|| AdvisedMethods.interfacesOf(method.getDeclaringClass())
					.anyMatch((face) -> isForCallbacks(face) && declares(face, method));
	}

	private static boolean isForCallbacks(Class<?> type) {
		return INTERFACES.contains(type) || Aware.class.isAssignableFrom(type)
				|| (type.getName().startsWith("org.springframework.")
						&& EXTENDED_BY_SPRING.stream().anyMatch((each) -> each.isAssignableFrom(type)));
	}

	/**
	 * Return whether a type has a method of the same name, with the same or more general
	 * parameters.
	 */
	private static boolean declares(Class<?> type, Method method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((other) -> other.getName().equals(method.getName()) && takes(other, method));
	}

	private static boolean takes(Method other, Method method) {
		Class<?>[] general = other.getParameterTypes();
		Class<?>[] own = method.getParameterTypes();
		return general.length == own.length
				&& IntStream.range(0, own.length).allMatch((i) -> general[i].isAssignableFrom(own[i]));
	}

}
