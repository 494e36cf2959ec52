package io.github.redislock.internal.redis;

import java.util.List;

/**
 * A script with its keys and arguments.
 */
public interface ScriptCall {

	/**
	 * Return a call with the given keys and arguments.
	 * @param script what to run
	 * @param keys all keys that it uses, the key of a lock first
	 * @param arguments its arguments
	 */
	static ScriptCall of(Script script, List<byte[]> keys, List<byte[]> arguments) {
		return new Known(script, keys, arguments);
	}

	/**
	 * Return what to run.
	 */
	Script script();

	/**
	 * Return all keys that it uses, the key of a lock first. Called before
	 * {@link #arguments}, when the call is about to be sent: from then on both are fixed.
	 */
	List<byte[]> keys();

	/**
	 * Return its arguments.
	 */
	List<byte[]> arguments();

	/**
	 * A call with known keys and arguments.
	 */
	record Known(Script script, List<byte[]> keys, List<byte[]> arguments) implements ScriptCall {
	}

}
