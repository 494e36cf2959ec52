package io.github.redislock.internal.redis;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(RedisServerExtension.class)
class BlockingScriptRunnerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/**
	 * Otherwise a subscription that gets the connection next would mistake the reply for
	 * a later one, and never release the only connection.
	 */
	@Test
	void replyIsRecordedBeforeItsConnectionIsFree(TestRedis redis) throws Exception {
		JedisConnectionFactory application = JedisClients.connectTo(redis);
		CompletableFuture<Long> repliedAt = new CompletableFuture<>();
		OneConnection connections = new OneConnection(application);
		ClientSettings settings = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());
		try (BlockingScriptRunner runner = new BlockingScriptRunner(connections, settings, repliedAt::complete,
				(failure) -> {
				})) {
			ScriptCall call = ScriptCall.of(Script.of("test", "return 1", Script.Reply.NUMBER, Script.Priority.AT_ONCE),
					List.of(), List.of());
			assertThat(runner.run(call, PATIENCE, PATIENCE, null).get(10, TimeUnit.SECONDS)).isEqualTo(1L);

			CompletableFuture<Object> starved = runner.run(call, Duration.ofMillis(100), PATIENCE, null);

			assertThat(repliedAt.get(10, TimeUnit.SECONDS) - connections.freeAt.get()).isLessThanOrEqualTo(0);
			assertThat(starved).isCompletedExceptionally();
		}
		application.destroy();
	}

	@Test
	void scriptThatMayHaveBeenExecutedIsInDoubtEvenIfItCannotBeSentAgain(TestRedis redis) {
		JedisConnectionFactory application = JedisClients.connectTo(redis);
		ClientSettings settings = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());
		try (BlockingScriptRunner runner = new BlockingScriptRunner(new BrokenConnection(application), settings,
				(repliedAt) -> {
				}, (failure) -> {
				})) {
			ScriptCall call = ScriptCall.of(Script.of("test", "return 1", Script.Reply.NUMBER, Script.Priority.AT_ONCE),
					List.of(), List.of());

			CompletableFuture<Object> reply = runner.run(call, PATIENCE, PATIENCE, null);

			assertThat(reply).failsWithin(PATIENCE)
				.withThrowableThat()
				.havingCause()
				.withMessage("broke")
				.satisfies((broken) -> assertThat(broken.getSuppressed()).hasSize(1));
		}
		application.destroy();
	}

	/**
	 * Connections of which the first one that is used breaks. There are no others then.
	 */
	private static final class BrokenConnection implements LockConnections {

		private final RedisConnectionFactory application;

		private volatile boolean broken;

		BrokenConnection(RedisConnectionFactory application) {
			this.application = application;
		}

		@Override
		public synchronized RedisConnection open() {
			if (this.broken) {
				throw new RedisConnectionFailureException("Cannot get Jedis connection");
			}
			RedisConnection connection = this.application.getConnection();
			return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("scriptingCommands")) {
							this.broken = true;
							throw new RedisConnectionFailureException("broke");
						}
						return method.invoke(connection, arguments);
					});
		}

		@Override
		public int idle() {
			return 1;
		}

		@Override
		public void close() {
			// The connection belongs to the application.
		}

	}

	/**
	 * A wrapper of the application around a single connection, which others may use once
	 * it is free.
	 */
	private static final class OneConnection implements LockConnections {

		private final RedisConnectionFactory application;

		private final AtomicLong freeAt = new AtomicLong();

		private final CountDownLatch never = new CountDownLatch(1);

		private @Nullable RedisConnection only;

		OneConnection(RedisConnectionFactory application) {
			this.application = application;
		}

		@Override
		public synchronized RedisConnection open() {
			if (this.only != null) {
				try {
					this.never.await();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			}
			RedisConnection connection = this.application.getConnection();
			this.only = (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("close")) {
							this.freeAt.set(System.nanoTime());
						}
						return method.invoke(connection, arguments);
					});
			return this.only;
		}

		@Override
		public int idle() {
			return 0;
		}

		@Override
		public void close() {
			// The connection belongs to the application.
		}

	}

}
