package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * Reads whether a method shares its lock, and with how many, and refuses what cannot
 * work.
 */
public final class LockSharingReader {

	private final Method method;

	private final Class<?> targetClass;

	private final LockDefinition definition;

	private final DeclaredText text;

	private LockSharingReader(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text) {
		this.method = method;
		this.targetClass = targetClass;
		this.definition = definition;
		this.text = text;
	}

	/**
	 * Read what was declared.
	 * @param beanFactory where expressions find beans, if there is one
	 */
	public static LockSharing read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			@Nullable ConfigurableBeanFactory beanFactory) {
		return new LockSharingReader(method, targetClass, definition, text).read(beanFactory);
	}

	private LockSharing read(@Nullable ConfigurableBeanFactory beanFactory) {
		boolean counted = this.definition.permits() != LockDefinition.NO_PERMITS;
		String declared = this.definition.permitsString();
		String resolved = declared.isEmpty() ? "" : resolve(declared);
		if (counted && !declared.isEmpty()) {
			throw invalid(
					"it has both permits = %d and permitsString = '%s'".formatted(this.definition.permits(), declared),
					"Remove one of the two.", null);
		}
		if (this.definition.isReading()) {
			if (counted || !resolved.isEmpty()) {
				throw invalid(
						"it is to read (mode = READ) and has %s".formatted(counted
								? "permits = " + this.definition.permits() : "permitsString = '" + declared + "'"),
						"Remove one of the two: any number of calls may read at the same time.", null);
			}
			return new LockSharing(LockSharing.READERS, null);
		}
		if (counted) {
			return permits("permits", Integer.toString(this.definition.permits()), this.definition.permits());
		}
		// As in '${app.exports:}': not declared after all.
		return resolved.isEmpty() ? LockSharing.ALONE : permits(declared, resolved, beanFactory);
	}

	private LockSharing permits(String declared, String resolved, @Nullable ConfigurableBeanFactory beanFactory) {
		if (resolved.contains("#{")) {
			return new LockSharing(LockSharing.NONE,
					new PermitsExpressionReader(this.method, this.targetClass, this.definition, beanFactory)
						.read(declared, resolved));
		}
		try {
			return permits("permitsString", declared, Integer.parseInt(resolved));
		}
		catch (NumberFormatException ex) {
			throw invalid("its permitsString '%s' is no number".formatted(declared),
					"Write a number of at least 1, as in '3' or '${app.exports:3}', or an expression that answers one,"
							+ " as in '#{@limits.exports}'.",
					ex);
		}
	}

	private LockSharing permits(String attribute, String declared, int number) {
		if (number < 1) {
			throw invalid("its %s '%s' admits nobody: it is %d".formatted(attribute, declared, number),
					"Give it at least 1, or leave it out if one call at a time shall have the lock.", null);
		}
		return new LockSharing(number, null);
	}

	private String resolve(String declared) {
		try {
			return this.text.resolve(declared).strip();
		}
		catch (IllegalArgumentException ex) {
			throw invalid(
					"its permitsString '%s' has a placeholder without a value: %s".formatted(declared, ex.getMessage()),
					"Set the property, or give a default as in '${app.exports:3}'.", ex);
		}
	}

	private InvalidLockedMethodException invalid(String problem, String action, @Nullable Throwable cause) {
		return new InvalidLockedMethodException(this.method, this.targetClass, problem, action, cause);
	}

}
