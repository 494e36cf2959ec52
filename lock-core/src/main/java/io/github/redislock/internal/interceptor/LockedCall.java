package io.github.redislock.internal.interceptor;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.interceptor.declaration.CallTarget;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.ProxyMethodInvocation;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;

/**
 * One call of a locked method.
 */
final class LockedCall {

	private final CallTarget target;

	private final LockOptions options;

	private final Refusal refusal;

	private final MethodInvocation invocation;

	private final Class<?> targetClass;

	/** Whether the method was called, or the call was refused. */
	private volatile boolean settled;

	LockedCall(CallTarget target, LockOptions options, Refusal refusal, MethodInvocation invocation,
			Class<?> targetClass) {
		this.target = target;
		this.options = options;
		this.refusal = refusal;
		this.invocation = invocation;
		this.targetClass = targetClass;
	}

	/**
	 * Return a copy of this call, because each subscription proceeds with the call again.
	 */
	LockedCall copy() {
		MethodInvocation own = (this.invocation instanceof ProxyMethodInvocation proxied) ? proxied.invocableClone()
				: this.invocation;
		return new LockedCall(this.target, this.options, this.refusal, own, this.targetClass);
	}

	/**
	 * Return the lock of the call.
	 * @throws InvalidLockNameException if the arguments do not yield a name
	 */
	LockTarget target() {
		return this.target.evaluate(this.invocation, this.targetClass);
	}

	LockOptions options() {
		return this.options;
	}

	String describe() {
		return MethodNames.describe(this.invocation.getMethod(), this.targetClass);
	}

	/**
	 * Proceed with the call on the caller's thread.
	 */
	@Nullable Object proceed() throws Throwable {
		this.settled = true;
		return this.invocation.proceed();
	}

	/**
	 * Proceed with the call on any thread, and make the call available there to the
	 * aspects inside the lock.
	 */
	@Nullable Object proceedElsewhere() throws Throwable {
		this.settled = true;
		return ExposeInvocationInterceptor.INSTANCE.invoke(this.invocation);
	}

	/**
	 * Return whether a failure means that this call did not get its lock, rather than
	 * another lock inside the method.
	 */
	boolean isRefusal(Throwable failure) {
		return failure instanceof LockNotAcquiredException && !this.settled;
	}

	/**
	 * Return the result of a call that did not get its lock, or throw an exception
	 * instead.
	 * @param refusal the {@link LockNotAcquiredException}
	 */
	@Nullable Object refused(Throwable refusal) throws Throwable {
		this.settled = true;
		return this.refusal.result((LockNotAcquiredException) refusal, this.invocation);
	}

}
