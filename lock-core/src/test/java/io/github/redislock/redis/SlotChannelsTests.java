package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStoreOptions.Channels;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.store.SharedLocksStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Where scripts may not publish to the channel of an instance, they publish to one in the
 * slot of their keys.
 */
@ExtendWith(RedisServerExtension.class)
class SlotChannelsTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	private final LockTarget target = LockTarget.of("slot:" + UUID.randomUUID());

	private final Heard heard = new Heard();

	private LettuceConnectionFactory user;

	@AfterEach
	void disconnect() {
		if (this.user != null) {
			this.user.destroy();
		}
	}

	@ParameterizedTest
	@EnumSource(Route.class)
	void waiterIsNotifiedOnAChannelOfTheLock(Route route) throws Exception {
		this.user = SlotBoundUser.connectTo(TestRedis.shared());

		assertHandedOver(route.over(this.user), OPTIONS);

		assertThat(this.heard.address).endsWith("*");
	}

	@Test
	void waiterOnJedisIsNotifiedOnAChannelOfTheLock() throws Exception {
		this.user = SlotBoundUser.connectTo(TestRedis.shared());
		JedisConnectionFactory jedis = new JedisConnectionFactory(SlotBoundUser.login(TestRedis.shared()));
		jedis.afterPropertiesSet();
		jedis.start();

		assertHandedOver(jedis, OPTIONS);

		assertThat(this.heard.address).endsWith("*");
		jedis.destroy();
	}

	@Test
	void documentedPermissionsAreEnough() throws Exception {
		this.user = RestrictedUser.connectTo(TestRedis.shared(), "channels with the hash tag");

		assertHandedOver(this.user, OPTIONS.channels(Channels.SLOT));

		assertThat(this.heard.address).endsWith("*");
		assertThat(RestrictedUser.refusals(TestRedis.shared().host(), TestRedis.shared().port())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "a{b}c:", "[*?]\\:", "white space:" })
	void channelsWorkWithAnyPrefix(String prefix) throws Exception {
		assertHandedOver(TestRedis.shared().connectionFactory(), OPTIONS.keyPrefix(prefix).channels(Channels.SLOT));

		assertThat(this.heard.address).endsWith("*");
	}

	@Test
	void instanceChannelIsUsedUnlessRefused() throws Exception {
		assertHandedOver(TestRedis.shared().connectionFactory(), OPTIONS);

		assertThat(this.heard.address).doesNotEndWith("*");
	}

	@Test
	void instanceChannelIsUsedIfNoChannelIsAllowed() {
		this.user = SlotBoundUser.connectMuteTo(TestRedis.shared());

		try (RedisLockStore store = RedisLockStore.create(this.user, OPTIONS)) {
			queue(store, OPTIONS);
		}

		assertThat(this.heard.address).doesNotEndWith("*").isNotEqualTo("-");
	}

	@Test
	void instanceChannelIsUsedIfConfigured() {
		this.user = SlotBoundUser.connectTo(TestRedis.shared());

		try (RedisLockStore store = RedisLockStore.create(this.user, OPTIONS.channels(Channels.PLAIN))) {
			queue(store, OPTIONS);
		}

		assertThat(this.heard.address).doesNotEndWith("*").isNotEqualTo("-");
	}

	@Test
	void waiterUnderstandsMessagesOfAnEarlierVersion() throws Exception {
		RedisLockStoreOptions options = OPTIONS.channels(Channels.SLOT);
		try (RedisLockStore store = RedisLockStore.create(TestRedis.shared().connectionFactory(), options)) {
			queue(store, options);

			redis().convertAndSend(this.heard.address, "earlier 7 4711");

			assertThat(this.heard.next()).isEqualTo("earlier");
		}
	}

	@Test
	void forceReleaseIsAnnouncedOnAChannelOfTheLock() throws Exception {
		this.user = SlotBoundUser.connectTo(TestRedis.shared());
		try (RedisLockStore store = RedisLockStore.create(this.user, OPTIONS)) {
			queue(store, OPTIONS);

			assertThat(join(store.forceRelease(this.target, null))).isTrue();

			assertThat(this.heard.next()).isEqualTo("forced " + this.target.name());
		}
	}

	private void assertHandedOver(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options)
			throws Exception {
		try (RedisLockStore store = RedisLockStore.create(connectionFactory, options)) {
			AcquireRequest holder = queue(store, options);

			assertThat(join(store.release(holder, Duration.ZERO))).isTrue();

			assertThat(this.heard.next()).isEqualTo("r2");
		}
	}

	/**
	 * Let a second request wait until it is certain to be notified of its turn.
	 * @return the first one, which holds the lock
	 */
	private AcquireRequest queue(RedisLockStore store, RedisLockStoreOptions options) {
		store.listen(this.heard);
		AcquireRequest first = new AcquireRequest(this.target, "first", "r1", MINUTE);
		AcquireRequest second = new AcquireRequest(this.target, "second", "r2", MINUTE, 1, Duration.ofSeconds(20), 7,
				Duration.ZERO, true, 0);
		Awaitility.await()
			.ignoreExceptions()
			.atMost(Duration.ofSeconds(20))
			.until(() -> join(store.acquire(first)) instanceof AcquireReply.Granted);
		Awaitility.await()
			.atMost(Duration.ofSeconds(20))
			.until(() -> join(store.acquire(second)) instanceof AcquireReply.Held held && held.told());
		String key = LockKeys.text(new LockKeys(options.keyPrefix()).waiters(this.target));
		Map<Object, Object> waiters = redis().opsForHash().entries(key);
		this.heard.address = List.of(waiters.get("r2").toString().split(" ")).get(4);
		return first;
	}

	private LockStore storeOfUser() {
		this.user = SlotBoundUser.connectTo(TestRedis.shared());
		return RedisLockStore.create(this.user, OPTIONS);
	}

	private static StringRedisTemplate redis() {
		return new StringRedisTemplate(TestRedis.shared().connectionFactory());
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	/**
	 * The store contract, on these channels.
	 */
	@Nested
	class Store extends LockStoreContract {

		@Override
		protected LockStore createStore() {
			return storeOfUser();
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Silence.of(TestRedis.shared().connectionFactory(), target, duration);
		}

	}

	/**
	 * The contract of shared locks, on these channels.
	 */
	@Nested
	class Shared extends SharedLocksStoreContract {

		@Override
		protected LockStore createStore() {
			return storeOfUser();
		}

		@Override
		protected void fallSilent(LockTarget target, Duration duration) {
			Silence.of(TestRedis.shared().connectionFactory(), target, duration);
		}

	}

	/**
	 * What an instance receives, and on which channel.
	 */
	private static final class Heard implements HandOverListener {

		private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

		private String address = "";

		@Override
		public void handedOver(HandOver handOver) {
			this.messages.add(handOver.requestId());
		}

		@Override
		public void takenByForce(String name) {
			this.messages.add("forced " + name);
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
