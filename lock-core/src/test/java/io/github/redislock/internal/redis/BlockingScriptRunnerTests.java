package io.github.redislock.internal.redis;

import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
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
	 * A second copy could acquire a lock that no caller holds.
	 */
	@Test
	void scriptIsNotSentAgainForACallerThatNoLongerWaits(TestRedis redis) {
		JedisConnectionFactory application = JedisClients.connectTo(redis);
		HangingConnection connections = new HangingConnection(application);
		ClientSettings settings = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());
		BlockingScriptRunner runner = new BlockingScriptRunner(connections, settings, (repliedAt) -> {
		}, (failure) -> {
		});

		assertThat(runner.run(returning(1), Duration.ofMillis(100), PATIENCE, null)).failsWithin(PATIENCE);

		// This waits for the thread that sends.
		runner.close();
		assertThat(connections.used).hasValue(1);
		application.destroy();
	}

	@Test
	void callerThatWaitsSendsItsRequestItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			assertThat(threadThatSends(runner, PATIENCE)).isSameAs(Thread.currentThread());
		}
	}

	@Test
	void callerThatMayNotWaitAsLongSendsNothingItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			assertThat(threadThatSends(runner, PATIENCE.minusMillis(1))).isNotSameAs(Thread.currentThread());
		}
	}

	@Test
	void callerThatAlsoAsksOtherServersSendsNothingItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, true)) {
			assertThat(threadThatSends(runner, PATIENCE)).isNotSameAs(Thread.currentThread());
		}
	}

	/**
	 * An interrupt would break its connection.
	 */
	@EnabledForJreRange(min = JRE.JAVA_21)
	@Test
	void virtualThreadSendsNothingItself(TestRedis redis) throws Exception {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			CompletableFuture<Thread> sender = new CompletableFuture<>();
			CompletableFuture<Thread> caller = new CompletableFuture<>();
			new VirtualThreadTaskExecutor().execute(() -> {
				caller.complete(Thread.currentThread());
				sender.complete(threadThatSends(runner, PATIENCE));
			});

			assertThat(sender.get(10, TimeUnit.SECONDS)).isNotSameAs(caller.get(10, TimeUnit.SECONDS));
		}
	}

	@Test
	void requestOfACallerIsSentAgainIfItsIdleConnectionBroke(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false); Jedis admin = new Jedis(redis.host(), redis.port())) {
			run(runner, 1, PATIENCE);
			assertThat(runner.mayArriveTwice()).isFalse();
			assertThat(admin.clientKill(ClientKillParams.clientKillParams().type(ClientType.NORMAL))).isPositive();

			assertThat(callersOwn(runner, 2, PATIENCE).join()).isEqualTo(2L);

			assertThat(runner.mayArriveTwice()).isTrue();
		}
	}

	@Test
	void callersRequestIsRefusedAfterTheEnd(TestRedis redis) {
		BlockingScriptRunner runner = runner(redis, false);
		run(runner, 1, PATIENCE);
		runner.close();

		assertThat(callersOwn(runner, 2, PATIENCE)).failsWithin(Duration.ZERO);
	}

	/**
	 * A late reply must not be read as the reply to the next request.
	 */
	@Test
	void callersRequestFailsInTimeWhileRedisIsFrozen(TestRedis redis) {
		Duration timeout = Duration.ofMillis(100);
		try (BlockingScriptRunner runner = runner(redis, false); Jedis admin = new Jedis(redis.host(), redis.port())) {
			run(runner, 1, PATIENCE);
			admin.clientPause(1_000, ClientPauseMode.ALL);

			CompletableFuture<Object> reply = callersOwn(runner, 2, timeout);

			assertThat(reply).failsWithin(Duration.ZERO)
				.withThrowableOfType(ExecutionException.class)
				.withCauseInstanceOf(TimeoutException.class);
			for (int number = 3; number < 13; number++) {
				assertThat(callersOwn(runner, number, PATIENCE).join()).isEqualTo((long) number);
			}
			assertThat(runner.mayArriveTwice()).isFalse();
		}
	}

	@Test
	void replyToAnInterruptedCallerIsRead(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			run(runner, 1, PATIENCE);
			Thread.currentThread().interrupt();

			CompletableFuture<Object> reply = callersOwn(runner, 2, PATIENCE);

			assertThat(Thread.interrupted()).isTrue();
			assertThat(reply).isCompletedWithValue(2L);
		}
	}

	/**
	 * The pool may open another connection in its place, which takes long if Redis does
	 * not reply.
	 */
	@Test
	void callerDoesNotCloseItsConnectionAfterATimeout(TestRedis redis) throws Exception {
		JedisConnectionFactory application = JedisClients.connectTo(redis);
		SilentConnection connections = new SilentConnection(application);
		ClientSettings settings = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());
		try (BlockingScriptRunner runner = new BlockingScriptRunner(connections, settings, (repliedAt) -> {
		}, (failure) -> {
		})) {
			assertThat(callersOwn(runner, 1, PATIENCE)).failsWithin(Duration.ZERO);

			assertThat(connections.closedBy.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		}
		application.destroy();
	}

	/**
	 * For example, the memory may be exhausted before the reply is read.
	 */
	@Test
	void connectionIsNotUsedAgainAfterAnError(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false); Jedis admin = new Jedis(redis.host(), redis.port())) {
			run(runner, 1, PATIENCE);
			List<String> before = connections(admin);
			ScriptCall failing = returning(2, () -> {
				throw new AssertionError("no memory");
			});

			assertThat(CallingThread.begin(PATIENCE, () -> runner.run(failing, PATIENCE, PATIENCE, null),
					(reply) -> reply))
				.failsWithin(Duration.ZERO)
				.withThrowableThat()
				.havingCause()
				.withMessage("no memory");

			Awaitility.await().until(() -> !connections(admin).containsAll(before));
		}
	}

	private static List<String> connections(Jedis admin) {
		return admin.clientList()
			.lines()
			.filter((line) -> line.contains(" name=test "))
			.map((line) -> line.split(" ")[0])
			.toList();
	}

	private static BlockingScriptRunner runner(TestRedis redis, boolean votes) {
		JedisConnectionFactory application = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()));
		ClientSettings settings = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());
		JedisLockConnections connections = JedisLockConnections.deriveFrom(application, settings, votes);
		return new BlockingScriptRunner(Objects.requireNonNull(connections), settings, (repliedAt) -> {
		}, (failure) -> {
		});
	}

	/**
	 * Return the thread that sends a request if a connection is idle.
	 */
	private static Thread threadThatSends(BlockingScriptRunner runner, Duration patience) {
		run(runner, 1, PATIENCE);
		CompletableFuture<Thread> sender = new CompletableFuture<>();
		CallingThread.begin(patience, () -> {
			CompletableFuture<Object> reply = runner.run(returning(2), PATIENCE, PATIENCE, null);
			assertThat(reply).isNotDone();
			return reply.thenAccept((result) -> sender.complete(Thread.currentThread()));
		}, (reply) -> reply);
		return sender.join();
	}

	/**
	 * Return the reply to a request of a caller that waits for it.
	 */
	private static CompletableFuture<Object> callersOwn(BlockingScriptRunner runner, long number, Duration timeout) {
		return CallingThread.begin(PATIENCE, () -> runner.run(returning(number), timeout, PATIENCE, null),
				(reply) -> reply);
	}

	private static void run(BlockingScriptRunner runner, long number, Duration timeout) {
		assertThat(runner.run(returning(number), timeout, PATIENCE, null).join()).isEqualTo(number);
	}

	private static ScriptCall returning(long number) {
		return returning(number, () -> {
		});
	}

	private static ScriptCall returning(long number, Runnable sealing) {
		return new ScriptCall() {

			@Override
			public Script script() {
				return Script.of("test", "return tonumber(ARGV[1])", Script.Reply.NUMBER, Script.Priority.AT_ONCE);
			}

			@Override
			public Input seal() {
				sealing.run();
				return new Input(List.of(), List.of(bytes(Long.toString(number))));
			}

		};
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
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
	 * Connections that give no reply, and break when their caller stops waiting.
	 */
	private static final class HangingConnection implements LockConnections {

		private final RedisConnectionFactory application;

		private final AtomicInteger used = new AtomicInteger();

		private final CountDownLatch never = new CountDownLatch(1);

		HangingConnection(RedisConnectionFactory application) {
			this.application = application;
		}

		@Override
		public RedisConnection open() {
			RedisConnection connection = this.application.getConnection();
			return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
						if (method.getName().equals("scriptingCommands")) {
							this.used.incrementAndGet();
							try {
								this.never.await();
							}
							catch (InterruptedException ex) {
								throw new RedisConnectionFailureException("closed", ex);
							}
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
			// The connections belong to the application.
		}

	}

	/**
	 * Idle connections to a Redis that does not reply.
	 */
	private static final class SilentConnection implements LockConnections {

		private final RedisConnectionFactory application;

		private final CompletableFuture<Thread> closedBy = new CompletableFuture<>();

		SilentConnection(RedisConnectionFactory application) {
			this.application = application;
		}

		@Override
		public RedisConnection open() {
			return this.application.getConnection();
		}

		@Override
		public RedisConnection openIdle(Duration timeout) {
			RedisConnection connection = open();
			return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> switch (method.getName()) {
						case "scriptingCommands" ->
							throw new RedisConnectionFailureException("silent", new SocketTimeoutException());
						case "close" -> {
							this.closedBy.complete(Thread.currentThread());
							yield method.invoke(connection, arguments);
						}
						default -> method.invoke(connection, arguments);
					});
		}

		@Override
		public int idle() {
			return 1;
		}

		@Override
		public void close() {
			// The connections belong to the application.
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
