package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.support.LateWork;

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
			return PublisherStyle.suspending(method);
		}
		// Resolves type variables that a subclass sets.
		ResolvableType result = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = result.toClass();
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			return styleOfFuture(method, targetClass, result);
		}
		// The registry loads the classes of all reactive libraries.
		boolean mayBeReactive = type.getClassLoader() != null || Flow.Publisher.class.isAssignableFrom(type);
		ReactiveAdapter adapter = mayBeReactive ? ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) : null;
		if (adapter != null && adapter.getReactiveType().equals(type)) {
			requireReactor(method, targetClass, "it returns " + type.getSimpleName());
			return PublisherStyle.of(adapter, valueType(result));
		}
		LateWork late = LateWork.of(type).orElse((adapter != null) ? LateWork.CONTINUES : null);
		if (late != null && !late.equals(LateWork.IS_READ)) {
			throw late(method, targetClass, type.getSimpleName(), late);
		}
		return new BlockingStyle(type);
	}

	/**
	 * Refuse a method with whose result work would go on without the lock. The lock is
	 * held for the work of the outermost type only.
	 */
	static void requireNoLateWork(Method method, Class<?> targetClass) {
		ResolvableType result = ResolvableType.forMethodReturnType(method, targetClass);
		Class<?> type = result.toClass();
		boolean followed = LateWork.of(type).filter(LateWork.CONTINUES::equals).isPresent()
				&& (!KotlinDetector.isSuspendingFunction(method) || type.getName().equals(PublisherStyle.FLOW));
		lateIn(followed ? result.getGeneric() : result, new HashSet<>()).findFirst().ifPresent((part) -> {
			String name = (followed || part != type) ? type.getSimpleName() + " with " : "";
			throw late(method, targetClass, name + part.getSimpleName(), LateWork.of(part).orElseThrow());
		});
	}

	/**
	 * Return the types of late work in a type, its arguments and its components.
	 * @param seen the parts that were looked at, because a type variable may refer to
	 * itself
	 */
	private static Stream<Class<?>> lateIn(ResolvableType type, Set<Type> seen) {
		LateWork late = LateWork.of(type.toClass()).orElse(null);
		// A list of functions is a value.
		if (late != null && (seen.isEmpty() || !late.equals(LateWork.IS_CALLED))) {
			return Stream.of(type.toClass());
		}
		return Stream.concat(Stream.of(type.getComponentType()), Stream.of(type.getGenerics()))
			.filter((part) -> seen.add(part.getType()))
			.flatMap((part) -> lateIn(part, seen));
	}

	private static CallStyle styleOfFuture(Method method, Class<?> targetClass, ResolvableType result) {
		boolean hasWorker = hasWorker(method, targetClass);
		// A worker waits for the future. Without a worker, the future itself must report
		// when the work is done.
		boolean canBeFollowed = hasWorker || CompletionStage.class.isAssignableFrom(result.toClass());
		if (!canBeFollowed || !result.toClass().isAssignableFrom(CompletableFuture.class)) {
			throw late(method, targetClass, result.toClass().getSimpleName(), LateWork.CONTINUES);
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

	private static InvalidLockedMethodException late(Method method, Class<?> targetClass, String type, LateWork late) {
		return new InvalidLockedMethodException(method, targetClass, "it returns %s, %s".formatted(type, late.reason()),
				late.remedy(), null);
	}

}
