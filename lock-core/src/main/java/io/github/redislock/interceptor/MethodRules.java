package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Which methods can be locked at all, however their bean is proxied, and in which way
 * their work goes on.
 */
final class MethodRules {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			MethodRules.class.getClassLoader());

	/** What no lock can follow, if Spring has no adapter for it. */
	private static final Set<Class<?>> ASYNCHRONOUS = Set.of(Flow.Publisher.class, Callable.class);

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

	/**
	 * Return in which way the work of a method goes on.
	 * @throws InvalidLockedMethodException if no lock can follow it
	 */
	static CallStyle styleOf(Method method, Class<?> targetClass) {
		if (Modifier.isPrivate(method.getModifiers())) {
			throw new InvalidLockedMethodException(method, targetClass, "it is private, and a proxy does not see it",
					"Make it public, or use LockOperations.execute inside it.", null);
		}
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidLockedMethodException(method, targetClass, "it is static, and a proxy does not see it",
					"Make it a method of the bean, or use LockOperations.execute inside it.", null);
		}
		if (KotlinDetector.isSuspendingFunction(method)) {
			requireReactor(method, targetClass, "it suspends");
			return Reactive.suspending(method);
		}
		// In a class that says what its generic superclass left open, too.
		ResolvableType answer = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = answer.toClass();
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return styleOfFuture(method, targetClass, answer);
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter != null && adapter.getReactiveType().equals(type)) {
			requireReactor(method, targetClass, "it answers " + type.getSimpleName());
			return Reactive.adapted(adapter, valueType(answer));
		}
		if (adapter != null || isAsynchronous(type)) {
			throw asynchronous(method, targetClass, answer);
		}
		return new BlockingStyle(type);
	}

	/**
	 * Return whether the work of a method goes on that has answered this.
	 */
	static boolean isAsynchronous(Object answer) {
		return answer instanceof Future || answer instanceof CompletionStage || isAsynchronous(answer.getClass())
				|| ReactiveAdapterRegistry.getSharedInstance().getAdapter(answer.getClass()) != null;
	}

	private static CallStyle styleOfFuture(Method method, Class<?> targetClass, ResolvableType answer) {
		if (!answer.toClass().isAssignableFrom(CompletableFuture.class)) {
			throw asynchronous(method, targetClass, answer);
		}
		Class<?> type = valueType(answer);
		return hasWorker(method, targetClass) ? new WorkerStyle(type) : new FutureStyle(type);
	}

	private static boolean hasWorker(Method method, Class<?> targetClass) {
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	private static Class<?> valueType(ResolvableType answer) {
		return answer.getGeneric().resolve(Object.class);
	}

	private static void requireReactor(Method method, Class<?> targetClass, String why) {
		if (!REACTOR_PRESENT) {
			throw new InvalidLockedMethodException(method, targetClass,
					why + ", and Reactor, by which such methods are locked, is not there",
					"Add the dependency 'io.projectreactor:reactor-core'.", null);
		}
	}

	private static InvalidLockedMethodException asynchronous(Method method, Class<?> targetClass,
			ResolvableType answer) {
		return new InvalidLockedMethodException(method, targetClass,
				("it answers %s, so its work goes on after it has returned, in a way that a lock cannot follow, and"
						+ " the lock would be released too early")
					.formatted(answer.toClass().getSimpleName()),
				"Let it answer a CompletableFuture, a Mono or a Flux, or lock the method that does the work.", null);
	}

	private static boolean isAsynchronous(Class<?> type) {
		return ASYNCHRONOUS.stream().anyMatch((asynchronous) -> asynchronous.isAssignableFrom(type))
				|| hasAsynchronousName(type);
	}

	private static boolean hasAsynchronousName(@Nullable Class<?> type) {
		return type != null && (ASYNCHRONOUS_NAMES.contains(type.getName()) || hasAsynchronousName(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(MethodRules::hasAsynchronousName));
	}

	/**
	 * Loaded only with Reactor.
	 */
	private static final class Reactive {

		private static CallStyle adapted(ReactiveAdapter adapter, Class<?> type) {
			return new AdaptedStyle(adapter, type);
		}

		private static CallStyle suspending(Method method) {
			return SuspendingStyle.of(method);
		}

	}

}
