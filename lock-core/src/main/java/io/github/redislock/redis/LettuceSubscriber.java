package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * Subscribes with a Lettuce connection that the locks have for themselves; Lettuce
 * reconnects and subscribes anew.
 */
final class LettuceSubscriber implements Subscriber {

	private final LockConnectionFactory connectionFactory;

	LettuceSubscriber(LockConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
	}

	@Override
	public Subscription subscribe(String channel, Events events) {
		StatefulRedisPubSubConnection<byte[], byte[]> connection = this.connectionFactory.connectPubSub();
		byte[] channelBytes = channel.getBytes(StandardCharsets.UTF_8);
		connection.addListener(new RedisPubSubAdapter<byte[], byte[]>() {

			@Override
			public void subscribed(byte[] subscribedTo, long count) {
				events.subscribed();
			}

			@Override
			public void message(byte[] from, byte[] message) {
				if (Arrays.equals(from, channelBytes)) {
					events.message(message);
				}
			}

		});
		connection.addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
				events.interrupted();
			}

		});
		try {
			connection.sync().subscribe(channelBytes);
		}
		catch (RuntimeException ex) {
			connection.closeAsync();
			throw ex;
		}
		return new PubSubConnection(connection);
	}

	/**
	 * A connection that is subscribed.
	 */
	private record PubSubConnection(StatefulRedisPubSubConnection<byte[], byte[]> connection) implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			return this.connection.async().ping();
		}

		@Override
		public CompletionStage<?> end() {
			return this.connection.closeAsync();
		}

	}

}
