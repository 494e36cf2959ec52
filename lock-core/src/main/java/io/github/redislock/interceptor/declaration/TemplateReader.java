package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.stream.Collectors;

import io.github.redislock.LockOperations;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;

/**
 * Reads which bean takes a lock, and refuses one that is not there.
 */
public final class TemplateReader {

	private TemplateReader() {
	}

	/**
	 * Return the name of the bean.
	 * @return the name, or empty text if none was declared
	 * @throws InvalidLockedMethodException if there is no such bean of that type
	 */
	public static String read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			@Nullable BeanFactory beanFactory) {
		String declared = definition.template();
		if (declared.isEmpty()) {
			return declared;
		}
		String name = resolve(method, targetClass, declared, text);
		if (!name.isEmpty() && beanFactory != null
				&& !(beanFactory.containsBean(name) && beanFactory.isTypeMatch(name, LockOperations.class))) {
			throw new InvalidLockedMethodException(method, targetClass,
					"its template '%s' is no bean of type LockOperations".formatted(name),
					"Use one of those that are there: %s.".formatted(present(beanFactory)), null);
		}
		return name;
	}

	private static String resolve(Method method, Class<?> targetClass, String declared, DeclaredText text) {
		try {
			return text.resolve(declared).strip();
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockedMethodException(method, targetClass,
					"its template '%s' has a placeholder without a value: %s".formatted(declared, ex.getMessage()),
					"Set the property, or give a default as in '${app.template:locks}'.", ex);
		}
	}

	private static String present(BeanFactory beanFactory) {
		String[] names = (beanFactory instanceof ListableBeanFactory listable)
				? listable.getBeanNamesForType(LockOperations.class, true, false) : new String[0];
		return (names.length > 0)
				? Arrays.stream(names).sorted().map((name) -> "'" + name + "'").collect(Collectors.joining(", "))
				: "none";
	}

}
