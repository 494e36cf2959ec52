package io.github.redislock.interceptor.check;

import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.LockDefinitionReader;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.util.ClassUtils;

/**
 * Warns of overloaded methods that share a lock only because none of them declares a
 * name, each class once.
 */
final class SharedDefaults {

	private static final Log logger = LogFactory.getLog(SharedDefaults.class);

	private final Set<Class<?>> checked = ConcurrentHashMap.newKeySet();

	/**
	 * Check the names of a class's locks.
	 * @param methods the locked methods, sorted, with what was declared about them
	 */
	void check(Class<?> targetClass, List<Entry<Method, LockDefinition>> methods) {
		Class<?> type = ClassUtils.getUserClass(targetClass);
		if (!this.checked.add(type)) {
			return;
		}
		Map<String, Set<String>> byName = methods.stream()
			.filter((entry) -> entry.getValue().name().isEmpty())
			.collect(Collectors.groupingBy(
					(entry) -> LockDefinitionReader.defaultName(entry.getKey(), type, entry.getValue()),
					Collectors.mapping((entry) -> MethodNames.signature(entry.getKey()),
							Collectors.toCollection(LinkedHashSet::new))));
		byName.forEach((name, signatures) -> {
			if (signatures.size() > 1) {
				logger.warn(
						("Methods '%s' share the lock '%s', since none of them declares a name: give each a 'name', or"
								+ " all the same one if they must exclude one another")
							.formatted(String.join("', '", signatures), name));
			}
		});
	}

}
