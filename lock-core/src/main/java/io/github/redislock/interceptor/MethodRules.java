package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Which methods can be locked at all, however their bean is proxied.
 */
final class MethodRules {

	private static final Set<Class<?>> ASYNCHRONOUS = Set.of(CompletionStage.class, Future.class, Flow.Publisher.class,
			Callable.class);

	/** By name, since none of them needs to be there. */
	private static final Set<String> ASYNCHRONOUS_NAMES = Set.of("org.reactivestreams.Publisher",
			"io.reactivex.rxjava3.core.Completable", "io.reactivex.rxjava3.core.Maybe",
			"io.reactivex.rxjava3.core.Observable", "io.reactivex.rxjava3.core.Single", "io.smallrye.mutiny.Uni",
			"kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	private MethodRules() {
	}

	static void check(Method method, Class<?> targetClass) {
		if (Modifier.isPrivate(method.getModifiers())) {
			throw new InvalidLockedMethodException(method, targetClass, "it is private, and a proxy does not see it",
					"Make it public, or use LockOperations.execute inside it.", null);
		}
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidLockedMethodException(method, targetClass, "it is static, and a proxy does not see it",
					"Make it a method of the bean, or use LockOperations.execute inside it.", null);
		}
		if (isSuspending(method)) {
			throw asynchronous(method, targetClass, "it is a suspend function");
		}
		if (isAsynchronous(method.getReturnType())) {
			throw asynchronous(method, targetClass, "it answers %s".formatted(method.getReturnType().getSimpleName()));
		}
	}

	private static InvalidLockedMethodException asynchronous(Method method, Class<?> targetClass, String why) {
		return new InvalidLockedMethodException(method, targetClass,
				why + ", so its work goes on after it has returned, and the lock would be released too early",
				"Lock the blocking method that does the work; asynchronous methods are not supported.", null);
	}

	private static boolean isSuspending(Method method) {
		Class<?>[] types = method.getParameterTypes();
		return types.length > 0 && types[types.length - 1].getName().equals("kotlin.coroutines.Continuation");
	}

	private static boolean isAsynchronous(Class<?> type) {
		if (ASYNCHRONOUS.stream().anyMatch((asynchronous) -> asynchronous.isAssignableFrom(type))
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null) {
			return true;
		}
		return hasAsynchronousName(type);
	}

	private static boolean hasAsynchronousName(@Nullable Class<?> type) {
		return type != null && (ASYNCHRONOUS_NAMES.contains(type.getName()) || hasAsynchronousName(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(MethodRules::hasAsynchronousName));
	}

}
