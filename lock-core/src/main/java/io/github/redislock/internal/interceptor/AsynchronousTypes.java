package io.github.redislock.internal.interceptor;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;

import org.jspecify.annotations.Nullable;

import org.springframework.core.ReactiveAdapterRegistry;

/**
 * Decides which results mean that the work of a method goes on after the method has
 * returned.
 */
final class AsynchronousTypes {

	/** Types whose work a lock cannot follow, unless Spring has an adapter for them. */
	private static final Set<Class<?>> TYPES = Set.of(Flow.Publisher.class, Callable.class);

	/** Listed by name, because any of them may be missing from the class path. */
	private static final Set<String> NAMES = Set.of("org.reactivestreams.Publisher", "io.smallrye.mutiny.Uni",
			"kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow",
			"org.springframework.web.context.request.async.DeferredResult",
			"org.springframework.web.context.request.async.WebAsyncTask",
			"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
			"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

	/** Cached, because otherwise each call would search the class hierarchy. */
	private static final ClassValue<Boolean> OF_RESULTS = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			return Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)
					|| cannotBeFollowed(type) || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null;
		}

	};

	private AsynchronousTypes() {
	}

	/**
	 * Return whether the work of a method goes on after it has returned a value.
	 * @param type the class of the value
	 */
	static boolean isResult(Class<?> type) {
		return OF_RESULTS.get(type);
	}

	/**
	 * Return whether a lock cannot follow the work of this type by itself. Does not check
	 * whether Spring has an adapter for the type.
	 */
	static boolean cannotBeFollowed(Class<?> type) {
		return TYPES.stream().anyMatch((asynchronous) -> asynchronous.isAssignableFrom(type)) || hasName(type);
	}

	private static boolean hasName(@Nullable Class<?> type) {
		return type != null && (NAMES.contains(type.getName()) || hasName(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(AsynchronousTypes::hasName));
	}

}
