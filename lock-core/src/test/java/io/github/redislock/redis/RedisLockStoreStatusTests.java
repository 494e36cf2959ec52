package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.github.redislock.internal.client.Subscriber.Events;
import io.github.redislock.internal.client.Subscriber.Subscription;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.StoreStatus;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests what a store reports about itself, and how often it opens its connections. Runs
 * in virtual time without a Redis.
 */
class RedisLockStoreStatusTests {

	private final ManualLockTimer timer = new ManualLockTimer();

	private final List<Events> subscriptions = new ArrayList<>();

	private int links;

	@AutoClose
	private final RedisLockStore store = new RedisLockStore(this::open, RedisLockStoreOptions.defaults(), false, false,
			false);

	@Test
	void statusForDisplayDoesNotSubscribe() {
		assertThat(this.store.status(false)).isEqualTo(StoreStatus.SILENT);
		assertThat(this.subscriptions).isEmpty();

		assertThat(this.store.status(true)).isEqualTo(StoreStatus.SILENT);
		assertThat(this.subscriptions).hasSize(1);
	}

	@Test
	void statusReportsWhetherMessagesArriveAndWhyNot() {
		this.store.status(true);
		Events subscription = this.subscriptions.get(0);

		subscription.subscribed();
		assertThat(this.store.status(true)).isEqualTo(StoreStatus.NOTIFIED);
		assertThat(this.store.status(false)).isEqualTo(StoreStatus.NOTIFIED);

		subscription.interrupted();
		this.timer.advance(Duration.ofSeconds(6));
		StoreStatus status = this.store.status(false);
		assertThat(status.notifiedOfForce()).isFalse();
		assertThat(status.trouble()).contains("is not back yet");
		assertThat(this.store.status(true)).isEqualTo(StoreStatus.SILENT);
	}

	@Test
	void connectionsAreOpenedOnceAndReopenedOnlyAfterClose() {
		this.store.listen(new Heard());
		assertThat(this.links).isEqualTo(1);

		this.store.close();
		assertThat(this.links).isEqualTo(1);
		this.store.listen(new Heard());
		assertThat(this.links).isEqualTo(2);
		this.store.listen(new Heard());
		assertThat(this.links).isEqualTo(2);
	}

	private Link open() {
		this.links++;
		Inbox inbox = new Inbox("inbox", "news", (channels, events) -> {
			this.subscriptions.add(events);
			return new Subscribed();
		}, this.timer::nanoTime, Runnable::run);
		return Link.of(new TestScriptRunner(), inbox, RedisLockStoreOptions.defaults(), this.timer::nanoTime);
	}

	private static final class Subscribed implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public CompletionStage<Void> end() {
			return CompletableFuture.completedFuture(null);
		}

	}

}
