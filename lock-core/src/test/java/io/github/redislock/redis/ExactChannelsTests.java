package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStoreOptions.Channels;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.LettuceClients;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Redis lets scripts publish only to channels of locks, and has no {@code PSUBSCRIBE}, as
 * on ElastiCache Serverless.
 * <p>
 * No request is repeated here, so whatever a waiter learns came as a message.
 */
@NeedsRedisServer
class ExactChannelsTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	private final LockTarget target = LockTarget.of("order:42");

	private final LockTarget other = LockTarget.of("order:43");

	private final Heard heard = new Heard();

	private final List<JedisConnectionFactory> connectionFactories = new ArrayList<>();

	private RedisProcess redis = RedisProcess.start();

	private boolean restricted;

	@AfterEach
	void stop() {
		this.connectionFactories.forEach(JedisConnectionFactory::destroy);
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterIsNotifiedWithoutPatterns(Client client) throws Exception {
		allow("+subscribe");

		try (Instances instances = new Instances(client)) {
			AcquireRequest holder = instances.queue(this.target, this.target);

			assertThat(join(instances.first.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("handed over to r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterForSeveralLocksIsNotifiedWithoutPatterns(Client client) throws Exception {
		allow("+subscribe");

		try (Instances instances = new Instances(client)) {
			AcquireRequest holder = instances.queue(this.other, LockTarget.allOf(List.of(this.target, this.other)));

			assertThat(join(instances.first.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("turn of r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void waiterForAPermitIsNotifiedWithoutPatterns(Client client) throws Exception {
		allow("+subscribe");

		try (Instances instances = new Instances(client)) {
			AcquireRequest holder = instances.queue(this.target.permits(1), this.target.permits(1));

			assertThat(join(instances.first.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("handed over to r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void channelsAreResubscribedAfterAReconnect(Client client) throws Exception {
		allow("+subscribe");

		try (Instances instances = new Instances(client)) {
			AcquireRequest holder = instances.queue(this.target, this.target);
			this.redis.command("CLIENT", "KILL", "TYPE", "pubsub");
			awaitChannels(this.target.name() + "}", 1);

			assertThat(join(instances.first.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("handed over to r2");
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void noticesAreReceivedWithoutPatterns(Client client) throws Exception {
		allow("+subscribe");

		try (Instances instances = new Instances(client)) {
			instances.queue(this.target, this.target);
			String news = new String(Inbox.notice("news"), StandardCharsets.UTF_8);

			Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
				this.redis.command("PUBLISH", "distributed_lock:inbox:all", news);
				assertThat(this.heard.messages).contains("news");
			});
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void instanceSubscribesToAtMostAThousandLocks(Client client) {
		allow("+subscribe");
		List<LockTarget> locks = IntStream.rangeClosed(0, LockChannels.MOST)
			.mapToObj((number) -> LockTarget.of("order:" + number))
			.toList();

		try (Instances instances = new Instances(client)) {
			join(instances.first.acquire(new AcquireRequest(locks.get(0), "first", "r1", MINUTE)));
			instances.awaitTold(LockTarget.allOf(locks));

			awaitChannels("*", LockChannels.MOST);
		}
	}

	@Test
	void forcedReleaseIsNotAnnouncedWithoutPatterns() {
		allow("+subscribe");

		try (Instances instances = new Instances(Client.LETTUCE)) {
			instances.queue(this.target, this.target);

			assertThat(instances.second.status(true).tellsOfForce()).isFalse();
			assertThat(instances.second.status(false).trouble()).isNull();
		}
	}

	@ParameterizedTest
	@EnumSource(Client.class)
	void patternSubscriptionIsSkippedIfTheServerLacksTheCommand(Client client) throws Exception {
		this.redis.close();
		this.redis = RedisProcess.start("rename-command PSUBSCRIBE \"\"", "rename-command PUNSUBSCRIBE \"\"");

		try (LogRecorder log = LogRecorder.debugOf(Inbox.class.getName());
				Instances instances = new Instances(client, OPTIONS.channels(Channels.SLOT))) {
			AcquireRequest holder = instances.queue(this.target, this.target);
			assertThat(join(instances.first.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("handed over to r2");
			assertThat(log.lines()).filteredOn((line) -> line.contains("No subscription to"))
				.allSatisfy((line) -> assertThat(line).startsWith("INFO")
					.containsIgnoringCase("unknown command")
					.endsWith("subscribing to one channel for each lock that is waited for"))
				.hasSizeBetween(1, 2);
			assertThat(log.lines()).noneMatch((line) -> line.startsWith("WARN"));
		}
	}

	@Test
	void reasonIsReportedIfNoSubscriptionIsAllowed() {
		allow("-subscribe");

		try (Instances instances = new Instances(Client.LETTUCE)) {
			join(instances.first.acquire(new AcquireRequest(this.target, "first", "r1", MINUTE)));

			Awaitility.await()
				.atMost(PATIENCE)
				.untilAsserted(
						() -> assertThat(instances.first.status(false).trouble()).contains("NOPERM", "'subscribe'"));
		}
	}

	@ParameterizedTest
	@MethodSource("clients")
	void refusedSubscriptionAffectsNoOtherCommand(Client client) {
		allow("-subscribe");

		try (Instances instances = new Instances(client)) {
			join(instances.first.acquire(new AcquireRequest(this.target, "first", "r1", MINUTE)));
			AcquireRequest waiter = new AcquireRequest(this.target, "second", "r2", MINUTE, 1, PATIENCE, 7,
					Duration.ZERO, true, 0);

			Awaitility.await().atMost(PATIENCE).until(() -> {
				assertThat(join(instances.second.acquire(waiter))).isInstanceOf(AcquireReply.Held.class);
				return instances.second.status(false).trouble() != null;
			});
		}
	}

	static Stream<Client> clients() {
		return Effort.cases(Client.values());
	}

	/**
	 * Allow scripts to publish as where each channel must be in the slot of the keys.
	 * @param subscribe which subscriptions it may begin
	 */
	private void allow(String subscribe) {
		try {
			this.redis.command("ACL", "SETUSER", "locks", "reset", "on", ">secret", "~*", "+@all", "-psubscribe",
					"-punsubscribe", "-subscribe", "resetchannels", "&distributed_lock:inbox:*:{distributed_lock:*",
					"(allchannels " + subscribe + ")");
		}
		catch (IllegalStateException ex) {
			Assumptions.abort("Redis 7.0 is needed for rules that differ by command: " + ex);
		}
		this.restricted = true;
	}

	private RedisConnectionFactory connect(Client client) {
		RedisStandaloneConfiguration login = new RedisStandaloneConfiguration("127.0.0.1", this.redis.port());
		if (this.restricted) {
			login.setUsername("locks");
			login.setPassword("secret");
		}
		if (client == Client.JEDIS) {
			JedisConnectionFactory jedis = new JedisConnectionFactory(login);
			jedis.afterPropertiesSet();
			jedis.start();
			this.connectionFactories.add(jedis);
			return jedis;
		}
		LettuceConnectionFactory lettuce = this.redis.connectionFactory(LettuceClients.factory(login));
		return (client == Client.LETTUCE) ? lettuce : Route.FOREIGN_FACTORY.over(lettuce);
	}

	private void awaitChannels(String end, int count) {
		String pattern = "distributed_lock:inbox:*:{distributed_lock:" + end;
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.redis.command("PUBSUB", "CHANNELS", pattern) instanceof List<?> channels
					&& channels.size() == count);
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	private enum Client {

		LETTUCE, FOREIGN_FACTORY, JEDIS

	}

	/**
	 * An instance that holds a lock, and one that waits.
	 */
	private final class Instances implements AutoCloseable {

		private final RedisLockStore first;

		private final RedisLockStore second;

		Instances(Client client) {
			this(client, OPTIONS);
		}

		Instances(Client client, RedisLockStoreOptions options) {
			this.first = RedisLockStore.create(connect(client), options);
			this.second = RedisLockStore.create(connect(client), options);
			this.second.listen(ExactChannelsTests.this.heard);
		}

		/**
		 * Let one instance hold a lock, and the other one wait until it is subscribed.
		 * @return the request that holds the lock
		 */
		AcquireRequest queue(LockTarget held, LockTarget wanted) {
			AcquireRequest holder = new AcquireRequest(held, "first", "r1", MINUTE);
			assertThat(join(this.first.acquire(holder))).isInstanceOf(AcquireReply.Granted.class);
			awaitTold(wanted);
			wanted.each().forEach((lock) -> awaitChannels(lock.name() + "}", 1));
			return holder;
		}

		void awaitTold(LockTarget wanted) {
			AcquireRequest waiter = new AcquireRequest(wanted, "second", "r2", MINUTE, 1, PATIENCE, 7, Duration.ZERO,
					true, 0);
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> join(this.second.acquire(waiter)) instanceof AcquireReply.Held held && held.told());
		}

		@Override
		public void close() {
			this.first.close();
			this.second.close();
		}

	}

	/**
	 * What the waiting instance receives.
	 */
	private static final class Heard implements HandOverListener {

		private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

		@Override
		public void handedOver(HandOver handOver) {
			this.messages.add("handed over to " + handOver.requestId());
		}

		@Override
		public void turnHasCome(String requestId) {
			this.messages.add("turn of " + requestId);
		}

		@Override
		public void told(String message) {
			this.messages.add(message);
		}

		@Override
		public void changed() {
			// No caller waits.
		}

		private String next() throws InterruptedException {
			return this.messages.poll(20, TimeUnit.SECONDS);
		}

	}

}
