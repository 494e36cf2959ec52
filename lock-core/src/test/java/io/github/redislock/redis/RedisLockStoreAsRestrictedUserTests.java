package io.github.redislock.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.redislock.LockStore;
import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.LockStore.AcquireRequest;
import io.github.redislock.LockStore.HandOver;
import io.github.redislock.LockStore.HandOverListener;
import io.github.redislock.LockStoreContract;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

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
		this.connectionFactory = new LettuceConnectionFactory(login());
		this.connectionFactory.afterPropertiesSet();
		this.connectionFactory.start();
		super.openStore();
	}

	@AfterEach
	void disconnect() {
		this.connectionFactory.destroy();
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

	@Test
	void waiterIsToldOfItsTurn() {
		waiterIsToldOfItsTurn(this.connectionFactory);
	}

	@Test
	void waiterOnAnotherClientIsToldOfItsTurn() {
		JedisConnectionFactory jedis = new JedisConnectionFactory(login());
		jedis.afterPropertiesSet();
		jedis.start();

		waiterIsToldOfItsTurn(jedis);

		jedis.destroy();
	}

	private static void waiterIsToldOfItsTurn(RedisConnectionFactory connectionFactory) {
		LockTarget target = LockTarget.of("restricted");
		AcquireRequest first = new AcquireRequest(target, "first", "r1", Duration.ofMinutes(1));
		AcquireRequest second = new AcquireRequest(target, "second", "r2", Duration.ofMinutes(1), 1,
				Duration.ofSeconds(1), 7);
		CompletableFuture<HandOver> told = new CompletableFuture<>();
		try (LockStore store = RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults())) {
			store.listen(listener(told));
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> join(store.acquire(first)) instanceof AcquireAnswer.Granted);
			Awaitility.await()
				.until(() -> join(store.acquire(second)) instanceof AcquireAnswer.Held held && held.told());

			store.release(first, Duration.ZERO);

			assertThat(told).succeedsWithin(Duration.ofSeconds(10)).extracting(HandOver::requestId).isEqualTo("r2");
		}
		Awaitility.await("the subscription is over").until(() -> !isAnybodySubscribed());
		assertThat(errors()).doesNotContainKey("errorstat_NOPERM");
	}

	private static HandOverListener listener(CompletableFuture<HandOver> told) {
		return new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				told.complete(handOver);
			}

			@Override
			public void changed() {
			}

		};
	}

	private static RedisStandaloneConfiguration login() {
		TestRedis redis = TestRedis.shared();
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(redis.host(), redis.port());
		configuration.setUsername("locks");
		configuration.setPassword("secret");
		return configuration;
	}

	private static <T> T join(CompletionStage<T> answer) {
		return answer.toCompletableFuture().join();
	}

	private static boolean isAnybodySubscribed() {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return connection.serverCommands()
				.getClientList()
				.stream()
				.anyMatch((client) -> !client.get("sub").equals("0"));
		}
	}

	/**
	 * Return how often Redis has answered with which error.
	 */
	private static Properties errors() {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return connection.serverCommands().info("errorstats");
		}
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
