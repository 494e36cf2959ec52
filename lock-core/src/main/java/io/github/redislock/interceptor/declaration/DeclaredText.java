package io.github.redislock.interceptor.declaration;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Replaces the <code>${…}</code> in declared text.
 */
@FunctionalInterface
public interface DeclaredText {

	/** For methods that are called without a container. */
	DeclaredText AS_IS = (text) -> text;

	/**
	 * Return text without placeholders.
	 * @throws IllegalArgumentException if a placeholder has no value
	 */
	String resolve(String text);

	static DeclaredText resolvedBy(ConfigurableBeanFactory beanFactory) {
		return (text) -> {
			if (!text.contains("${")) {
				return text;
			}
			// The container sets its resolver too late for very early beans.
			String resolved = beanFactory.hasEmbeddedValueResolver() ? beanFactory.resolveEmbeddedValue(text)
					: beanFactory.getBean(Environment.class).resolveRequiredPlaceholders(text);
			if (resolved == null || resolved.contains("${")) {
				throw new IllegalArgumentException("Could not resolve a placeholder in '%s'".formatted(text));
			}
			return resolved;
		};
	}

}
