package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Detects interface proxies and lambdas that are used as beans.
 */
public final class ClassKinds {

	private ClassKinds() {
	}

	/**
	 * Return whether a class is generated at run time, like an interface proxy or a
	 * lambda, so that declarations can be found only on its interfaces.
	 */
	public static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

}
