package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.github.redislock.internal.support.DaemonThreads;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.SubscriptionListener;

/**
 * Subscribes through any connection factory of Spring Data Redis, on a separate thread.
 * <p>
 * Does not use Spring's listener container, which infers the client from the type of the
 * factory. If the factory is a wrapper, the container takes Lettuce for a blocking client
 * and ends the subscription at once.
 */
public final class ConnectionSubscriber implements Subscriber {

	private static final Log logger = LogFactory.getLog(ConnectionSubscriber.class);

	private static final long PAUSE_MILLIS = 500;

	private final LockConnections connections;

	public ConnectionSubscriber(LockConnections connections) {
		this.connections = connections;
	}

	@Override
	public Subscriber.Subscription subscribe(List<String> channels, Events events) {
		byte[][] names = channels.stream()
			.map((channel) -> channel.getBytes(StandardCharsets.UTF_8))
			.toArray(byte[][]::new);
		Listening listening = new Listening(names, events);
		Thread thread = DaemonThreads.create("redis-lock-inbox", listening);
		listening.thread = thread;
		thread.start();
		return listening;
	}

	/**
	 * Listens, and starts again whenever the connection is lost.
	 */
	private final class Listening implements Runnable, Subscriber.Subscription, MessageListener, SubscriptionListener {

		private final byte[][] channels;

		private final Events events;

		private final CountDownLatch end = new CountDownLatch(1);

		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private volatile @Nullable RedisConnection connection;

		private volatile @Nullable Thread thread;

		Listening(byte[][] channels, Events events) {
			this.channels = channels;
			this.events = events;
		}

		@Override
		public void run() {
			do {
				try {
					listen();
				}
				catch (Throwable ex) {
					logger.debug("A subscription was lost, trying again", ex);
				}
				this.events.interrupted();
			}
			while (!isEnded());
			this.ended.complete(null);
		}

		/**
		 * Listen on one connection. Some clients block while they listen, and others
		 * return at once.
		 */
		private void listen() {
			try (RedisConnection open = ConnectionSubscriber.this.connections.open()) {
				this.connection = open;
				subscribe(open);
				while (open.isSubscribed() && !isEnded()) {
					// The client's thread delivers the messages.
				}
			}
			finally {
				this.connection = null;
			}
		}

		private void subscribe(RedisConnection open) {
			try {
				open.subscribe(this, channelsFor(open));
			}
			catch (Throwable ex) {
				if (Clients.JEDIS_PRESENT) {
					// Do not reuse the connection. Closing it also unsubscribes, even
					// though the subscription was refused, and the reply to that would be
					// read as the reply to the next command.
					JedisLockConnections.discard(open);
				}
				throw ex;
			}
		}

		/**
		 * Return the channels to subscribe to. In a Cluster, Jedis refuses several
		 * channels, as if they had slots, so only the essential first one is used.
		 */
		private byte[][] channelsFor(RedisConnection open) {
			return (open instanceof RedisClusterConnection) ? new byte[][] { this.channels[0] } : this.channels;
		}

		/**
		 * Wait briefly, and return whether the subscription was ended.
		 */
		private boolean isEnded() {
			try {
				return this.end.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			}
			catch (InterruptedException ex) {
				return true;
			}
		}

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			this.events.message(message.getBody());
		}

		@Override
		public void onChannelSubscribed(byte[] subscribedTo, long count) {
			if (this.end.getCount() == 0) {
				// The subscription was ended before it began.
				unsubscribe();
				return;
			}
			this.events.subscribed();
		}

		@Override
		public CompletionStage<?> ping() {
			RedisConnection present = this.connection;
			return (present != null && present.isSubscribed()) ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(new IllegalStateException("The subscription has ended"));
		}

		@Override
		public CompletionStage<Void> end() {
			this.end.countDown();
			Thread present = this.thread;
			if (this.connection == null && present != null) {
				// The thread may be waiting for a connection that it no longer needs.
				present.interrupt();
			}
			unsubscribe();
			return this.ended;
		}

		private void unsubscribe() {
			RedisConnection present = this.connection;
			if (present == null || present.getSubscription() == null) {
				return;
			}
			try {
				present.getSubscription().close();
			}
			catch (RuntimeException ex) {
				// Jedis refuses this until it has subscribed.
				logger.debug("A subscription could not be ended yet", ex);
			}
		}

	}

}
