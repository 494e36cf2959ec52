package io.github.redislock.internal.redis;

import org.springframework.util.ClassUtils;

/**
 * The Redis clients on the class path.
 */
public final class Clients {

	/** Whether Lettuce is present. */
	public static final boolean LETTUCE_PRESENT = isPresent("io.lettuce.core.RedisClient");

	/** Whether Jedis is present. */
	public static final boolean JEDIS_PRESENT = isPresent("redis.clients.jedis.Jedis");

	private Clients() {
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Clients.class.getClassLoader());
	}

}
