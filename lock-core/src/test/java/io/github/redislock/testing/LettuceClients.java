package io.github.redislock.testing;

import java.time.Duration;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Clients of applications that use Lettuce with its defaults, save that they close at
 * once: by default each client waits 100 ms for silence, those of locks with it.
 */
public final class LettuceClients {

	public static final LettuceClientConfiguration DEFAULTS = LettuceClientConfiguration.builder()
		.shutdownQuietPeriod(Duration.ZERO)
		.build();

	private LettuceClients() {
	}

	/**
	 * Return a factory that is to be started.
	 */
	public static LettuceConnectionFactory factory(RedisStandaloneConfiguration redis) {
		return new LettuceConnectionFactory(redis, DEFAULTS);
	}

	/**
	 * Return a factory for a Redis of this machine that is to be started.
	 */
	public static LettuceConnectionFactory factory(int port) {
		return factory(new RedisStandaloneConfiguration("127.0.0.1", port));
	}

}
