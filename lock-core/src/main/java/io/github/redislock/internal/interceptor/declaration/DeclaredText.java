package io.github.redislock.internal.interceptor.declaration;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.env.Environment;

/**
 * Replaces the placeholders <code>${…}</code> in declared text.
 */
public final class DeclaredText {

	private DeclaredText() {
	}

	/**
	 * Return a text with its placeholders replaced.
	 * @throws IllegalArgumentException if a placeholder has no value
	 */
	public static String resolve(String text, ConfigurableBeanFactory beanFactory) {
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
	}

}
