package io.github.redislock.redis.client;

/**
 * A script, which Redis runs as one step.
 */
public interface Script {

	/**
	 * Return the whole text with the shared parts.
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
	 * Return whether a result is the same as a later one.
	 */
	default boolean isSameReply(Object reply, Object later) {
		return reply.equals(later);
	}

	/**
	 * Return what the script waits for when very many are under way.
	 */
	Turn turn();

	/**
	 * What a script waits for.
	 */
	enum Turn {

		/** Nothing: it renews or releases. */
		AT_ONCE,

		/** Other scripts that ask. */
		ASKING,

		/** Other scripts that withdraw. */
		WITHDRAWING

	}

}
