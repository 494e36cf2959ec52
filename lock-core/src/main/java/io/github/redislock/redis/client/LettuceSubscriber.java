package io.github.redislock.redis.client;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Subscribes with a separate Lettuce connection; Lettuce reconnects and subscribes again.
 */
public final class LettuceSubscriber implements Subscriber {

	private static final Log logger = LogFactory.getLog(LettuceSubscriber.class);

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
			public void psubscribed(byte[] subscribedTo, long count) {
				events.subscribed();
			}

			@Override
			public void message(byte[] from, byte[] message) {
				events.message(message);
			}

			@Override
			public void message(byte[] pattern, byte[] from, byte[] message) {
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
			byte[][] names = channels.stream().map(LettuceSubscriber::bytes).toArray(byte[][]::new);
			if (Subscriber.isPattern(channels.get(0))) {
				connection.sync().psubscribe(names);
			}
			else {
				connection.sync().subscribe(names);
			}
		}
		catch (RuntimeException ex) {
			connection.closeAsync();
			throw ex;
		}
		return new PubSubConnection(connection);
	}

	private static byte[] bytes(String channel) {
		return channel.getBytes(StandardCharsets.UTF_8);
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
		public void add(String channel) {
			this.connection.async().subscribe(bytes(channel)).whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("Channel '%s' could not be subscribed to".formatted(channel), failure);
				}
			});
		}

		@Override
		public void remove(String channel) {
			this.connection.async().unsubscribe(bytes(channel));
		}

		@Override
		public CompletionStage<?> end() {
			return this.connection.closeAsync();
		}

	}

}
