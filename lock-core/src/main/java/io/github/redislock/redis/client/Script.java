package io.github.redislock.redis.client;

/**
 * A script that Redis runs as one step.
 */
public interface Script {

	/**
	 * Return the whole text, shared parts included.
	 */
	byte[] bytes();

	/**
	 * Return the digest by which Redis knows the script once it has run it.
	 */
	String sha1();

	/**
	 * Return whether the script returns a list, otherwise a number.
	 */
	boolean returnsList();

	/**
	 * Return whether a result is the same as another, returned later.
	 */
	boolean isSameReply(Object reply, Object later);

	/**
	 * Return what the script waits for where very many are under way.
	 */
	Turn turn();

	/**
	 * What a script waits for.
	 */
	enum Turn {

		/** Nothing: it ends or keeps what is held. */
		AT_ONCE,

		/** Others that ask. */
		ASKING,

		/** Others that withdraw. */
		WITHDRAWING

	}

}
