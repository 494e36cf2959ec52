package io.github.redislock.annotation;

import io.github.redislock.LockNotAcquiredException;

/**
 * What happens to a call when its lock is refused.
 *
 * @see DistributedLock#ifLocked()
 */
public enum IfLocked {

	/**
	 * Throw {@link LockNotAcquiredException}.
	 */
	THROW,

	/**
	 * Skip the call: it returns an empty {@code Optional} (also {@code OptionalInt} and
	 * so on), {@code Iterable}, {@code Collection}, {@code List}, {@code Set},
	 * {@code Map}, {@code Stream}, array or publisher, or a completed future, if the
	 * method declares one of these types, and {@code null} otherwise. Cannot be used for
	 * methods whose result cannot be empty, such as an {@code int}. The call does not
	 * wait, unless the annotation itself sets {@link DistributedLock#waitTime} or
	 * {@link DistributedLock#retry}.
	 */
	SKIP

}
