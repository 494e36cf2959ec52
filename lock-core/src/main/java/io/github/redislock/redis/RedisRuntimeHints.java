package io.github.redislock.redis;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Adds the scripts and the clients to a native image.
 */
final class RedisRuntimeHints implements RuntimeHintsRegistrar {

	private static final String JEDIS_CONFIGURATION = "org.springframework.data.redis.connection.jedis"
			+ ".JedisClientConfiguration";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources()
			.registerPattern("io/github/redislock/redis/*.lua")
			.registerPattern("io/github/redislock/redis/lib/*.lua");
		// Looked up by name, so they need a hint.
		for (String client : new String[] { "io.lettuce.core.RedisClient", "redis.clients.jedis.Jedis",
				"org.springframework.data.redis.connection.RedisConnectionFactory" }) {
			hints.reflection().registerTypeIfPresent(classLoader, client);
		}
		if (ClassUtils.isPresent("redis.clients.jedis.Jedis", classLoader)) {
			hints.proxies().registerJdkProxy(TypeReference.of(JEDIS_CONFIGURATION));
		}
	}

}
