package io.github.redislock.internal.client;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.DefaultMessage;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.Subscription;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.connection.jedis.JedisConnection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class ConnectionSubscriberTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	/** What happened, in order. */
	private final List<String> story = new CopyOnWriteArrayList<>();

	private final List<List<String>> channels = new CopyOnWriteArrayList<>();

	private Class<? extends RedisConnection> type = RedisConnection.class;

	@Test
	void lostSubscriptionIsReportedAndOpenedAgain() {
		Subscriber.Subscription subscription = subscribe(() -> connection((listener) -> {
			begin(listener);
			((MessageListener) listener)
				.onMessage(new DefaultMessage(new byte[0], "hello".getBytes(StandardCharsets.UTF_8)), null);
		}, false, () -> null));

		await().until(() -> Collections.frequency(this.story, "hello") == 2);

		assertThat(this.story).startsWith("subscribed", "hello", "closed", "interrupted", "subscribed", "hello");
		assertThat(this.channels).startsWith(List.of("inbox", "news"), List.of("inbox", "news"));
		end(subscription);
		assertThat(subscription.ping().toCompletableFuture()).failsWithin(PATIENCE);
	}

	/**
	 * Jedis refuses several channels there.
	 */
	@Test
	void subscriptionInAClusterIsToTheEssentialChannelOnly() {
		this.type = RedisClusterConnection.class;
		Subscriber.Subscription subscription = subscribe(() -> connection(this::begin, false, () -> null));

		await().until(() -> this.story.contains("subscribed"));

		assertThat(this.channels).startsWith(List.of("inbox"));
		end(subscription);
	}

	/**
	 * A client that blocks has no subscription to close until Redis has replied.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void endClosesTheSubscriptionEvenIfItBeginsLater(boolean later) throws Exception {
		CompletableFuture<SubscriptionListener> listening = new CompletableFuture<>();
		CompletableFuture<Boolean> unsubscribed = new CompletableFuture<>();
		AtomicReference<@Nullable Subscription> present = new AtomicReference<>();
		Subscriber.Subscription subscription = subscribe(() -> connection((listener) -> {
			listening.complete(listener);
			unsubscribed.join();
		}, false, present::get));
		SubscriptionListener listener = listening.get(10, TimeUnit.SECONDS);
		Runnable beginning = () -> {
			present.set(subscription(() -> unsubscribed.complete(true)));
			begin(listener);
		};
		if (!later) {
			beginning.run();
		}

		CompletionStage<Void> end = subscription.end();
		if (later) {
			beginning.run();
		}

		assertThat(end.toCompletableFuture()).succeedsWithin(PATIENCE);
		assertThat(this.story)
			.isEqualTo(later ? List.of("closed", "interrupted") : List.of("subscribed", "closed", "interrupted"));
	}

	@Test
	void subscriptionThatCannotBeClosedEndsWithItsConnection() {
		Subscriber.Subscription subscription = subscribe(() -> connection(this::begin, true, () -> subscription(() -> {
			throw new RedisSystemException("not subscribed", null);
		})));
		await().until(() -> this.story.contains("subscribed"));

		end(subscription);

		assertThat(this.story).containsExactly("subscribed", "closed", "interrupted");
	}

	@Test
	void endInterruptsTheWaitForAConnection() {
		Subscriber.Subscription subscription = subscribe(() -> {
			this.story.add("waiting");
			try {
				new CountDownLatch(1).await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
			throw new RedisConnectionFailureException("interrupted");
		});
		await().until(() -> this.story.contains("waiting"));

		end(subscription);

		assertThat(this.story).containsExactly("waiting", "interrupted");
	}

	@Test
	@SuppressWarnings("removal")
	void jedisConnectionIsNotUsedAgainAfterARefusedSubscription() {
		Jedis jedis = new Jedis();
		Subscriber.Subscription subscription = subscribe(() -> new JedisConnection(jedis) {

			@Override
			public void subscribe(MessageListener listener, byte[]... channels) {
				throw new RedisSystemException("NOPERM", null);
			}

			@Override
			public void close() {
				ConnectionSubscriberTests.this.story.add("closed, broken: " + jedis.getConnection().isBroken());
			}

		});

		await().until(() -> this.story.contains("interrupted"));

		assertThat(this.story).startsWith("closed, broken: true");
		end(subscription);
	}

	private Subscriber.Subscription subscribe(Supplier<RedisConnection> opening) {
		return new ConnectionSubscriber(new TestConnections(0, opening)).subscribe(List.of("inbox", "news"),
				new RecordedEvents(this.story));
	}

	private static void end(Subscriber.Subscription subscription) {
		assertThat(subscription.end().toCompletableFuture()).succeedsWithin(PATIENCE);
	}

	private void begin(SubscriptionListener listener) {
		listener.onChannelSubscribed(new byte[0], 1);
	}

	/**
	 * Return a connection without a Redis.
	 * @param subscribing is passed the listener, and returns when the client does
	 * @param subscribed whether the connection is subscribed after that
	 */
	private RedisConnection connection(Consumer<SubscriptionListener> subscribing, boolean subscribed,
			Supplier<@Nullable Subscription> present) {
		return (RedisConnection) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { this.type },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "subscribe" -> {
						this.channels.add(Arrays.stream((byte[][]) arguments[1]).map(String::new).toList());
						subscribing.accept((SubscriptionListener) arguments[0]);
						yield null;
					}
					case "isSubscribed" -> subscribed;
					case "getSubscription" -> present.get();
					default -> this.story.add("closed");
				});
	}

	private static Subscription subscription(Runnable closing) {
		return (Subscription) Proxy.newProxyInstance(Subscription.class.getClassLoader(),
				new Class<?>[] { Subscription.class }, (proxy, method, arguments) -> {
					closing.run();
					return null;
				});
	}

}
