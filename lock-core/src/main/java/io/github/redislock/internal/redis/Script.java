package io.github.redislock.internal.redis;

/**
 * A Lua script, which Redis runs atomically.
 */
public interface Script {

	/**
	 * Return the whole text, including the shared parts.
	 */
	byte[] bytes();

	/**
	 * Return the digest by which Redis knows a loaded script.
	 */
	String sha1();

	/**
	 * Return whether the script returns a list and not a number.
	 */
	boolean returnsList();

	/**
	 * Return whether two runs of the script returned the same result.
	 */
	default boolean isSameReply(Object reply, Object later) {
		return reply.equals(later);
	}

	/**
	 * Return which other scripts this one waits for when too many are under way.
	 */
	Turn turn();

	/**
	 * Which other scripts a script waits for.
	 */
	enum Turn {

		/** Waits for no other script. */
		AT_ONCE,

		/**
		 * Waits for other scripts that acquire locks, inspect them or release them by
		 * force.
		 */
		ASKING,

		/** Waits for other withdrawals. */
		WITHDRAWING

	}

}
