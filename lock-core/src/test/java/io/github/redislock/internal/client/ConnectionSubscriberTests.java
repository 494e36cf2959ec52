package io.github.redislock.internal.client;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;

import static org.assertj.core.api.Assertions.assertThat;

class ConnectionSubscriberTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final List<String> events = new CopyOnWriteArrayList<>();

	private Class<? extends RedisConnection> type = RedisConnection.class;

	private Runnable beforeOpen = () -> {
	};

	private Runnable beforeSubscribed = () -> {
	};

	private volatile boolean open;

	private volatile @Nullable MessageListener listener;

	private volatile Subscriber.@Nullable Subscription subscription;

	@Test
	void messagesArriveAgainAfterAnInterruption() {
		Subscriber.Subscription begun = subscribe();
		awaitEvents("channels [inbox, news]", "subscribed");
		assertThat(begun.ping().toCompletableFuture()).succeedsWithin(PATIENCE);

		this.open = false;

		awaitEvents("channels [inbox, news]", "subscribed", "closed", "interrupted", "channels [inbox, news]",
				"subscribed");
		this.events.clear();
		this.listener.onMessage(new DefaultMessage(bytes("news"), bytes("hello")), null);
		assertThat(begun.end().toCompletableFuture()).succeedsWithin(PATIENCE);
		assertThat(this.events).containsSubsequence("hello", "closed", "interrupted");
		assertThat(begun.ping().toCompletableFuture()).failsWithin(PATIENCE);
	}

	@Test
	void endDoesNotWaitForAConnection() {
		CountDownLatch waiting = new CountDownLatch(1);
		this.beforeOpen = () -> {
			waiting.countDown();
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				throw new RedisConnectionFailureException("interrupted", ex);
			}
		};
		Subscriber.Subscription begun = subscribe();
		Awaitility.await().until(() -> waiting.getCount() == 0);

		CompletionStage<Void> end = begun.end();

		assertThat(end.toCompletableFuture()).succeedsWithin(PATIENCE);
	}

	@Test
	void subscriptionThatIsEndedBeforeItBeginsIsNotReported() {
		this.beforeSubscribed = () -> {
			Awaitility.await().until(() -> this.subscription != null);
			this.subscription.end();
		};
		this.subscription = subscribe();

		awaitEvents("channels [inbox, news]", "unsubscribed", "closed", "interrupted");
	}

	/**
	 * Jedis refuses several channels there.
	 */
	@Test
	void subscriptionInAClusterIsToTheEssentialChannelOnly() {
		this.type = RedisClusterConnection.class;
		Subscriber.Subscription begun = subscribe();

		awaitEvents("channels [inbox]", "subscribed");
		begun.end();
	}

	private void awaitEvents(String... expected) {
		Awaitility.await().untilAsserted(() -> assertThat(this.events).containsExactly(expected));
	}

	private Subscriber.Subscription subscribe() {
		return new ConnectionSubscriber(new TestConnections()).subscribe(List.of("inbox", "news"),
				new Subscriber.Events() {

					@Override
					public void subscribed() {
						ConnectionSubscriberTests.this.events.add("subscribed");
					}

					@Override
					public void interrupted() {
						ConnectionSubscriberTests.this.events.add("interrupted");
					}

					@Override
					public void message(byte[] message) {
						ConnectionSubscriberTests.this.events.add(new String(message, StandardCharsets.UTF_8));
					}

				});
	}

	private @Nullable Object call(String method, Object[] arguments) {
		switch (method) {
			case "isSubscribed":
				return this.open;
			case "getSubscription":
				return this.open ? proxy(org.springframework.data.redis.connection.Subscription.class,
						(proxy, called, given) -> unsubscribe()) : null;
			case "subscribe":
				this.events.add("channels " + Arrays.stream((byte[][]) arguments[1]).map(String::new).toList());
				this.listener = (MessageListener) arguments[0];
				this.beforeSubscribed.run();
				this.open = true;
				((SubscriptionListener) this.listener).onChannelSubscribed(bytes("inbox"), 1);
				return null;
			case "close":
				this.events.add("closed");
				return null;
			default:
				return null;
		}
	}

	private @Nullable Object unsubscribe() {
		this.events.add("unsubscribed");
		this.open = false;
		return null;
	}

	private <T> T proxy(Class<T> type, InvocationHandler handler) {
		return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type }, handler));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Connections that subscribe and return at once, as those of Lettuce.
	 */
	private final class TestConnections implements LockConnections {

		@Override
		public RedisConnection open() {
			ConnectionSubscriberTests.this.beforeOpen.run();
			return proxy(ConnectionSubscriberTests.this.type,
					(proxy, method, arguments) -> call(method.getName(), arguments));
		}

		@Override
		public int idle() {
			return 0;
		}

		@Override
		public void close() {
			// Each subscription closes its connection.
		}

	}

}
