package io.github.redislock.redis;

import java.time.Duration;

import io.github.redislock.internal.client.Subscriber.Events;
import io.github.redislock.store.StoreStatus;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what a store reports about itself, and how often it opens its connections. Runs
 * in virtual time without a Redis.
 */
class RedisLockStoreStatusTests {

	private static final RedisLockStoreOptions OPTIONS = RedisLockStoreOptions.defaults();

	private final ScriptedRedis redis = new ScriptedRedis();

	@AutoClose
	private final RedisLockStore store = this.redis.store(OPTIONS, false, false, false);

	@Test
	void statusForDisplayDoesNotSubscribe() {
		assertThat(this.store.status(false)).isEqualTo(StoreStatus.SILENT);
		assertThat(this.redis.subscriptions()).isEmpty();

		assertThat(this.store.status(true)).isEqualTo(StoreStatus.SILENT);
		assertThat(this.redis.subscriptions()).hasSize(1);
	}

	@Test
	void statusReportsWhetherMessagesArriveAndWhyNot() {
		this.store.status(true);
		Events subscription = this.redis.subscriptions().get(0);

		subscription.subscribed();
		assertThat(this.store.status(true)).isEqualTo(StoreStatus.NOTIFIED);
		assertThat(this.store.status(false)).isEqualTo(StoreStatus.NOTIFIED);

		subscription.interrupted();
		this.redis.timer().advance(Duration.ofSeconds(6));
		StoreStatus status = this.store.status(false);
		assertThat(status.notifiedOfForce()).isFalse();
		assertThat(status.trouble()).contains("is not back yet");
		assertThat(this.store.status(true)).isEqualTo(StoreStatus.SILENT);
	}

	/** In a Cluster, clients other than Lettuce receive only hand-overs. */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void subscriptionThatIsNotOpenForHoldersIsNotReportedInACluster(boolean listensWhileHolding) {
		RedisLockStore clustered = this.redis.store(OPTIONS, true, listensWhileHolding, false);
		this.redis.refuse(clustered, "you/r2\t33\t7", 5_000);
		this.redis.subscriptions().get(0).subscribed();

		StoreStatus expected = listensWhileHolding ? StoreStatus.NOTIFIED : StoreStatus.SILENT;
		assertThat(clustered.status(true)).isEqualTo(expected);
		assertThat(clustered.status(false)).isEqualTo(expected);
	}

	@Test
	void connectionsAreOpenedOnceAndReopenedOnlyAfterClose() {
		this.store.listen(new Heard());
		assertThat(this.redis.links()).isEqualTo(1);

		this.store.close();
		assertThat(this.redis.links()).isEqualTo(1);
		this.store.listen(new Heard());
		assertThat(this.redis.links()).isEqualTo(2);
		this.store.listen(new Heard());
		assertThat(this.redis.links()).isEqualTo(2);
	}

}
