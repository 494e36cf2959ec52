package io.github.redislock.internal.client;

import java.util.List;

/**
 * A script with its keys and arguments.
 */
public interface ScriptCall {

	/**
	 * Return a call with known keys and arguments.
	 * @param script the script to run
	 * @param keys all keys that the script uses, the key of a lock first
	 * @param arguments the arguments of the script
	 */
	static ScriptCall of(Script script, List<byte[]> keys, List<byte[]> arguments) {
		return new Known(script, new Input(keys, arguments));
	}

	/**
	 * Return the script to run.
	 */
	Script script();

	/**
	 * Return whether the script only deletes its single key, if the key has the value of
	 * the single argument. Some servers have a command for that. Known once the call is
	 * sealed.
	 */
	default boolean deletesIfEqual() {
		return false;
	}

	/**
	 * Return the keys and arguments, which no longer change after the first call. A
	 * connection calls this method when it writes the script.
	 */
	Input seal();

	/**
	 * The input of a script.
	 *
	 * @param keys all keys that the script uses, the key of a lock first
	 * @param arguments the arguments of the script
	 */
	record Input(List<byte[]> keys, List<byte[]> arguments) {
	}

	/**
	 * A call whose keys and arguments were known from the beginning.
	 */
	record Known(Script script, Input seal) implements ScriptCall {
	}

}
