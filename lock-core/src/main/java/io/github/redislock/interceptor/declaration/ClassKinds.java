package io.github.redislock.interceptor.declaration;

import java.lang.reflect.Proxy;

import org.springframework.util.ClassUtils;

/**
 * Distinguishes the kinds of classes that beans have.
 */
public final class ClassKinds {

	private ClassKinds() {
	}

	/**
	 * Return whether a class exists at run time only, so that only its interfaces can be
	 * read: proxies of interfaces, and lambdas.
	 */
	public static boolean isGenerated(Class<?> type) {
		return Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
	}

}
