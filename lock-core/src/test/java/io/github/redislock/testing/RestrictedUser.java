package io.github.redislock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis user with exactly the permissions that are read from the documentation.
 */
public final class RestrictedUser {

	private static final Path CONTRACT = Path.of("..", "docs", "redis-contract.md");

	private static final String NAME = "locks";

	private static final Pattern LINE = Pattern.compile("ACL SETUSER " + NAME + " (on .*?)```", Pattern.DOTALL);

	private static final Pattern VERSION = Pattern.compile("(?m)^(?:redis_version:)?(\\d+)\\.(\\d+)");

	private RestrictedUser() {
	}

	/**
	 * Create the user, and return a connection factory that logs in as it.
	 * @param features features that need additional permissions
	 */
	public static LettuceConnectionFactory connectTo(TestRedis redis, String... features) {
		try (RedisConnection connection = redis.connectionFactory().getConnection()) {
			byte[][] words = words("SETUSER", connection.serverCommands().info("server").getProperty("redis_version"),
					features)
				.map((word) -> word.getBytes(StandardCharsets.UTF_8))
				.toArray(byte[][]::new);
			((LettuceConnection) connection).execute("ACL", new StatusOutput<>(ByteArrayCodec.INSTANCE), words);
			((LettuceConnection) connection).execute("ACL", new StatusOutput<>(ByteArrayCodec.INSTANCE),
					"LOG".getBytes(StandardCharsets.UTF_8), "RESET".getBytes(StandardCharsets.UTF_8));
		}
		LettuceConnectionFactory factory = LettuceClients.factory(login(redis.host(), redis.port()));
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	/**
	 * Create the user, and return a connection factory that logs in as it.
	 * @param features features that need additional permissions
	 */
	public static LettuceConnectionFactory connectTo(RedisProcess redis, String... features) {
		redis.command(Stream
			.concat(Stream.of("ACL"), words("SETUSER", String.valueOf(redis.command("INFO", "server")), features))
			.toArray(String[]::new));
		return redis.connectionFactory(LettuceClients.factory(login("127.0.0.1", redis.port())));
	}

	/**
	 * Return which commands Redis has refused since the user was created.
	 * <p>
	 * Clients try to identify themselves by subcommands of {@code CLIENT}, and continue
	 * if that fails. Since 7.0, Redis replies that the subcommands are unknown; 6.2
	 * replies that they are not permitted.
	 */
	public static Set<Object> refusals(String host, int port) {
		try (RedisClient client = RedisClient.create(RedisURI.create(host, port));
				StatefulRedisConnection<String, String> connection = client.connect()) {
			boolean knowsSubcommands = version(connection.sync().info("server")) >= 700;
			return connection.sync()
				.aclLog()
				.stream()
				.map((entry) -> entry.get("object"))
				.filter((command) -> knowsSubcommands || !command.equals("client"))
				.collect(Collectors.toSet());
		}
	}

	public static RedisStandaloneConfiguration login(String host, int port) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(host, port);
		configuration.setUsername(NAME);
		configuration.setPassword("secret");
		return configuration;
	}

	private static Stream<String> words(String command, String info, String... features) {
		Stream<String> more = Arrays.stream(features).flatMap(RestrictedUser::rulesFor);
		return Stream.of(Stream.of(command, NAME), rules(version(info)), more).flatMap((words) -> words);
	}

	private static Stream<String> rules(int version) {
		return Stream.of(find(LINE).split("\\s+"))
			.filter((rule) -> version < 700 || version >= 702 || !rule.equals("+client|setinfo"));
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

	private static int version(String info) {
		Matcher version = VERSION.matcher(info);
		if (!version.find()) {
			throw new IllegalStateException("No version in " + info);
		}
		return Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2));
	}

}
