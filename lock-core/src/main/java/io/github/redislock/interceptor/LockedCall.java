package io.github.redislock.interceptor;

import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.interceptor.declaration.InvalidLockNameException;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method.
 */
final class LockedCall {

	private final LockedMethod method;

	private final MethodInvocation invocation;

	private final Class<?> targetClass;

	/** Whether the method's own code was reached. Its lock is held by then. */
	private volatile boolean started;

	LockedCall(LockedMethod method, MethodInvocation invocation, Class<?> targetClass) {
		this.method = method;
		this.invocation = invocation;
		this.targetClass = targetClass;
	}

	/**
	 * Return a call of its own for one of several subscriptions.
	 */
	LockedCall copy() {
		MethodInvocation own = (this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone()
				: this.invocation;
		return new LockedCall(this.method, own, this.targetClass);
	}

	/**
	 * Return what to lock.
	 * @throws InvalidLockNameException if the arguments do not lead to a name
	 * @throws IllegalStateException if it is not known how many may share it
	 */
	LockTarget target() {
		return this.method.target().evaluate(this.invocation, this.targetClass);
	}

	LockOptions options() {
		return this.method.options();
	}

	String describe() {
		return MethodNames.describe(this.invocation.getMethod(), this.targetClass);
	}

	/**
	 * Go on with the call on the thread on which it was made.
	 */
	@Nullable Object proceed() throws Throwable {
		this.started = true;
		return this.invocation.proceed();
	}

	/**
	 * Go on with the call, on whatever thread: aspects inside of the lock look there for
	 * the call.
	 */
	@Nullable Object proceedElsewhere() throws Throwable {
		this.started = true;
		return ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation);
	}

	/**
	 * Refuse an answer of whose work the lock knows nothing.
	 */
	InvalidLockedMethodException undeclared(Object answer) {
		return new InvalidLockedMethodException(this.invocation.getMethod(), this.targetClass,
				("it has answered a %s, whose work goes on, and its declared type does not say so: the lock would be"
						+ " released too early")
					.formatted(answer.getClass().getSimpleName()),
				"Declare what it answers: a CompletableFuture, a Mono, a Flux and so on.", null);
	}

	/**
	 * Return whether a failure says that somebody else has the lock of this call, and not
	 * another one that was wanted inside the method.
	 */
	boolean isRefusal(Throwable failure) {
		return failure instanceof LockNotAcquiredException && !this.started;
	}

	/**
	 * Answer instead of the method.
	 * @param refusal why it is not called
	 * @return in the form in which the method answers
	 * @throws Throwable what the call throws instead
	 */
	@Nullable Object refused(Throwable refusal) throws Throwable {
		return this.method.refusal().answer((LockNotAcquiredException) refusal, this.invocation);
	}

}
