package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;

import io.github.redislock.LockMode;
import io.github.redislock.LockOptions;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;

/**
 * The declaration of a method's lock, as written in the source: text is not parsed yet,
 * and may contain <code>${…}</code>. Empty text means "not declared".
 *
 * @param declaredOn the method whose parameter names the expressions use: the method
 * itself, or the one that it overrides or implements
 * @param declaredOnType whether the lock was declared on a type, for all of its public
 * methods
 * @param name the name of the lock, which may contain <code>#{…}</code>, or empty text
 * for the default name: the class name, a dot and the method's name
 * @param key a SpEL expression, whose value is appended to the name after a colon
 * @param mode who may hold the lock at the same time; {@link LockMode#EXCLUSIVE} if not
 * declared, even if there are permits
 * @param permits how many calls may hold the lock at the same time
 * @param options the attributes that are named like the options in {@link LockOptions}: a
 * duration is text, a number is -1 and an array is empty if it was not declared
 * @param skipIfLocked whether a call is skipped, instead of throwing an exception, when
 * the lock is refused
 * @param fallback the name of the method to call instead when the lock is refused
 * @param template the name of the bean that acquires the lock, or empty text for the
 * default bean
 * @param noAlias an attribute of a meta-annotation that has no effect, although it is
 * named like one of the lock, because it is not declared as an alias
 */
public record LockDefinition(Method declaredOn, boolean declaredOnType, String name, String key, LockMode mode,
		String permits, MergedAnnotation<?> options, boolean skipIfLocked, String fallback, String template,
		@Nullable Method noAlias) {

	/**
	 * Return whether permits were declared.
	 */
	public boolean isCounted() {
		return !this.permits.isEmpty();
	}

}
