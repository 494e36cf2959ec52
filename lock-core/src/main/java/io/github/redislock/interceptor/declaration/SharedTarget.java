package io.github.redislock.interceptor.declaration;

import io.github.redislock.LockTarget;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

/**
 * The lock of a method that several calls may hold at the same time.
 */
final class SharedTarget implements CallTarget {

	private final LockName name;

	private final LockSharing sharing;

	private final @Nullable LockTarget fixed;

	SharedTarget(LockName name, LockSharing sharing) {
		this.name = name;
		this.sharing = sharing;
		LockTarget fixedName = name.fixed();
		this.fixed = (fixedName != null && sharing.permits() == null) ? share(fixedName, sharing.places()) : null;
	}

	@Override
	public LockTarget evaluate(MethodInvocation invocation, Class<?> targetClass) {
		if (this.fixed != null) {
			return this.fixed;
		}
		LockTarget alone = this.name.evaluate(invocation, targetClass);
		PermitsExpression permits = this.sharing.permits();
		return share(alone, (permits != null) ? permits.evaluate(invocation, targetClass) : this.sharing.places());
	}

	@Override
	public LockTarget example() {
		int places = (this.sharing.permits() != null) ? 1 : this.sharing.places();
		return share(this.name.example(), places);
	}

	@Override
	public void checkStarted() {
		PermitsExpression permits = this.sharing.permits();
		if (permits != null) {
			permits.checkStarted();
		}
	}

	private static LockTarget share(LockTarget alone, int places) {
		return (places == LockSharing.READERS) ? alone.forReading() : alone.permits(places);
	}

}
