package io.github.redislock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.TestRedis;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A user of Redis with precisely the permissions that the documentation tells to grant:
 * they are read from there.
 */
final class RestrictedUser {

	private static final Path CONTRACT = Path.of("..", "docs", "redis-contract.md");

	private static final String NAME = "locks";

	private static final Pattern LINE = Pattern.compile("ACL SETUSER " + NAME + " (on .*?)```", Pattern.DOTALL);

	private RestrictedUser() {
	}

	/**
	 * Create the user, and return a connection factory that logs in as it.
	 * @param features what needs more than every user of locks
	 */
	static LettuceConnectionFactory connectTo(TestRedis redis, String... features) {
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			byte[][] words = words("SETUSER", version(connection), features)
				.map((word) -> word.getBytes(StandardCharsets.UTF_8))
				.toArray(byte[][]::new);
			((LettuceConnection) connection).execute("ACL", new StatusOutput<>(ByteArrayCodec.INSTANCE), words);
		}
		LettuceConnectionFactory factory = new LettuceConnectionFactory(login(redis.host(), redis.port()));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Create the user, and return a connection factory that logs in as it.
	 * @param features what needs more than every user of locks
	 */
	static LettuceConnectionFactory connectTo(RedisProcess redis, String... features) {
		// The version of this machine's server, like the embedded one's, is known.
		redis.command(Stream.concat(Stream.of("ACL"), words("SETUSER", 700, features)).toArray(String[]::new));
		return redis.connectionFactory(new LettuceConnectionFactory(login("127.0.0.1", redis.port())));
	}

	static RedisStandaloneConfiguration login(String host, int port) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(host, port);
		configuration.setUsername(NAME);
		configuration.setPassword("secret");
		return configuration;
	}

	private static Stream<String> words(String command, int version, String... features) {
		Stream<String> more = Arrays.stream(features).flatMap(RestrictedUser::rulesFor);
		return Stream.of(Stream.of(command, NAME), rules(version), more).flatMap((words) -> words);
	}

	private static Stream<String> rules(int version) {
		return Stream.of(find(LINE).split("\\s+")).filter((rule) -> version >= 702 || !rule.equals("+client|setinfo"));
	}

	private static Stream<String> rulesFor(String feature) {
		Pattern line = Pattern.compile("(?m)^ACL SETUSER " + NAME + " (\\S.*?) +# " + Pattern.quote(feature) + "\\b");
		return Stream.of(find(line).split(" "));
	}

	private static String find(Pattern pattern) {
		try {
			Matcher matcher = pattern.matcher(Files.readString(CONTRACT));
			if (!matcher.find()) {
				throw new IllegalStateException("No " + pattern + " in " + CONTRACT);
			}
			return matcher.group(1).trim();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static int version(RedisConnection connection) {
		String[] version = connection.serverCommands().info("server").getProperty("redis_version").split("\\.");
		return Integer.parseInt(version[0]) * 100 + Integer.parseInt(version[1]);
	}

}
