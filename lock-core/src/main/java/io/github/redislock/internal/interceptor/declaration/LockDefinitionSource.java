package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;

/**
 * Finds the declarations of methods that are locked, or that only a leader runs.
 */
public interface LockDefinitionSource {

	/**
	 * Return whether a class may have declarations. This quick check avoids a thorough
	 * search.
	 * @param type a class or interface
	 * @return {@code false} if none of its methods can have a declaration
	 */
	boolean isCandidate(Class<?> type);

	/**
	 * Return the declaration of a method, or of one that it overrides or implements.
	 * @param method a method of a class or an interface
	 * @return the lock of the method, or {@code null} if the method has none
	 */
	@Nullable LockDefinition find(Method method);

	/**
	 * Return the lock that a type declares for all of its public methods.
	 * @param type the type that declares the method
	 * @param method a public method of that type without a declaration
	 * @return the lock of the method, or {@code null} if the method has none
	 */
	@Nullable LockDefinition findOnType(Class<?> type, Method method);

	/**
	 * Return the role whose leader runs a method, as declared on the method or on one
	 * that it overrides or implements.
	 * @param method a method of a class or an interface
	 * @return the role, which may have placeholders, or {@code null} if the method has
	 * none
	 */
	@Nullable String findRole(Method method);

}
