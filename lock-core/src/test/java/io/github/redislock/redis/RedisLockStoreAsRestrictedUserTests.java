package io.github.redislock.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockStore;
import io.github.redislock.LockStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The permissions that the documentation grants are enough: no command creeps in
 * unnoticed.
 */
@ExtendWith(RedisServerExtension.class)
class RedisLockStoreAsRestrictedUserTests extends LockStoreContract {

	private static final Path CONTRACT = Path.of("..", "docs", "redis-contract.md");

	private static final Pattern ACL_LINE = Pattern.compile("ACL SETUSER locks (.*?)```", Pattern.DOTALL);

	private LettuceConnectionFactory connectionFactory;

	@BeforeEach
	@Override
	protected void openStore() {
		createUser();
		TestRedis redis = TestRedis.shared();
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(redis.host(), redis.port());
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		this.connectionFactory = new LettuceConnectionFactory(configuration);
		super.openStore();
	}

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(this.connectionFactory, RedisLockStoreOptions.defaults());
	}

	@Override
	protected void elapse(Duration duration) {
		long end = System.nanoTime() + duration.plusMillis(20).toNanos();
		Awaitility.await().until(() -> System.nanoTime() - end > 0);
	}

	private static void createUser() {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			boolean knowsSetInfo = knowsSetInfo(connection);
			byte[][] rules = Arrays.stream(documentedRules().split("\\s+"))
				.filter((rule) -> knowsSetInfo || !rule.equals("+client|setinfo"))
				.map(RedisLockStoreAsRestrictedUserTests::bytes)
				.toArray(byte[][]::new);
			byte[][] command = new byte[rules.length + 2][];
			command[0] = bytes("SETUSER");
			command[1] = bytes("locks");
			System.arraycopy(rules, 0, command, 2, rules.length);
			((LettuceConnection) connection).execute("ACL", new StatusOutput<>(ByteArrayCodec.INSTANCE), command);
		}
	}

	private static boolean knowsSetInfo(RedisConnection connection) {
		String[] version = connection.serverCommands().info("server").getProperty("redis_version").split("\\.");
		return Integer.parseInt(version[0]) * 100 + Integer.parseInt(version[1]) >= 702;
	}

	private static String documentedRules() {
		try {
			Matcher matcher = ACL_LINE.matcher(Files.readString(CONTRACT));
			if (!matcher.find()) {
				throw new IllegalStateException("No ACL line in " + CONTRACT);
			}
			return matcher.group(1).trim();
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
