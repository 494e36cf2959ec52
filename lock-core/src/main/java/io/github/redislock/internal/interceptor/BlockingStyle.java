package io.github.redislock.internal.interceptor;

import java.util.concurrent.Future;

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
		return call(call, locks, (this.type != Object.class) ? call::proceed : () -> ended(call, call.proceed()));
	}

	/**
	 * Return the result of a method that is declared to return {@code Object}, or throw
	 * an exception if its work continues.
	 */
	private static @Nullable Object ended(LockedCall call, @Nullable Object result) {
		if (result instanceof Future<?> future && future.isDone()) {
			return result;
		}
		if (result != null && AsynchronousTypes.isResult(result.getClass())) {
			throw call.undeclared(result);
		}
		return result;
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
