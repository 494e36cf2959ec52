package io.github.redislock.internal.interceptor;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockedSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The style of methods whose work has ended when they return.
 *
 * @param type what the method returns
 */
record BlockingStyle(Class<?> type) implements CallStyle {

	@Override
	public @Nullable Object call(LockedCall call, LockOperations locks) throws Throwable {
		return call(call, locks, call::proceed);
	}

	static @Nullable Object call(LockedCall call, LockOperations locks,
			LockedSupplier<@Nullable Object, Throwable> work) throws Throwable {
		try {
			return locks.<@Nullable Object, Throwable>execute(call.target(), call.options(), work);
		}
		catch (LockNotAcquiredException ex) {
			if (call.isRefusal(ex)) {
				return call.refused(ex);
			}
			throw ex;
		}
	}

	@Override
	public @Nullable Object emptyResult() {
		return EmptyResults.of(this.type);
	}

	@Override
	public @Nullable String reasonNotSkippable() {
		return (this.type.isPrimitive() && this.type != void.class) ? "returns " + this.type : null;
	}

}
