package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.LockTarget;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.LockStoreContract;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.RestrictedUser;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documented permissions are sufficient for a store.
 */
@ExtendWith(RedisServerExtension.class)
class RedisLockStoreAsRestrictedUserTests extends LockStoreContract {

	private LettuceConnectionFactory connectionFactory;

	@BeforeEach
	@Override
	protected void openStore() {
		this.connectionFactory = RestrictedUser.connectTo(TestRedis.shared());
		super.openStore();
	}

	@AfterEach
	void disconnect() {
		this.connectionFactory.destroy();
	}

	@Override
	protected LockStore createStore() {
		return RedisLockStore.create(this.connectionFactory, RedisLockStoreOptions.defaults());
	}

	@Override
	protected void fallSilent(LockTarget target, Duration duration) {
		Silence.of(TestRedis.shared().connectionFactory(), target, duration);
	}

	@Test
	void waiterIsNotifiedOfItsTurn() {
		waiterIsNotifiedOfItsTurn(this.connectionFactory);
	}

	@Test
	void waiterOnAnotherClientIsNotifiedOfItsTurn() {
		JedisConnectionFactory jedis = new JedisConnectionFactory(
				RestrictedUser.login(TestRedis.shared().host(), TestRedis.shared().port()));
		jedis.afterPropertiesSet();
		jedis.start();

		waiterIsNotifiedOfItsTurn(jedis);

		jedis.destroy();
	}

	private static void waiterIsNotifiedOfItsTurn(RedisConnectionFactory connectionFactory) {
		LockTarget target = LockTarget.of("restricted");
		AcquireRequest first = new AcquireRequest(target, "first", "r1", Duration.ofMinutes(1));
		AcquireRequest second = new AcquireRequest(target, "second", "r2", Duration.ofMinutes(1), 1,
				Duration.ofSeconds(1), new AcquireRequest.Attempt(7));
		CompletableFuture<HandOver> told = new CompletableFuture<>();
		try (LockStore store = RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults())) {
			store.listen(listener(told));
			Awaitility.await()
				.ignoreExceptions()
				.until(() -> join(store.acquire(first)) instanceof AcquireReply.Granted);
			Awaitility.await()
				.until(() -> join(store.acquire(second)) instanceof AcquireReply.Held held && held.notified());

			store.release(first, Duration.ZERO);

			assertThat(told).succeedsWithin(Duration.ofSeconds(10)).extracting(HandOver::requestId).isEqualTo("r2");
		}
		Awaitility.await("the subscription is over").until(() -> !isAnybodySubscribed());
		assertThat(RestrictedUser.refusals(TestRedis.shared().host(), TestRedis.shared().port())).isEmpty();
	}

	private static HandOverListener listener(CompletableFuture<HandOver> told) {
		return new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
				told.complete(handOver);
			}

			@Override
			public void changed() {
			}

		};
	}

	private static <T> T join(CompletionStage<T> reply) {
		return reply.toCompletableFuture().join();
	}

	private static boolean isAnybodySubscribed() {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return connection.serverCommands()
				.getClientList()
				.stream()
				.anyMatch((client) -> !client.get("sub").equals("0"));
		}
	}

}
