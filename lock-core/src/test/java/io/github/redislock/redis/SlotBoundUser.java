package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;

import io.github.redislock.testing.LettuceClients;
import io.github.redislock.testing.TestRedis;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import org.junit.jupiter.api.Assumptions;

import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis user that may publish only to inboxes with a hash tag. Redis then acts like a
 * service where scripts may publish only in the slot of their keys.
 */
final class SlotBoundUser {

	private static final String NAME = "slot-bound";

	private SlotBoundUser() {
	}

	/**
	 * Create the user, and return a connection factory that logs in as it.
	 */
	static LettuceConnectionFactory connectTo(TestRedis redis) {
		return connectTo(redis, "&distributed_lock:inbox:*:{distributed_lock:*");
	}

	/**
	 * Create a user that may publish nowhere, and return a connection factory that logs
	 * in as it.
	 */
	static LettuceConnectionFactory connectMuteTo(TestRedis redis) {
		return connectTo(redis, "resetchannels");
	}

	static RedisStandaloneConfiguration login(TestRedis redis) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(redis.host(), redis.port());
		configuration.setUsername(NAME);
		configuration.setPassword("secret");
		return configuration;
	}

	private static LettuceConnectionFactory connectTo(TestRedis redis, String channels) {
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			byte[][] words = Stream
				.of("SETUSER", NAME, "reset", "on", ">secret", "~*", "+@all", "resetchannels", channels,
						"(allchannels +subscribe +psubscribe)")
				.map((word) -> word.getBytes(StandardCharsets.UTF_8))
				.toArray(byte[][]::new);
			((LettuceConnection) connection).execute("ACL", new StatusOutput<>(ByteArrayCodec.INSTANCE), words);
		}
		catch (RedisCommandExecutionException | DataAccessException ex) {
			Assumptions.abort("Redis 7.0 is needed for rules that differ by command: " + ex);
		}
		LettuceConnectionFactory factory = LettuceClients.factory(login(redis));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

}
