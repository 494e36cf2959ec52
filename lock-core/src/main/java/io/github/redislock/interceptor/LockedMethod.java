package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.Set;

import io.github.redislock.LockOptions;
import io.github.redislock.interceptor.declaration.CallTarget;
import io.github.redislock.interceptor.declaration.DeclaredText;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockDefinition;
import io.github.redislock.interceptor.declaration.LockName;
import io.github.redislock.interceptor.declaration.LockNameReader;
import io.github.redislock.interceptor.declaration.LockOptionsReader;
import io.github.redislock.interceptor.declaration.LockSharing;
import io.github.redislock.interceptor.declaration.LockSharingReader;
import io.github.redislock.interceptor.declaration.TemplateReader;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableBeanFactory;

/**
 * A method with its lock, read and checked: ready to be called.
 *
 * @param style how the lock is held until the work has ended
 * @param target what is locked
 * @param options how to take and keep the lock
 * @param refusal what to answer when somebody else has it
 * @param template the bean that takes the lock, or empty text for the only one
 */
public record LockedMethod(CallStyle style, CallTarget target, LockOptions options, Refusal refusal, String template) {

	/**
	 * Read what was declared.
	 * @param method the method that is really run
	 * @param targetClass the bean's class
	 * @param definition what was declared
	 * @param text replaces placeholders
	 * @param beanFactory where expressions find beans, if there is one
	 * @param locked all locked methods of the class
	 * @throws InvalidLockedMethodException if it cannot work
	 */
	static LockedMethod read(Method method, Class<?> targetClass, LockDefinition definition, DeclaredText text,
			@Nullable ConfigurableBeanFactory beanFactory, Set<Method> locked) {
		CallStyle style = MethodRules.styleOf(method, targetClass);
		LockSharing sharing = LockSharingReader.read(method, targetClass, definition, text, beanFactory);
		LockName name = LockNameReader.read(method, targetClass, definition, text, sharing.isShared());
		LockOptions options = LockOptionsReader.read(method, targetClass, definition, text);
		return new LockedMethod(style, sharing.of(name), options,
				Refusal.of(method, targetClass, definition, locked, style),
				TemplateReader.read(method, targetClass, definition, text, beanFactory));
	}

	/**
	 * Run a call of this method under its lock.
	 */
	@Nullable Object call(MethodInvocation invocation, Class<?> targetClass, LockFaces locks) throws Throwable {
		return this.style.call(new LockedCall(this, invocation, targetClass), locks);
	}

}
