package io.github.redislock.reactive;

import io.github.redislock.LockedSupplier;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * Restores a subscriber's context on the thread that requests the lock, so that the wait
 * belongs to the subscriber's trace.
 * <p>
 * Works like Reactor's automatic context propagation. Does nothing if Micrometer's
 * context propagation library is missing.
 */
final class CallersContext {

	private static final boolean KNOWN = ClassUtils.isPresent("io.micrometer.context.ContextSnapshotFactory",
			CallersContext.class.getClassLoader());

	private CallersContext() {
	}

	static <T extends @Nullable Object> T call(ContextView context, LockedSupplier<T, RuntimeException> part) {
		return (KNOWN && !context.isEmpty()) ? Restored.call(context, part) : part.get();
	}

	/**
	 * Loaded only if the context propagation library is present.
	 */
	private static final class Restored {

		private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

		private static <T extends @Nullable Object> T call(ContextView context,
				LockedSupplier<T, RuntimeException> part) {
			try (var scope = SNAPSHOTS.setThreadLocalsFrom(context)) {
				return part.get();
			}
		}

	}

}
