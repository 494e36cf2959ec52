package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a method cannot be locked the way it was declared.
 * <p>
 * Problems with other methods of the same class are added as {@linkplain #getSuppressed()
 * suppressed} exceptions.
 */
public class InvalidLockedMethodException extends LockSetupException {

	private static final long serialVersionUID = 1L;

	/**
	 * Create an exception for a method that cannot be locked.
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @param problem what is wrong, as the end of a sentence
	 * @param action what to do now, as a sentence
	 * @param cause the cause, if any
	 */
	public InvalidLockedMethodException(Method method, Class<?> targetClass, String problem, String action,
			@Nullable Throwable cause) {
		super("Method '%s' cannot be locked: %s.".formatted(MethodNames.describe(method, targetClass), problem), action,
				cause);
	}

}
