package io.github.redislock.annotation;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Which public methods only the container calls, past the proxy: whoever locks all
 * methods of a class does not mean them.
 */
final class ContainerCallbacks {

	private static final List<Class<?>> INTERFACES = List.of(InitializingBean.class, DisposableBean.class,
			AutoCloseable.class);

	/** By name, since not all of them need to be there. */
	private static final Set<String> ANNOTATIONS = Set.of("jakarta.annotation.PostConstruct",
			"jakarta.annotation.PreDestroy", "jakarta.annotation.Resource", "jakarta.inject.Inject",
			"org.springframework.beans.factory.annotation.Autowired",
			"org.springframework.beans.factory.annotation.Value", "org.springframework.context.annotation.Bean");

	private ContainerCallbacks() {
	}

	static boolean isCallback(Method method) {
		MergedAnnotations annotations = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY);
		return ANNOTATIONS.stream().anyMatch(annotations::isPresent)
				|| ClassUtils.getAllInterfacesForClassAsSet(method.getDeclaringClass())
					.stream()
					.filter((type) -> INTERFACES.contains(type) || Aware.class.isAssignableFrom(type))
					.anyMatch((type) -> declares(type, method));
	}

	private static boolean declares(Class<?> type, Method method) {
		return Arrays.stream(type.getMethods())
			.anyMatch((other) -> other.getName().equals(method.getName())
					&& Arrays.equals(other.getParameterTypes(), method.getParameterTypes()));
	}

}
