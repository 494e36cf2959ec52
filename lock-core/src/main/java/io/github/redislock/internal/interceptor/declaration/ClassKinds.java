package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Proxy;

import org.springframework.core.NativeDetector;
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

	/**
	 * Return whether a class has the same name in all processes. One without a class file
	 * may be generated with a random name.
	 */
	static boolean hasStableName(Class<?> type) {
		return !isGenerated(type)
				&& (NativeDetector.inNativeImage() || type.getResource(ClassUtils.getClassFileName(type)) != null);
	}

}
