package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;

import org.springframework.core.KotlinDetector;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.util.ClassUtils;

/**
 * Decides how the work of a method continues, and whether a lock can follow it.
 */
final class MethodRules {

	private static final boolean REACTOR_PRESENT = ClassUtils.isPresent("reactor.core.publisher.Mono",
			MethodRules.class.getClassLoader());

	private MethodRules() {
	}

	/**
	 * Return how the work of a method continues.
	 * @throws InvalidLockedMethodException if no lock can follow it
	 */
	static CallStyle styleOf(Method method, Class<?> targetClass) {
		if (KotlinDetector.isSuspendingFunction(method)) {
			requireReactor(method, targetClass, "it suspends");
			return SuspendingStyle.of(method);
		}
		// Resolves type variables that a subclass sets.
		ResolvableType result = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = result.toClass();
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return styleOfFuture(method, targetClass, result);
		}
		ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
		if (adapter != null && adapter.getReactiveType().equals(type)) {
			requireReactor(method, targetClass, "it returns " + type.getSimpleName());
			return new AdaptedStyle(adapter, valueType(result));
		}
		if (adapter != null || AsynchronousTypes.cannotBeFollowed(type)) {
			throw asynchronous(method, targetClass, result);
		}
		return new BlockingStyle(type);
	}

	private static CallStyle styleOfFuture(Method method, Class<?> targetClass, ResolvableType result) {
		boolean hasWorker = hasWorker(method, targetClass);
		// A worker waits for the future. Without a worker, the future itself must report
		// when the work is done.
		boolean canBeFollowed = hasWorker || CompletionStage.class.isAssignableFrom(result.toClass());
		if (!canBeFollowed || !result.toClass().isAssignableFrom(CompletableFuture.class)) {
			throw asynchronous(method, targetClass, result);
		}
		Class<?> type = valueType(result);
		return hasWorker ? new WorkerStyle(type) : new FutureStyle(type);
	}

	private static boolean hasWorker(Method method, Class<?> targetClass) {
		return AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(targetClass, Async.class);
	}

	private static Class<?> valueType(ResolvableType result) {
		return result.getGeneric().resolve(Object.class);
	}

	private static void requireReactor(Method method, Class<?> targetClass, String why) {
		if (!REACTOR_PRESENT) {
			throw new InvalidLockedMethodException(method, targetClass,
					why + ", and locking such methods needs Reactor, which is not on the class path",
					"Add the dependency 'io.projectreactor:reactor-core'.", null);
		}
	}

	private static InvalidLockedMethodException asynchronous(Method method, Class<?> targetClass,
			ResolvableType result) {
		return new InvalidLockedMethodException(method, targetClass,
				("it returns %s, so its work continues after the method returns, and Redis Lock cannot tell when"
						+ " that work ends: the lock would be released too early")
					.formatted(result.toClass().getSimpleName()),
				"Make it return a CompletableFuture, a Mono or a Flux, or lock the method that does the work.", null);
	}

}
