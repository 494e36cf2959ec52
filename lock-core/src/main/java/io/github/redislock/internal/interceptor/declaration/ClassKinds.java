package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Distinguishes the kinds of classes that beans have.
 */
public final class ClassKinds {

	private ClassKinds() {
	}

	/**
	 * Return whether a class is generated at run time, like an interface proxy or a
	 * lambda, so that only its interfaces can be read.
	 */
	public static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

}
