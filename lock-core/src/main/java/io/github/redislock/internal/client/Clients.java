package io.github.redislock.internal.client;

import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The Redis clients on the class path, and the connection factories behind proxies.
 */
public final class Clients {

	/** Whether Lettuce is present. */
	public static final boolean LETTUCE_PRESENT = isPresent("io.lettuce.core.RedisClient");

	/** Whether Jedis is present. */
	public static final boolean JEDIS_PRESENT = isPresent("redis.clients.jedis.Jedis");

	private Clients() {
	}

	/**
	 * Return the connection factory itself, because a proxy of it does not have the
	 * fields that show where Redis is.
	 */
	public static RedisConnectionFactory behindProxies(RedisConnectionFactory connectionFactory) {
		return (AopProxyUtils.getSingletonTarget(connectionFactory) instanceof RedisConnectionFactory target)
				? behindProxies(target) : connectionFactory;
	}

	private static boolean isPresent(String className) {
		return ClassUtils.isPresent(className, Clients.class.getClassLoader());
	}

}
