package io.github.redislock.redis;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.redis.RedisLockStoreOptions.Channels;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Locks connect in the background when their store is made, before the first of them is
 * needed, and say once if they cannot.
 */
@NeedsRedisServer
class FirstConnectionTests {

	private static final Duration MARGIN = Duration.ofSeconds(30);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private final RedisProcess redis = RedisProcess.start();

	@AfterEach
	void stop() {
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void scriptsAreLoadedBeforeTheFirstCall(Client client) {
		// Otherwise one more script runs before the first subscription.
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().channels(Channels.PLAIN);
		try (RedisLockTemplate locks = new RedisLockTemplate(
				RedisLockStore.create(client.connectTo(login(this.redis.port(), null)), options),
				LockConfiguration.defaults())) {
			Awaitility.await("scripts are known")
				.atMost(MARGIN)
				.until(() -> List.of(1L, 1L)
					.equals(this.redis.command("SCRIPT", "EXISTS", LockScript.ACQUIRE.sha1(),
							LockScript.FORCE_RELEASE.sha1())));

			locks.acquire("job").close();

			assertThat(this.redis.commandCounts()).containsEntry("evalsha", 2L).doesNotContainKey("eval");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void redisThatIsNotThereIsNamedOnceAtTheStart(Client client) {
		this.redis.kill();
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock");
				RedisLockTemplate locks = new RedisLockTemplate(client.connectTo(login(this.redis.port(), null)))) {
			Awaitility.await("named").atMost(MARGIN).until(() -> !log.lines().isEmpty());

			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.tryAcquire("job", ONCE));

			assertThat(log.lines()).containsExactly(
					"WARN No lock can be acquired yet from Redis at '127.0.0.1:%d': Redis cannot be reached, "
						.formatted(this.redis.port()) + "check spring.data.redis.* and that it runs");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void wrongPasswordIsNamedOnceAtTheStartAndNotShown(Client client) {
		this.redis.command("CONFIG", "SET", "requirepass", "right");
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock");
				RedisLockTemplate locks = new RedisLockTemplate(
						client.connectTo(login(this.redis.port(), "hush-hush")))) {
			Awaitility.await("named").atMost(MARGIN).until(() -> !log.lines().isEmpty());

			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> locks.tryAcquire("job", ONCE));

			assertThat(log.lines()).hasSize(1);
			assertThat(log.text()).contains("127.0.0.1:" + this.redis.port())
				.contains("Redis does not accept user name and password: check spring.data.redis.username and password")
				.doesNotContain("hush");
		}
	}

	@Test
	void connectionThatEndsBeforeTheReasonIsReadIsMadeOnceMore() {
		try (FaultProxy proxy = FaultProxy.before(this.redis.port());
				LogRecorder log = LogRecorder.warningsOf("io.github.redislock")) {
			CompletableFuture<@Nullable Void> cut = proxy.cutBeforeReplyTo("HELLO", FaultProxy.Cut.FIN);
			try (RedisLockTemplate locks = new RedisLockTemplate(Client.LETTUCE.connectTo(login(proxy.port(), null)))) {
				cut.join();

				locks.acquire("job").close();

				assertThat(log.lines()).isEmpty();
			}
		}
	}

	/** With a reset, the client may see that before the end. */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void redisThatClosesEachConnectionIsNamed(boolean reset) throws IOException {
		try (ServerSocket closing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
				LogRecorder log = LogRecorder.warningsOf("io.github.redislock")) {
			CompletableFuture<@Nullable Void> ended = CompletableFuture
				.runAsync(() -> closeEachConnection(closing, reset), OwnThread::run);
			try (RedisLockTemplate locks = new RedisLockTemplate(
					Client.LETTUCE.connectTo(login(closing.getLocalPort(), null)))) {
				Awaitility.await("named").atMost(MARGIN).until(() -> !log.lines().isEmpty());
			}
			closing.close();
			ended.join();

			assertThat(log.lines()).containsExactly(
					"WARN No lock can be acquired yet from Redis at '127.0.0.1:%d': ".formatted(closing.getLocalPort())
							+ "Redis closed the connection at once, check spring.data.redis.password and ssl, "
							+ "and maxclients of Redis");
		}
	}

	private static void closeEachConnection(ServerSocket closing, boolean reset) {
		try {
			while (true) {
				try (Socket client = closing.accept()) {
					client.getInputStream().read(new byte[1_024]);
					client.setSoLinger(reset, 0);
				}
			}
		}
		catch (IOException ex) {
			// The test is over.
		}
	}

	@Test
	void storeThatIsClosedAtOnceLeavesNoThreadAndNoWarning() {
		try (LogRecorder netty = LogRecorder.warningsOf("io.netty");
				LogRecorder lettuce = LogRecorder.warningsOf("io.lettuce");
				LogRecorder ours = LogRecorder.warningsOf("io.github.redislock")) {
			for (int round = 0; round < 30; round++) {
				LettuceConnectionFactory application = this.redis.connectionFactory();
				RedisLockStore store = RedisLockStore.create(application, RedisLockStoreOptions.defaults());
				if (round % 2 == 1) {
					try (RedisLockTemplate locks = new RedisLockTemplate(store, LockConfiguration.defaults())) {
						locks.acquire("job", LockOptions.options().waitTime(MARGIN)).close();
					}
				}
				store.close();

				assertThat(Thread.getAllStackTraces().keySet()).extracting(Thread::getName)
					.noneMatch((name) -> name.startsWith("redis-lock-client"));
			}
			// What other tests have left to the garbage collector is told at any time.
			assertThat(Stream.of(netty, lettuce, ours).flatMap((log) -> log.lines().stream()))
				.filteredOn((line) -> !line.contains("before it's garbage-collected"))
				.isEmpty();
		}
	}

	private static RedisStandaloneConfiguration login(int port, String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", port);
		configuration.setPassword(password);
		return configuration;
	}

	private enum Client {

		LETTUCE {

			@Override
			RedisConnectionFactory connectTo(RedisStandaloneConfiguration redis) {
				LettuceConnectionFactory factory = new LettuceConnectionFactory(redis);
				factory.afterPropertiesSet();
				return factory;
			}

		},

		JEDIS {

			@Override
			RedisConnectionFactory connectTo(RedisStandaloneConfiguration redis) {
				return JedisClients.connectTo(redis, 2);
			}

		};

		abstract RedisConnectionFactory connectTo(RedisStandaloneConfiguration redis);

	}

}
