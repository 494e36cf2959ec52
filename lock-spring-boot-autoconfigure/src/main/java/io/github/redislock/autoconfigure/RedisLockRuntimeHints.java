package io.github.redislock.autoconfigure;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Takes the scripts and their shared parts along into a native image.
 */
final class RedisLockRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/github/redislock/redis/*.lua");
		hints.resources().registerPattern("io/github/redislock/redis/*/*.lua");
		hints.resources().registerPattern("io/github/redislock/fencing/*");
	}

}
