package io.github.redislock.internal.client;

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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
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
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(RedisServerExtension.class)
class BlockingScriptRunnerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final ClientSettings SETTINGS = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());

	/**
	 * Otherwise a subscription that gets the connection next would mistake the reply for
	 * a later one, and never release the only connection.
	 */
	@Test
	void replyIsRecordedBeforeItsConnectionIsFree(TestRedis redis) throws Exception {
		AtomicBoolean used = new AtomicBoolean();
		AtomicLong freeAt = new AtomicLong();
		TestConnections only = new TestConnections(redis, (method) -> {
			if (method.equals("close")) {
				freeAt.set(System.nanoTime());
			}
		}) {

			@Override
			public RedisConnection open() {
				if (used.getAndSet(true)) {
					waitForever();
				}
				return super.open();
			}

			@Override
			public int idle() {
				return 0;
			}

		};
		CompletableFuture<Long> repliedAt = new CompletableFuture<>();
		try (BlockingScriptRunner runner = new BlockingScriptRunner(only, SETTINGS, repliedAt::complete, (failure) -> {
		})) {
			run(runner, 1, PATIENCE);

			CompletableFuture<Object> starved = runner.run(returning(2), Duration.ofMillis(100), PATIENCE, null);

			assertThat(repliedAt.get(10, TimeUnit.SECONDS) - freeAt.get()).isLessThanOrEqualTo(0);
			assertThat(starved).isCompletedExceptionally();
		}
	}

	@Test
	void scriptThatMayHaveBeenExecutedIsInDoubtEvenIfItCannotBeSentAgain(TestRedis redis) {
		AtomicBoolean broken = new AtomicBoolean();
		TestConnections connections = new TestConnections(redis, (method) -> {
			if (method.equals("scriptingCommands")) {
				broken.set(true);
				throw new RedisConnectionFailureException("broke");
			}
		}) {

			@Override
			public RedisConnection open() {
				if (broken.get()) {
					throw new RedisConnectionFailureException("Cannot get Jedis connection");
				}
				return super.open();
			}

		};
		try (BlockingScriptRunner runner = runner(connections)) {
			CompletableFuture<Object> reply = runner.run(returning(1), PATIENCE, PATIENCE, null);

			assertThat(reply).failsWithin(PATIENCE)
				.withThrowableThat()
				.havingCause()
				.withMessage("broke")
				.satisfies((failure) -> assertThat(failure.getSuppressed()).hasSize(1));
		}
	}

	/**
	 * A second copy could acquire a lock that no caller holds.
	 */
	@Test
	void scriptIsNotSentAgainForACallerThatNoLongerWaits(TestRedis redis) {
		AtomicInteger sent = new AtomicInteger();
		BlockingScriptRunner runner = runner(new TestConnections(redis, (method) -> {
			if (method.equals("scriptingCommands")) {
				sent.incrementAndGet();
				waitForever();
			}
		}));

		assertThat(runner.run(returning(1), Duration.ofMillis(100), PATIENCE, null)).failsWithin(PATIENCE);

		// This waits for the thread that sends.
		runner.close();
		assertThat(sent).hasValue(1);
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
		CompletableFuture<Thread> closedBy = new CompletableFuture<>();
		TestConnections silent = new TestConnections(redis, (method) -> {
			switch (method) {
				case "scriptingCommands" ->
					throw new RedisConnectionFailureException("silent", new SocketTimeoutException());
				case "close" -> closedBy.complete(Thread.currentThread());
				default -> {
				}
			}
		}) {

			@Override
			public RedisConnection open() {
				throw new RedisConnectionFailureException("only the idle one");
			}

			@Override
			public RedisConnection openIdle(Duration timeout) {
				return super.open();
			}

		};
		try (BlockingScriptRunner runner = runner(silent)) {
			assertThat(callersOwn(runner, 1, PATIENCE)).failsWithin(Duration.ZERO);

			assertThat(closedBy.get(10, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
		}
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
		return runner(Objects.requireNonNull(JedisLockConnections.deriveFrom(application, SETTINGS, votes)));
	}

	private static BlockingScriptRunner runner(LockConnections connections) {
		return new BlockingScriptRunner(connections, SETTINGS, (repliedAt) -> {
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
	 * Wait until the caller stops waiting.
	 */
	private static void waitForever() {
		try {
			new CountDownLatch(1).await();
		}
		catch (InterruptedException ex) {
			throw new RedisConnectionFailureException("closed", ex);
		}
	}

	/**
	 * Connections of an application, whose calls a test may delay or break.
	 */
	private static class TestConnections implements LockConnections {

		private final JedisConnectionFactory application;

		/** Is passed the name of each method before its call. */
		private final Consumer<String> before;

		TestConnections(TestRedis redis, Consumer<String> before) {
			this.application = JedisClients.connectTo(redis);
			this.before = before;
		}

		@Override
		public RedisConnection open() {
			RedisConnection connection = this.application.getConnection();
			return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(),
					new Class<?>[] { RedisConnection.class }, (proxy, method, arguments) -> {
						this.before.accept(method.getName());
						return method.invoke(connection, arguments);
					});
		}

		@Override
		public int idle() {
			return 1;
		}

		@Override
		public void close() {
			this.application.destroy();
		}

	}

}
