package io.github.redislock.internal.interceptor.check;

import java.lang.reflect.Method;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionReader;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Warns about declarations that are probably mistakes: overloads without a name, methods
 * with different numbers of permits for the same name, names with and without a key, and
 * constant keys.
 */
final class SharedDefaults {

	private static final Log logger = LogFactory.getLog(SharedDefaults.class);

	private static final Pattern QUOTED = Pattern.compile("'[^']*'|\"[^\"]*\"");

	/**
	 * For each declared name and template, the first method with a key and the first
	 * without.
	 */
	private final Map<List<Object>, Method> named = new ConcurrentHashMap<>();

	/**
	 * For each declared name and key, the first method that takes permits.
	 */
	private final Map<List<String>, Entry<Method, LockDefinition>> counted = new ConcurrentHashMap<>();

	/**
	 * Check the locks of a class.
	 * @param methods the locked methods, sorted by signature, with their declarations
	 */
	void check(Class<?> type, Map<Method, LockDefinition> methods) {
		Map<String, Set<String>> byName = new LinkedHashMap<>();
		methods.forEach((method, lock) -> {
			check(method, type, lock);
			if (lock.name().isEmpty()) {
				byName
					.computeIfAbsent(LockDefinitionReader.defaultName(method, type, lock),
							(name) -> new LinkedHashSet<>())
					.add(MethodNames.signature(method));
			}
		});
		byName.forEach((name, signatures) -> {
			if (signatures.size() > 1) {
				logger.warn(("Methods '%s' share the lock '%s', because none of them declares a name: give each its own"
						+ " 'name', or the same 'name' if they must exclude one another")
					.formatted(String.join("', '", signatures), name));
			}
		});
	}

	private void check(Method method, Class<?> type, LockDefinition lock) {
		String key = lock.key();
		if (!key.isEmpty() && !QUOTED.matcher(key).replaceAll("").contains("#")) {
			logger.warn(("Method '%s' has the key '%s', which names no parameter: write one without quotes, such as"
					+ " '#id', or leave 'key' out")
				.formatted(MethodNames.describe(method, type), key));
		}
		Method counterpart = this.named.get(List.of(lock.name(), lock.template(), !key.isEmpty()));
		if (this.named.putIfAbsent(List.of(lock.name(), lock.template(), key.isEmpty()), method) == null
				&& counterpart != null && !lock.name().isEmpty()) {
			logger.warn(("Methods '%s' and '%s' declare the lock '%s', but only one of them has a key: they do not"
					+ " exclude each other, because a lock with a key is a different lock. Give both a key, or each its"
					+ " own 'name'")
				.formatted(MethodNames.describe(counterpart, counterpart.getDeclaringClass()),
						MethodNames.describe(method, type), lock.name()));
		}
		if (!lock.isCounted() || lock.name().isEmpty()) {
			return;
		}
		Entry<Method, LockDefinition> other = this.counted.putIfAbsent(List.of(lock.name(), key),
				Map.entry(method, lock));
		if (other != null && !other.getValue().permits().equals(lock.permits())) {
			logger
				.warn("Methods '%s' and '%s' take permits of lock '%s', but declare different numbers: make them equal"
					.formatted(MethodNames.describe(other.getKey(), other.getKey().getDeclaringClass()),
							MethodNames.describe(method, type), lock.name()));
		}
	}

}
