package io.github.redislock.interceptor;

import java.util.concurrent.Future;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockedSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The work has ended when the method returns.
 *
 * @param type what the method answers
 */
record BlockingStyle(Class<?> type) implements CallStyle {

	@Override
	public @Nullable Object call(LockedCall call, LockFaces locks) throws Throwable {
		return call(call, locks, (this.type != Object.class) ? call::proceed : () -> ended(call, call.proceed()));
	}

	/**
	 * Return an answer whose type nobody has declared.
	 */
	private static @Nullable Object ended(LockedCall call, @Nullable Object answer) {
		if (answer instanceof Future<?> future && future.isDone()) {
			return answer;
		}
		if (answer != null && MethodRules.isAsynchronous(answer)) {
			throw call.undeclared(answer);
		}
		return answer;
	}

	/**
	 * Run a call under its lock, on the present thread.
	 * @param work the call's own code
	 */
	static @Nullable Object call(LockedCall call, LockFaces locks, LockedSupplier<@Nullable Object, Throwable> work)
			throws Throwable {
		try {
			return locks.blocking().<@Nullable Object, Throwable>execute(call.target(), call.options(), work);
		}
		catch (LockNotAcquiredException ex) {
			if (call.isRefusal(ex)) {
				return call.refused(ex);
			}
			throw ex;
		}
	}

	@Override
	public @Nullable Object nothing() {
		return EmptyAnswers.of(this.type);
	}

	@Override
	public @Nullable String whyNothingIsWrong() {
		return (this.type.isPrimitive() && this.type != void.class) ? "answers " + this.type : null;
	}

}
