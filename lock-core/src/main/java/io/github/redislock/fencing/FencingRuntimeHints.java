package io.github.redislock.fencing;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Adds the script of the fence in Redis, and the table of the fence in a database, to a
 * native image.
 */
final class FencingRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/github/redislock/fencing/*.lua")
			.registerPattern("io/github/redislock/fencing/*.sql");
	}

}
