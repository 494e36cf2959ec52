package io.github.redislock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

import org.springframework.core.task.SimpleAsyncTaskExecutor;
import org.springframework.core.task.SyncTaskExecutor;
import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.MessageListener;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.SubscriptionListener;
import org.springframework.data.redis.listener.ChannelTopic;
import org.springframework.data.redis.listener.RedisMessageListenerContainer;

/**
 * Subscribes through any connection factory of Spring Data Redis, whose listener
 * container connects again after a failure. It does not tell of an interruption before it
 * is over.
 */
final class ListenerContainerSubscriber implements Subscriber {

	private static final long RECOVERY_MILLIS = 500;

	private final RedisConnectionFactory connectionFactory;

	ListenerContainerSubscriber(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	@Override
	public Subscription subscribe(String channel, Events events) {
		SimpleAsyncTaskExecutor threads = new SimpleAsyncTaskExecutor("redis-lock-inbox-");
		threads.setDaemon(true);
		RedisMessageListenerContainer container = new RedisMessageListenerContainer();
		container.setConnectionFactory(this.connectionFactory);
		container.setSubscriptionExecutor(threads);
		// In the order in which they come.
		container.setTaskExecutor(new SyncTaskExecutor());
		container.setRecoveryInterval(RECOVERY_MILLIS);
		container.addMessageListener(new Listener(events), ChannelTopic.of(channel));
		container.afterPropertiesSet();
		Subscription subscription = new ContainerSubscription(container);
		try {
			container.start();
		}
		catch (RuntimeException ex) {
			subscription.end();
			throw ex;
		}
		return subscription;
	}

	/**
	 * A container that was started.
	 */
	private record ContainerSubscription(RedisMessageListenerContainer container) implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			return this.container.isListening() ? CompletableFuture.completedFuture(null)
					: CompletableFuture.failedFuture(new IllegalStateException("The subscription has ended"));
		}

		/**
		 * On another thread: it may take seconds while Redis is away.
		 */
		@Override
		public CompletionStage<?> end() {
			return CompletableFuture.runAsync(() -> {
				try {
					this.container.destroy();
				}
				catch (Exception ex) {
					throw new IllegalStateException("The subscription could not be ended", ex);
				}
			});
		}

	}

	/**
	 * Passes on what the container tells.
	 */
	private record Listener(Events events) implements MessageListener, SubscriptionListener {

		@Override
		public void onMessage(Message message, byte @Nullable [] pattern) {
			this.events.message(message.getBody());
		}

		@Override
		public void onChannelSubscribed(byte[] channel, long count) {
			this.events.subscribed();
		}

		@Override
		public void onChannelUnsubscribed(byte[] channel, long count) {
			this.events.interrupted();
		}

	}

}
