package io.github.redislock.testing;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Clients with Lettuce's defaults, except that they close immediately. By default each
 * client, including those of locks, waits for 100 ms without requests.
 */
public final class LettuceClients {

	public static final LettuceClientConfiguration DEFAULTS = LettuceClientConfiguration.builder()
		.shutdownQuietPeriod(Duration.ZERO)
		.build();

	private LettuceClients() {
	}

	/**
	 * Return a factory that is not started.
	 */
	public static LettuceConnectionFactory factory(RedisStandaloneConfiguration redis) {
		return new LettuceConnectionFactory(redis, DEFAULTS);
	}

	/**
	 * Return a factory for a Redis of this machine that is not started.
	 */
	public static LettuceConnectionFactory factory(int port) {
		return factory(new RedisStandaloneConfiguration("127.0.0.1", port));
	}

}
