package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Subscribes over a separate Lettuce connection. Lettuce itself reconnects and subscribes
 * again.
 */
public final class LettuceSubscriber implements Subscriber {

	private final LockConnectionFactory connectionFactory;

	public LettuceSubscriber(LockConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	@Override
	public Subscription subscribe(List<String> channels, Events events) {
		StatefulRedisPubSubConnection<byte[], byte[]> connection = this.connectionFactory.connectPubSub();
		connection.addListener(new RedisPubSubAdapter<byte[], byte[]>() {

			@Override
			public void subscribed(byte[] subscribedTo, long count) {
				events.subscribed();
			}

			@Override
			public void message(byte[] from, byte[] message) {
				events.message(message);
			}

		});
		connection.addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
				events.interrupted();
			}

		});
		try {
			for (String channel : channels) {
				// Subscribe to one channel at a time, because some services refuse
				// channels of several slots.
				connection.sync().subscribe(channel.getBytes(StandardCharsets.UTF_8));
			}
		}
		catch (RuntimeException ex) {
			connection.closeAsync();
			throw ex;
		}
		return new PubSubConnection(connection);
	}

	/**
	 * A subscribed connection.
	 */
	private record PubSubConnection(StatefulRedisPubSubConnection<byte[], byte[]> connection) implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			return this.connection.async().ping();
		}

		@Override
		public CompletionStage<Void> end() {
			return this.connection.closeAsync();
		}

	}

}
