package io.github.redislock.reactive;

import io.github.redislock.LockedSupplier;
import io.micrometer.context.ContextSnapshotFactory;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/**
 * Restores a subscriber's context on the thread that requests the lock, so that the wait
 * belongs to the subscriber's trace.
 * <p>
 * Works like Reactor's automatic context propagation. Loaded only if Micrometer's context
 * propagation library is present.
 */
final class CallersContext {

	private static final ContextSnapshotFactory SNAPSHOTS = ContextSnapshotFactory.builder().build();

	private CallersContext() {
	}

	static <T extends @Nullable Object> T call(ContextView context, LockedSupplier<T, RuntimeException> part) {
		try (var scope = SNAPSHOTS.setThreadLocalsFrom(context)) {
			return part.get();
		}
	}

}
