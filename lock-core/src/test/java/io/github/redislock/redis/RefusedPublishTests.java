package io.github.redislock.redis;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.client.BlockingScriptRunner;
import io.github.redislock.internal.client.ConnectionSubscriber;
import io.github.redislock.internal.client.JedisLockConnections;
import io.github.redislock.internal.client.LettuceScriptRunner;
import io.github.redislock.internal.client.LettuceSubscriber;
import io.github.redislock.internal.client.LockConnectionFactory;
import io.github.redislock.internal.client.LockConnections;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.client.Subscriber;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.testing.ForeignConnectionFactory;
import io.github.redislock.testing.JedisClients;
import io.github.redislock.testing.LettuceClients;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * If a script is not permitted to publish a message, its caller publishes it.
 * <p>
 * No waiting request is repeated, so a waiter learns everything from messages.
 */
@NeedsRedisServer
class RefusedPublishTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults().keyPrefix("white space:");

	private final LockTarget target = LockTarget.of("order:42");

	private final Heard heard = new Heard();

	private final RedisProcess redis = RedisProcess.start();

	private final JedisConnectionFactory jedis = JedisClients.connectTo(login(), 8);

	@AfterEach
	void stop() {
		this.jedis.destroy();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterIsNotifiedOfARelease(Client client) throws Exception {
		try (RedisLockStore store = store(client)) {
			AcquireRequest holder = queue(store, this.target);

			assertThat(join(store.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).extracting("requestId").isEqualTo("r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterIsNotifiedOfAYield(Client client) throws Exception {
		try (RedisLockStore store = store(client)) {
			AcquireRequest holder = queue(store, this.target);

			join(store.yieldAndAcquire(holder, new AcquireRequest(this.target, "first", "r3", MINUTE)));

			assertThat(this.heard.next()).extracting("requestId").isEqualTo("r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterForSeveralLocksIsNotifiedOfARelease(Client client) throws Exception {
		LockTarget both = LockTarget.allOf(this.target, LockTarget.of("order:43"));
		try (RedisLockStore store = store(client)) {
			AcquireRequest holder = queue(store, both);

			assertThat(join(store.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("turn of r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void holderIsNotifiedOfAForcedReleaseBeforeTheWaiter(Client client) throws Exception {
		try (RedisLockStore store = store(client)) {
			queue(store, this.target);

			assertThat(join(store.forceRelease(this.target, null))).isTrue();

			assertThat(this.heard.next()).isEqualTo("forced order:42");
			assertThat(this.heard.next()).extracting("requestId").isEqualTo("r2");
		}
	}

	/**
	 * The scripts use {@code SPUBLISH}, as on services that bind channels to slots. The
	 * first line of each script makes Redis refuse the channels of other slots even on
	 * the same node.
	 */
	@Test
	@Tag("fault")
	void waiterAndHolderAreNotifiedIfAClusterBindsChannelsToSlots() throws Exception {
		LockConnectionFactory own = LockConnectionFactory
			.deriveFrom((LettuceConnectionFactory) Deployment.CLUSTER.connectionFactory(), OPTIONS.client());
		try (RedisLockStore store = new RedisLockStore(
				() -> link(runner(own), new LettuceSubscriber(own),
						(script) -> "#!lua\n" + script.replace("'PUBLISH'", "'SPUBLISH'")),
				OPTIONS, true, true, false)) {
			AcquireRequest holder = queue(store, this.target);

			assertThat(join(store.release(holder, Duration.ZERO))).isTrue();
			assertThat(this.heard.next()).extracting("requestId").isEqualTo("r2");

			assertThat(join(store.forceRelease(this.target, null))).isTrue();
			assertThat(this.heard.next()).isEqualTo("forced order:42");
		}
	}

	@Test
	void lockIsHandedOverWithoutAMessageIfTheUserMayNotPublish() {
		this.redis.command("ACL", "SETUSER", "mute", "reset", "on", ">secret", "~*", "&*", "+@all", "-publish");
		RedisStandaloneConfiguration login = login();
		login.setUsername("mute");
		login.setPassword("secret");
		try (RedisLockStore store = RedisLockStore.create(this.redis.connectionFactory(LettuceClients.factory(login)),
				OPTIONS)) {
			AcquireRequest holder = queue(store, this.target);

			assertThat(join(store.release(holder, Duration.ZERO))).isTrue();

			assertThat(join(store.inspect(this.target)))
				.hasValueSatisfying((state) -> assertThat(state.owner()).isEqualTo("second"));
		}
	}

	/**
	 * Let one request hold a lock, and another one wait until it will be notified.
	 * @return the request that holds the lock
	 */
	private AcquireRequest queue(RedisLockStore store, LockTarget target) {
		store.listen(this.heard);
		AcquireRequest holder = new AcquireRequest(target, "first", "r1", MINUTE);
		AcquireRequest waiter = new AcquireRequest(target, "second", "r2", MINUTE, 1, PATIENCE,
				new AcquireRequest.Attempt(7));
		// The first connection of a JVM is slow.
		Awaitility.await()
			.atMost(PATIENCE)
			.ignoreExceptions()
			.until(() -> join(store.acquire(holder)) instanceof AcquireReply.Granted);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> join(store.acquire(waiter)) instanceof AcquireReply.Held reply && reply.notified());
		return holder;
	}

	private RedisStandaloneConfiguration login() {
		return new RedisStandaloneConfiguration("127.0.0.1", this.redis.port());
	}

	private RedisLockStore store(Client client) {
		return new RedisLockStore(() -> link(client), OPTIONS, false, client == Client.LETTUCE, false);
	}

	private Link link(Client client) {
		LettuceConnectionFactory lettuce = this.redis.connectionFactory(LettuceClients.factory(login()));
		if (client == Client.LETTUCE) {
			LockConnectionFactory own = LockConnectionFactory.deriveFrom(lettuce, OPTIONS.client());
			return link(runner(own), new LettuceSubscriber(own), LuaScripts::withoutPublishing);
		}
		LockConnections connections = (client == Client.JEDIS)
				? Objects.requireNonNull(JedisLockConnections.deriveFrom(this.jedis, OPTIONS.client(), false))
				: LockConnections.of(new ForeignConnectionFactory(() -> lettuce));
		return link(new BlockingScriptRunner(connections, OPTIONS.client(), (repliedAt) -> {
		}, (failure) -> {
		}), new ConnectionSubscriber(connections), LuaScripts::withoutPublishing);
	}

	private static ScriptRunner runner(LockConnectionFactory connections) {
		return new LettuceScriptRunner(connections, OPTIONS.client(), (failure) -> {
		});
	}

	private static Link link(ScriptRunner runner, Subscriber subscriber, UnaryOperator<String> change) {
		LockKeys keys = new LockKeys("white space:");
		// This channel is not in the slot of the lock.
		Inbox inbox = new Inbox(keys.inbox("here"), keys.news(), subscriber);
		return Link.of(new ChangedScripts(runner, change), inbox, OPTIONS, System::nanoTime);
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	private enum Client {

		LETTUCE, FOREIGN_FACTORY, JEDIS

	}

}
