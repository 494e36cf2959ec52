package io.github.redislock.redis.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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
 * A listener container decides by the type of the factory: behind a wrapper it takes
 * Lettuce for a blocking client, and ends the subscription at once.
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
		Listening listening = new Listening(channels.stream().map(ConnectionSubscriber::bytes).toArray(byte[][]::new),
				Subscriber.isPattern(channels.get(0)), events);
		Thread thread = newThread(listening);
		listening.thread = thread;
		thread.start();
		return listening;
	}

	private static Thread newThread(Runnable task) {
		Thread thread = new Thread(task, "redis-lock-inbox");
		thread.setDaemon(true);
		return thread;
	}

	private static byte[] bytes(String channel) {
		return channel.getBytes(StandardCharsets.UTF_8);
	}

	/**
	 * Listens, and begins again when the connection was lost.
	 */
	private final class Listening implements Runnable, Subscriber.Subscription, MessageListener, SubscriptionListener {

		private final byte[][] channels;

		private final boolean patterns;

		private final Events events;

		private final CountDownLatch end = new CountDownLatch(1);

		private final CompletableFuture<Void> ended = new CompletableFuture<>();

		private final Set<String> added = ConcurrentHashMap.newKeySet();

		/** Completes with the last change of the added channels. Guarded by that set. */
		private CompletableFuture<?> changes = CompletableFuture.completedFuture(true);

		private volatile @Nullable RedisConnection connection;

		private volatile @Nullable Thread thread;

		Listening(byte[][] channels, boolean patterns, Events events) {
			this.channels = channels;
			this.patterns = patterns;
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
					this.events.failed(ex);
				}
				this.events.interrupted();
			}
			while (!isEnded());
			this.ended.complete(null);
		}

		/**
		 * Listen on one connection. Some clients block while they listen, others return
		 * at once.
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
				if (this.patterns) {
					open.pSubscribe(this, channelsFor(open));
				}
				else {
					open.subscribe(this, channelsFor(open));
				}
			}
			catch (Throwable ex) {
				if (Clients.JEDIS_PRESENT) {
					// Closing ends even a refused subscription. The reply to it
					// that would be read as the reply to the next command.
					JedisLockConnections.discard(open);
				}
				throw ex;
			}
		}

		/**
		 * Return the channels to subscribe to. In a Cluster, Jedis refuses several
		 * channels, as if they had slots; the first is the essential one.
		 */
		private byte[][] channelsFor(RedisConnection open) {
			return (open instanceof RedisClusterConnection) ? new byte[][] { this.channels[0] } : this.channels;
		}

		/**
		 * Wait briefly for the end.
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
		public void onPatternSubscribed(byte[] subscribedTo, long count) {
			onChannelSubscribed(subscribedTo, count);
		}

		@Override
		public void onChannelSubscribed(byte[] subscribedTo, long count) {
			if (this.end.getCount() == 0) {
				// Ended before it began.
				unsubscribe();
				return;
			}
			if (Arrays.equals(subscribedTo, this.channels[0]) && !this.added.isEmpty()) {
				// A new connection has no subscriptions.
				change(this.added, true);
			}
			this.events.subscribed();
		}

		@Override
		public void add(String channel) {
			this.added.add(channel);
			change(List.of(channel), true);
		}

		@Override
		public void remove(String channel) {
			this.added.remove(channel);
			change(List.of(channel), false);
		}

		/**
		 * Add or remove channels, after all earlier changes. On another thread: some
		 * clients wait for the reply.
		 */
		private void change(Collection<String> which, boolean add) {
			synchronized (this.added) {
				// Not thenRunAsync: an error must not stop all later changes.
				this.changes = this.changes.handleAsync((done, failure) -> {
					changeNow(which, add);
					return true;
				}, (task) -> newThread(task).start());
			}
		}

		private void changeNow(Collection<String> which, boolean add) {
			RedisConnection present = this.connection;
			if (present == null || present.getSubscription() == null) {
				return;
			}
			try {
				for (String channel : which) {
					if (add) {
						present.getSubscription().subscribe(bytes(channel));
					}
					else {
						present.getSubscription().unsubscribe(bytes(channel));
					}
				}
			}
			catch (RuntimeException ex) {
				logger.debug("A channel could not be added or removed", ex);
			}
		}

		@Override
		public CompletionStage<?> ping() {
			RedisConnection present = this.connection;
			return (present != null && present.isSubscribed()) ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(new IllegalStateException("The subscription has ended"));
		}

		@Override
		public CompletionStage<?> end() {
			this.end.countDown();
			Thread present = this.thread;
			if (this.connection == null && present != null) {
				// It may wait for a connection that it no longer needs.
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
