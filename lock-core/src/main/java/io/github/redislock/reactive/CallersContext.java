package io.github.redislock.reactive;

import io.github.redislock.LockedSupplier;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * Lets the thread of a subscriber have what its context has: his trace first of all, in
 * which he waits for the lock.
 * <p>
 * As Reactor itself does where automatic context propagation is on. Nothing happens
 * without Micrometer's library for that.
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
	 * Loaded only with that library.
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
