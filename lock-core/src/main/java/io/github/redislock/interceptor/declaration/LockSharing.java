package io.github.redislock.interceptor.declaration;

import org.jspecify.annotations.Nullable;

/**
 * How many calls may hold the lock of a method at the same time.
 *
 * @param places their number, {@link #READERS}, or {@link #NONE} if it is had alone or
 * each call says how many
 * @param permits what says it at each call, or {@code null}
 */
public record LockSharing(int places, @Nullable PermitsExpression permits) {

	static final int NONE = 0;

	/** Any number, as long as nobody has the lock alone. */
	static final int READERS = Integer.MAX_VALUE;

	static final LockSharing ALONE = new LockSharing(NONE, null);

	public boolean isShared() {
		return this.places != NONE || this.permits != null;
	}

	/**
	 * Return what is locked.
	 */
	public CallTarget of(LockName name) {
		return isShared() ? new SharedTarget(name, this) : name;
	}

}
