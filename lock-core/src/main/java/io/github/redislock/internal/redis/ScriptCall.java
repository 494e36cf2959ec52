package io.github.redislock.internal.redis;

import java.util.List;

/**
 * A script with its keys and arguments.
 */
public interface ScriptCall {

	/**
	 * Return a call with the given keys and arguments.
	 * @param script the script to run
	 * @param keys all keys that the script uses, the key of a lock first
	 * @param arguments the arguments of the script
	 */
	static ScriptCall of(Script script, List<byte[]> keys, List<byte[]> arguments) {
		return new Known(script, keys, arguments);
	}

	/**
	 * Return the script to run.
	 */
	Script script();

	/**
	 * Return all keys that the script uses, the key of a lock first. Called before
	 * {@link #arguments}, when the call is about to be sent. Both lists are fixed from
	 * then on.
	 */
	List<byte[]> keys();

	/**
	 * Return the arguments of the script.
	 */
	List<byte[]> arguments();

	/**
	 * A call with known keys and arguments.
	 */
	record Known(Script script, List<byte[]> keys, List<byte[]> arguments) implements ScriptCall {
	}

}
