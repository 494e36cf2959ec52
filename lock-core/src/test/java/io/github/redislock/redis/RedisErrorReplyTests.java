package io.github.redislock.redis;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.StoreCalls;
import io.github.redislock.store.YieldReply;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisProgram;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Redis replies with an error that a real server has produced. No error means that the
 * lock was acquired, or that another owner has it.
 */
@NeedsRedisServer
@Tag("promise-6")
class RedisErrorReplyTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private static final LockOptions SOON = LockOptions.options().waitTime(Duration.ofSeconds(10));

	private static final String KEY = FaultyNetwork.key("job");

	private RedisProcess redis;

	private @Nullable RedisLockTemplate locks;

	@AfterEach
	void close() {
		if (this.locks != null) {
			this.locks.close();
		}
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void withdrawalTimesOutBeforeACommandTimeoutLongerThanTheLease(Route route) {
		start();
		AcquireRequest request = new AcquireRequest(JOB, "me", "r1", Duration.ofSeconds(6));
		try (LockStore store = RedisLockStore.create(route.over(this.redis.connectionFactory()),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofMinutes(1)))) {
			store.acquire(request).toCompletableFuture().join();
			this.redis.freeze();

			assertThat(StoreCalls.withdraw(store, request)).failsWithin(Duration.ofSeconds(20));

			this.redis.thaw();
		}
	}

	@Test
	void failedYieldIsReportedAsAFailedAcquire() {
		start();
		LockTarget target = JOB;
		AcquireRequest granted = new AcquireRequest(target, "me", "r1", Duration.ofMinutes(1));
		AcquireRequest next = new AcquireRequest(target, "me-too", "r2", Duration.ofMinutes(1));
		try (LockStore store = RedisLockStore.create(this.redis.connectionFactory(this.redis.port()),
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)))) {
			store.acquire(granted).toCompletableFuture().join();
			this.redis.command("REPLICAOF", "127.0.0.1", "1");

			assertThat(store.yieldAndAcquire(granted, next)).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withMessageContaining("Lock 'job': acquire failed: this Redis is a read-only replica");
		}
	}

	@Test
	void releaseOfAYieldIsKnownAlthoughItsAcquisitionIsNotReplicated() {
		start();
		AcquireRequest granted = new AcquireRequest(JOB, "me", "r1", Duration.ofMinutes(1));
		AcquireRequest next = new AcquireRequest(JOB, "me-too", "r2", Duration.ofMinutes(1));
		LettuceConnectionFactory connections = this.redis.connectionFactory(this.redis.port());
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(4));
		try (LockStore store = RedisLockStore.create(connections, options);
				LockStore replicated = RedisLockStore.create(connections, options.minAcks(1))) {
			store.acquire(granted).toCompletableFuture().join();

			YieldReply reply = replicated.yieldAndAcquire(granted, next).toCompletableFuture().join();

			assertThat(reply.released()).isTrue();
			assertThat(reply.next()).failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.havingRootCause()
				.withMessageContaining("replica");
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void outOfMemoryErrorIsNotRetried(Route route) {
		start();
		RedisLockTemplate locks = locks(route);
		this.redis.command("CONFIG", "SET", "maxmemory", "1");

		assertFinal(locks, "out of memory");
		assertThat(this.redis.command("DBSIZE")).isEqualTo(0L);

		this.redis.command("CONFIG", "SET", "maxmemory", "0");
		locks.acquire(JOB, SOON).close();
	}

	@ParameterizedTest
	@MethodSource
	void lastingErrorIsNotRetried(Route route, List<String> options, @Nullable String user, @Nullable String password,
			String text) {
		start(options.toArray(String[]::new));

		assertFinal(locks(route, user, password), text);
	}

	static Stream<Arguments> lastingErrorIsNotRetried() {
		return Stream.of(Route.values())
			.flatMap((route) -> Stream.of(
					arguments(route, List.of("user locks on >secret ~* &* +@all -set"), "locks", "secret",
							"extend its ACL"),
					arguments(route, List.of("user locks on >secret ~other:* &* +@all"), "locks", "secret",
							"extend its ACL (key 'distributed_lock:job', or another key of the same lock)"),
					arguments(route, List.of("rename-command EVAL \"\"", "rename-command EVALSHA \"\""), null, null,
							"Redis cannot run Lua scripts: allow EVAL and EVALSHA"),
					arguments(route, List.of("requirepass secret"), null, null, "spring.data.redis.password"),
					arguments(route, List.of("requirepass secret"), "default", "wrong",
							"rejected the user name and password")));
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	@EnabledIf("luaIsAModule")
	void missingScriptingEngineIsNotRetried(Route route) {
		start("enable-module-command yes");
		this.redis.command("MODULE", "UNLOAD", "lua");

		assertFinal(locks(route), "load the Lua module of Valkey");
	}

	/** Lua is a module since Valkey 9.1. */
	static boolean luaIsAModule() {
		return RedisProgram.TESTED.version() >= 901;
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void missingWaitCommandIsNotRetried(Route route) {
		start("rename-command WAIT \"\"");
		RedisLockTemplate locks = locks(route, null, null, 1);

		LockStoreException failure = failure(() -> locks.acquire(JOB, SOON));

		assertThat(failure).hasMessage("Lock 'job': acquire failed: Redis does not know WAIT: remove"
				+ " redis-lock.replication.min-acks, or use a Redis with this command");
		assertThat(failure.isRetryable()).isFalse();
		Awaitility.await("taken back").until(() -> Long.valueOf(0).equals(this.redis.command("EXISTS", KEY)));
	}

	/**
	 * Redis checks the keys of a script before it runs. Our scripts therefore get this
	 * error only from a service that moves slots in its own way.
	 * @param served whether the server has the slot, in a cluster that is down
	 */
	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void scriptCutShortByALostSlotOrADownClusterHasAnUnknownOutcome(boolean served) {
		start("cluster-enabled yes");
		if (served) {
			this.redis.command("CLUSTER", "ADDSLOTS", String.valueOf(this.redis.command("CLUSTER", "KEYSLOT", "job")));
		}
		byte[] script = "return redis.call('GET', 'job')".getBytes(StandardCharsets.US_ASCII);
		try (RedisConnection connection = this.redis.connectionFactory().getConnection()) {
			Throwable refusal = catchThrowable(() -> connection.scriptingCommands().eval(script, ReturnType.VALUE, 0));

			assertThat(RedisErrors.translate("acquire", JOB, KEY, Duration.ofSeconds(1), refusal))
				.hasMessage("Lock 'job': acquire failed: Redis Cluster is moving the key while a script uses it, or is"
						+ " down")
				.asInstanceOf(type(LockStoreException.class))
				.matches(LockStoreException::isRetryable)
				.matches(LockStoreException::isOutcomeUnknown);
		}
	}

	@Test
	void passwordIsNotDisclosed() {
		start("requirepass secret");

		assertThat(failure(() -> locks(Route.OWN_CONNECTION, "default", "wr0ng").acquire(JOB, ONCE)))
			.hasStackTraceContaining("WRONGPASS")
			.satisfies((failure) -> assertThat(stackTrace(failure)).doesNotContain("wr0ng"));
	}

	private void start(String... options) {
		this.redis = RedisProcess.launch(options);
		for (String option : options) {
			if (option.startsWith("requirepass ")) {
				this.redis.login("AUTH", "secret");
			}
		}
		this.redis.awaitReply();
	}

	private RedisLockTemplate locks(Route route) {
		return locks(route, null, null);
	}

	private RedisLockTemplate locks(Route route, @Nullable String user, @Nullable String password) {
		return locks(route, user, password, 0);
	}

	private RedisLockTemplate locks(Route route, @Nullable String user, @Nullable String password, int acks) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration("127.0.0.1", this.redis.port());
		configuration.setUsername(user);
		configuration.setPassword(password);
		LettuceConnectionFactory application = this.redis
			.connectionFactory(new LettuceConnectionFactory(configuration));
		this.locks = route.open(application,
				RedisLockStoreOptions.defaults().commandTimeout(Duration.ofSeconds(10)).minAcks(acks));
		return this.locks;
	}

	private static void assertFinal(RedisLockTemplate locks, String text) {
		long begin = System.nanoTime();
		LockStoreException failure = failure(
				() -> locks.tryAcquire(JOB, LockOptions.options().waitTime(Duration.ofMinutes(1))));
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).as("not tried again")
			.isLessThan(Duration.ofSeconds(20));
		assertThat(failure).hasMessageContaining("Lock 'job': acquire failed: ").hasMessageContaining(text);
		assertThat(failure.isRetryable()).isFalse();
		assertThat(failure.isOutcomeUnknown()).isFalse();
	}

	private static LockStoreException failure(ThrowingCallable call) {
		return catchThrowableOfType(LockStoreException.class, call);
	}

	private static String stackTrace(Throwable failure) {
		StringWriter text = new StringWriter();
		failure.printStackTrace(new PrintWriter(text));
		return text.toString();
	}

}
