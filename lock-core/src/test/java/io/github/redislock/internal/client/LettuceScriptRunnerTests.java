package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;

import io.github.redislock.testing.OwnThread;
import io.lettuce.core.RedisCommandTimeoutException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class LettuceScriptRunnerTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Script SCRIPT = Script.of("test", "return 1", Script.Reply.NUMBER, Script.Priority.AT_ONCE);

	@AutoClose
	private final RespServer redis = new RespServer();

	private final List<Throwable> unavailable = new CopyOnWriteArrayList<>();

	@Test
	void scriptsAreLoadedBeforeTheyAreNeeded() {
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			Awaitility.await().until(() -> this.redis.count("SCRIPT LOAD return 1") == 1);

			assertThat(runner.countsReceivers()).isTrue();
			assertThat(run(runner)).succeedsWithin(PATIENCE);
			assertThat(this.redis.count("WAIT")).as("without min-acks").isZero();
		}
	}

	@Test
	void silentConnectionIsReplaced() {
		try (LettuceScriptRunner runner = runner(Duration.ofMillis(100), 0)) {
			awaitSuccess(runner);
			long opened = this.redis.opened();
			this.redis.reply("EVALSHA", RespServer.SILENCE);

			assertThat(run(runner)).failsWithin(PATIENCE);

			this.redis.reply("EVALSHA", ":1");
			awaitSuccess(runner);
			assertThat(this.redis.opened()).isGreaterThan(opened);
		}
	}

	@Test
	void connectionIsKeptIfItHasRepliedDuringTheTimeoutOfARequest() {
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			assertThat(run(runner)).succeedsWithin(PATIENCE);
			this.redis.reply("EVALSHA", RespServer.SILENCE);
			CompletableFuture<Object> slow = run(runner);
			Awaitility.await().until(() -> this.redis.count("EVALSHA") == 2);

			slow.completeExceptionally(new RedisCommandTimeoutException());

			run(runner);
			Awaitility.await().until(() -> this.redis.count("EVALSHA") == 3);
			assertThat(this.redis.opened()).isEqualTo(1);
		}
	}

	@Test
	void requestThatTimesOutEarlierDoesNotEndItsConnection() {
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			assertThat(run(runner)).succeedsWithin(PATIENCE);
			this.redis.reply("EVALSHA", RespServer.SILENCE);

			assertThat(run(runner, Duration.ofMillis(50), PATIENCE)).failsWithin(PATIENCE.dividedBy(2))
				.withThrowableThat()
				.withCauseInstanceOf(TimeoutException.class);

			this.redis.send(":1");
			this.redis.reply("EVALSHA", ":2");
			assertThat(run(runner)).succeedsWithin(PATIENCE).isEqualTo(2L);
			assertThat(this.redis.opened()).isEqualTo(1);
		}
	}

	@Test
	void requestThatCouldNotBeSentInTimeIsNeverSent() {
		this.redis.reply("HELLO", RespServer.SILENCE);
		try (LettuceScriptRunner runner = runner(Duration.ofMillis(100), 0)) {
			assertThat(run(runner, PATIENCE, Duration.ZERO)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(NotSentException.class)
				.withMessageContaining("the connection to Redis was not ready within 500ms");

			// The first connection has more time than a request.
			this.redis.acceptLogins();
			assertThat(run(runner)).succeedsWithin(PATIENCE);
			assertThat(this.redis.count("EVALSHA")).isEqualTo(1);
			assertThat(this.unavailable).isEmpty();
		}
	}

	/**
	 * Lettuce may notice the end of a connection before it reads the reason.
	 */
	@Test
	void connectsOnceMoreIfRedisClosesTheConnectionAtOnce() {
		this.redis.reply("HELLO", RespServer.SILENCE);
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			CompletableFuture<Object> reply = run(runner);
			Awaitility.await().until(() -> this.redis.opened() == 1);
			this.redis.cut();
			Awaitility.await().until(() -> this.redis.opened() == 2 || reply.isDone());
			this.redis.cut();

			Awaitility.await().until(() -> this.redis.opened() == 3 || reply.isDone());

			assertThat(this.redis.opened()).isEqualTo(2);
			assertThat(reply).isCompletedExceptionally();
		}
	}

	/**
	 * Each attempt needs a thread, and there may be many callers.
	 */
	@Test
	void connectsAgainAfterAPauseInWhichRequestsFailAtOnce() {
		this.redis.reply("HELLO", "-WRONGPASS invalid username-password pair or user is disabled.");
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			assertThat(run(runner)).failsWithin(PATIENCE);
			Awaitility.await("pause").atMost(PATIENCE).until(() -> run(runner).isCompletedExceptionally());
			this.redis.reply("HELLO", "-LOADING Redis is loading the dataset in memory");
			Awaitility.await("second failure")
				.until(() -> run(runner).handle((reply, failure) -> failure).join() != null && this.redis.opened() > 1);

			this.redis.acceptLogins();

			awaitSuccess(runner);
			assertThat(this.unavailable)
				.satisfiesExactly((first) -> assertThat(first).hasStackTraceContaining("WRONGPASS"));
		}
	}

	@Test
	void requestThatMayHaveArrivedIsNotSentAgain() {
		try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
			this.redis.reply("EVALSHA", RespServer.SILENCE);
			CompletableFuture<Object> reply = run(runner);
			Awaitility.await().until(() -> this.redis.count("EVALSHA") == 1);

			this.redis.cut();

			assertThat(reply).failsWithin(PATIENCE);
			Awaitility.await().until(() -> this.redis.opened() == 2 && this.redis.count("CLIENT SETNAME") == 2);
			assertThat(this.redis.count("EVALSHA")).isEqualTo(1);
			assertThat(runner.mayArriveTwice()).isFalse();
		}
	}

	/**
	 * The connection that is being opened needs the threads that the end stops.
	 */
	@Test
	void endWaitsForTheConnectionBeforeItStopsTheThreads() throws InterruptedException {
		this.redis.reply("HELLO", RespServer.SILENCE);
		LockConnectionFactory connections = connections(PATIENCE, 0);
		LettuceScriptRunner runner = runner(connections, PATIENCE, 0);
		Awaitility.await().until(() -> this.redis.opened() == 1);

		Thread closing = OwnThread.start(runner::close);

		Awaitility.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING || !connections.isRunning());
		assertThat(connections.isRunning()).isTrue();
		this.redis.send("-ERR unknown command 'HELLO'");
		closing.join(PATIENCE.toMillis());
		assertThat(connections.isRunning()).isFalse();
	}

	@Test
	void resultCountsOnlyIfEnoughReplicasAcknowledgeIt() {
		try (LettuceScriptRunner runner = runner(PATIENCE, 2)) {
			this.redis.reply("WAIT 2 2500", ":2");
			assertThat(run(runner)).succeedsWithin(PATIENCE).isEqualTo(1L);

			this.redis.reply("WAIT", ":1");
			assertThat(run(runner)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(ReplicationFailure.class)
				.withMessageContaining("only 1 replicas acknowledged it within 2.5s");
		}
	}

	@Test
	void replicasOfABlockingConnectionAreCounted() {
		this.redis.reply("WAIT 1 50", ":2");
		LettuceConnectionFactory application = this.redis.application();
		application.afterPropertiesSet();
		application.start();
		try (LettuceConnection connection = (LettuceConnection) application.getConnection()) {
			assertThat(LettuceScriptRunner.awaitReplicas(connection, bytes("1"), bytes("50"))).isEqualTo(2);
		}
		finally {
			application.destroy();
		}
	}

	@Test
	void requestReachesTheNodeThatTookOverFromOneThatIsGone() {
		try (RespServer gone = new RespServer()) {
			this.redis.replyAsCluster(Map.of(this.redis.port(), "", gone.port(), "0-16383"));
			gone.close();
			try (LettuceScriptRunner runner = runner(PATIENCE, 0)) {
				assertThat(run(runner)).failsWithin(PATIENCE);
				assertThat(runner.countsReceivers()).isFalse();

				this.redis.replyAsCluster(Map.of(this.redis.port(), "0-16383"));

				awaitSuccess(runner);
			}
		}
	}

	@Test
	void movedRequestIsSentToTheOtherNodeAndTheTopologyIsRefreshed() {
		try (RespServer other = new RespServer()) {
			Map<Integer, String> masters = Map.of(this.redis.port(), "0-16382", other.port(), "16383");
			this.redis.replyAsCluster(masters);
			other.replyAsCluster(masters);
			this.redis.reply("WAIT", ":1");
			other.reply("WAIT", ":1");
			other.reply("EVALSHA", ":2");
			try (LettuceScriptRunner runner = runner(PATIENCE, 1)) {
				assertThat(run(runner)).succeedsWithin(PATIENCE).isEqualTo(1L);
				long refreshed = this.redis.count(RespServer.NODES);

				this.redis.reply("EVALSHA", "-MOVED 1 127.0.0.1:" + other.port());

				assertThat(run(runner)).succeedsWithin(PATIENCE).isEqualTo(2L);
				Awaitility.await().until(() -> this.redis.count(RespServer.NODES) > refreshed);
			}
		}
	}

	private LettuceScriptRunner runner(Duration timeout, int acks) {
		return runner(connections(timeout, acks), timeout, acks);
	}

	private LettuceScriptRunner runner(LockConnectionFactory connections, Duration timeout, int acks) {
		return new LettuceScriptRunner(connections, settings(timeout, acks), this.unavailable::add);
	}

	private LockConnectionFactory connections(Duration timeout, int acks) {
		return LockConnectionFactory.deriveFrom(this.redis.application(), settings(timeout, acks));
	}

	private static ClientSettings settings(Duration timeout, int acks) {
		return new ClientSettings("test", timeout, acks, false, "lock:", List.of(SCRIPT));
	}

	private static CompletableFuture<Object> run(LettuceScriptRunner runner) {
		return run(runner, PATIENCE, PATIENCE);
	}

	private static CompletableFuture<Object> run(LettuceScriptRunner runner, Duration timeout, Duration sendTimeout) {
		return runner.run(ScriptCall.of(SCRIPT, List.of(bytes("lock")), List.of()), timeout, sendTimeout,
				(written) -> true);
	}

	private static void awaitSuccess(LettuceScriptRunner runner) {
		Awaitility.await("success")
			.atMost(PATIENCE.multipliedBy(6))
			.until(() -> run(runner).handle((reply, failure) -> reply).join() != null);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
