package io.github.redislock.internal.client;

import java.lang.reflect.Proxy;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
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
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.args.ClientPauseMode;
import redis.clients.jedis.args.ClientType;
import redis.clients.jedis.params.ClientKillParams;

import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

@ExtendWith(RedisServerExtension.class)
class BlockingScriptRunnerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final ClientSettings SETTINGS = new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of());

	private static final ClientSettings REPLICATED = new ClientSettings("test", Duration.ofMillis(200), 1, false,
			"lock:", List.of());

	/**
	 * Otherwise a subscription that gets the connection next would mistake the reply for
	 * a later one, and never release the only connection.
	 */
	@Test
	void replyIsRecordedBeforeItsConnectionIsFree() throws Exception {
		AtomicBoolean used = new AtomicBoolean();
		AtomicLong freeAt = new AtomicLong();
		TestConnections only = new TestConnections(0, () -> {
			if (used.getAndSet(true)) {
				waitForever();
			}
			return scripted((method) -> {
				if (method.equals("close")) {
					freeAt.set(System.nanoTime());
				}
				return 1L;
			});
		});
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
	void scriptThatMayHaveBeenExecutedIsInDoubtEvenIfItCannotBeSentAgain() {
		AtomicBoolean broken = new AtomicBoolean();
		TestConnections connections = new TestConnections(1, () -> {
			if (broken.get()) {
				throw new RedisConnectionFailureException("Cannot get Jedis connection");
			}
			return executing(() -> {
				broken.set(true);
				throw new RedisConnectionFailureException("broke");
			});
		});
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
	 * After a restart of Redis, all idle connections are broken.
	 */
	@Test
	void scriptIsSentAgainOnceForEachIdleConnection() {
		AtomicInteger sent = new AtomicInteger();
		try (BlockingScriptRunner runner = runner(new TestConnections(2, () -> executing(() -> {
			sent.incrementAndGet();
			throw new RedisConnectionFailureException("broke");
		})))) {
			assertThat(outcome(runner, null)).isEqualTo("broke");

			assertThat(sent).hasValue(3);
			assertThat(runner.mayArriveTwice()).isTrue();
		}
	}

	/**
	 * A second copy could acquire a lock that no caller holds.
	 */
	@Test
	void scriptIsNotSentAgainForACallerThatNoLongerWaits() {
		AtomicInteger sent = new AtomicInteger();
		BlockingScriptRunner runner = runner(new TestConnections(1, () -> executing(() -> {
			sent.incrementAndGet();
			waitForever();
			return 1L;
		})));

		assertThat(runner.run(returning(1), Duration.ofMillis(100), PATIENCE, null)).failsWithin(PATIENCE);

		// This waits for the thread that sends.
		runner.close();
		assertThat(sent).hasValue(1);
	}

	@ParameterizedTest
	@MethodSource
	void onlyAClusterIsRefusedForAnOptionThatDoesNotWorkInIt(Class<? extends RedisConnection> connection,
			boolean quarantine, int minAcks, Object outcome) {
		ClientSettings settings = new ClientSettings("test", PATIENCE, minAcks, quarantine, "lock:", List.of());
		try (BlockingScriptRunner runner = runner(new TestConnections(1, () -> scripted(connection, (method) -> 1L)),
				settings)) {
			assertThat(outcome(runner, null)).isEqualTo(outcome);

			assertThat(runner.countsReceivers()).isEqualTo(connection.equals(RedisConnection.class));
		}
	}

	static Stream<Arguments> onlyAClusterIsRefusedForAnOptionThatDoesNotWorkInIt() {
		return Stream.of(arguments(RedisClusterConnection.class, true, 0, RedisErrors.NO_QUARANTINE_IN_A_CLUSTER),
				arguments(RedisClusterConnection.class, false, 1, RedisErrors.NO_ACKS_IN_THIS_CLUSTER),
				arguments(RedisClusterConnection.class, false, 0, 1L), arguments(RedisConnection.class, true, 1, 1L));
	}

	/**
	 * The client may have reconnected to another Redis while it waited for the replicas.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 1", "2, the connection to Redis broke before 1 acknowledgements of replicas arrived"
			+ " (redis-lock.replication.min-acks)" })
	void acknowledgementsCountOnlyIfTheScriptReturnsTheSameAgain(long again, String outcome) {
		Iterator<Long> replies = List.of(1L, again).iterator();
		try (BlockingScriptRunner runner = runner(new TestConnections(1, () -> executing(replies::next)), REPLICATED)) {
			assertThat(outcome(runner, (reply) -> true)).hasToString(outcome);
		}
	}

	@Test
	void missingReplicaIsNoticedOnlyOnTheConnectionOfTheScript(TestRedis redis) {
		LockConnections lettuce = new TestConnections(0, redis.connectionFactory()::getConnection);
		JedisConnectionFactory jedis = JedisClients.connectTo(redis);
		LockConnections wrapped = new TestConnections(0, jedis::getConnection, jedis::destroy);

		assertThat(withoutReplica(lettuce)).startsWith("only 0 replicas acknowledged it");
		assertThat(withoutReplica(jedis(redis, false))).startsWith("only 0 replicas acknowledged it");
		assertThat(withoutReplica(wrapped)).isEqualTo(RedisErrors.NOT_BEHIND_A_WRAPPER);
	}

	private static String withoutReplica(LockConnections connections) {
		try (BlockingScriptRunner runner = runner(connections, REPLICATED)) {
			return outcome(runner, (reply) -> true).toString();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void connectionsAreClosedAfterTheThreadsHaveEnded(boolean publishing) {
		AtomicBoolean closed = new AtomicBoolean();
		CompletableFuture<Thread> worker = new CompletableFuture<>();
		CompletableFuture<Boolean> closedFirst = new CompletableFuture<>();
		Runnable work = () -> {
			worker.complete(Thread.currentThread());
			pause(Duration.ofMillis(100));
			closedFirst.complete(closed.get());
		};
		BlockingScriptRunner runner = runner(new TestConnections(0, () -> scripted((method) -> {
			if (method.equals("publish")) {
				work.run();
			}
			return 1L;
		}), () -> closed.set(true)));
		if (publishing) {
			runner.publish("channel", "message");
		}
		else {
			runner.timeouts().unless(new CompletableFuture<>(), Duration.ZERO, work);
		}

		runner.close();

		assertThat(closedFirst).succeedsWithin(PATIENCE).isEqualTo(false);
		// An idle thread ends after 10 seconds anyway.
		Awaitility.await().atMost(Duration.ofSeconds(5)).until(() -> !worker.join().isAlive());
	}

	@Test
	void callerThatWaitsSendsItsRequestItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			assertThat(threadThatSends(redis, runner, PATIENCE)).isSameAs(Thread.currentThread());
		}
	}

	@Test
	void callerThatMayNotWaitAsLongSendsNothingItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, false)) {
			assertThat(threadThatSends(redis, runner, PATIENCE.minusMillis(1))).isNotSameAs(Thread.currentThread());
		}
	}

	@Test
	void callerThatAlsoAsksOtherServersSendsNothingItself(TestRedis redis) {
		try (BlockingScriptRunner runner = runner(redis, true)) {
			assertThat(threadThatSends(redis, runner, PATIENCE)).isNotSameAs(Thread.currentThread());
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
				sender.complete(threadThatSends(redis, runner, PATIENCE));
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

	@Test
	void requestThatACallerSentIsSentAgainForTheRestOfItsTimeout() {
		AtomicBoolean broken = new AtomicBoolean();
		try (BlockingScriptRunner runner = runner(new TestConnections(1, () -> executing(() -> {
			if (!broken.getAndSet(true)) {
				throw new RedisConnectionFailureException("broke");
			}
			pause(ScriptRunner.LAST_REPLY.multipliedBy(2));
			return 1L;
		})))) {
			assertThat(callersOwn(runner, 1, PATIENCE)).succeedsWithin(PATIENCE).isEqualTo(1L);

			assertThat(runner.mayArriveTwice()).isTrue();
		}
	}

	@Test
	void callerReturnsItsConnectionBeforeItHandlesTheReply() {
		List<String> calls = new ArrayList<>();
		try (BlockingScriptRunner runner = runner(new TestConnections(0, () -> scripted((method) -> {
			calls.add(method);
			return 1L;
		})))) {
			CallingThread.begin(PATIENCE,
					() -> runner.run(returning(1), PATIENCE, PATIENCE, null).thenAccept((reply) -> calls.add("reply")),
					(reply) -> reply);

			assertThat(calls).containsExactly("evalSha", "close", "reply");
		}
	}

	/**
	 * The pool may open another connection in its place, which takes long if Redis does
	 * not reply.
	 */
	@Test
	void callerDoesNotCloseItsConnectionAfterATimeout() throws Exception {
		CompletableFuture<Thread> closedBy = new CompletableFuture<>();
		TestConnections silent = new TestConnections(0, () -> scripted((method) -> switch (method) {
			case "close" -> closedBy.complete(Thread.currentThread());
			default -> throw new RedisConnectionFailureException("silent", new SocketTimeoutException());
		}));
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
		return runner(jedis(redis, votes));
	}

	private static LockConnections jedis(TestRedis redis, boolean votes) {
		JedisConnectionFactory application = new JedisConnectionFactory(
				new RedisStandaloneConfiguration(redis.host(), redis.port()));
		return Objects.requireNonNull(JedisLockConnections.deriveFrom(application, SETTINGS, votes));
	}

	private static BlockingScriptRunner runner(LockConnections connections) {
		return runner(connections, SETTINGS);
	}

	private static BlockingScriptRunner runner(LockConnections connections, ClientSettings settings) {
		return new BlockingScriptRunner(connections, settings, (repliedAt) -> {
		}, (failure) -> {
		});
	}

	/**
	 * Return the thread that sends a request if a connection is idle.
	 */
	private static Thread threadThatSends(TestRedis redis, BlockingScriptRunner runner, Duration patience) {
		run(runner, 1, PATIENCE);
		CompletableFuture<Thread> sender = new CompletableFuture<>();
		try (Jedis admin = new Jedis(redis.host(), redis.port())) {
			CallingThread.begin(patience, () -> {
				// No reply arrives before its handler is there.
				admin.clientPause(PATIENCE.toMillis(), ClientPauseMode.WRITE);
				CompletableFuture<Object> reply = runner.run(returning(2), PATIENCE, PATIENCE, null);
				CompletableFuture<?> handled = reply.thenAccept((result) -> sender.complete(Thread.currentThread()));
				admin.clientUnpause();
				return handled;
			}, (reply) -> reply);
		}
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

	/**
	 * Return the reply to a request, or the message of its failure.
	 */
	private static Object outcome(BlockingScriptRunner runner, @Nullable Predicate<Object> written) {
		return runner.run(returning(1), PATIENCE, PATIENCE, written)
			.handle((reply, failure) -> (failure != null) ? String.valueOf(failure.getMessage()) : reply)
			.join();
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
	 * Wait without regard to interrupts, as a request does that reads from a socket.
	 */
	private static void pause(Duration time) {
		new CompletableFuture<Boolean>().completeOnTimeout(true, time.toMillis(), TimeUnit.MILLISECONDS).join();
	}

	/**
	 * Return a connection without a Redis whose scripts are executed by a test.
	 */
	private static RedisConnection executing(Supplier<Object> script) {
		return scripted((method) -> method.equals("evalSha") ? script.get() : 1L);
	}

	private static RedisConnection scripted(Function<String, Object> calls) {
		return scripted(RedisConnection.class, calls);
	}

	/**
	 * Return a connection without a Redis.
	 * @param calls is passed the name of each method, and returns its result
	 */
	private static RedisConnection scripted(Class<? extends RedisConnection> type, Function<String, Object> calls) {
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method,
				arguments) -> method.getName().equals("scriptingCommands") ? proxy : calls.apply(method.getName())));
	}

}
