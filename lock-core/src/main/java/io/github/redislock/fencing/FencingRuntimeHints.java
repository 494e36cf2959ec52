package io.github.redislock.fencing;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Takes the script of the fence in Redis, and the table of the one in a database, along
 * into a native image.
 */
final class FencingRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/github/redislock/fencing/*.lua")
			.registerPattern("io/github/redislock/fencing/*.sql");
	}

}
