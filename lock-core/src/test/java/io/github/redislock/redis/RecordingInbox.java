package io.github.redislock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.redislock.testing.TestRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * A subscription to one channel of the shared Redis that does not use the library.
 */
final class RecordingInbox implements AutoCloseable {

	private final String channel;

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private final StatefulRedisPubSubConnection<String, String> connection;

	RecordingInbox(String channel) {
		this.channel = channel;
		this.connection = ((RedisClient) TestRedis.shared().connectionFactory().getRequiredNativeClient())
			.connectPubSub();
		this.connection.addListener(new RedisPubSubAdapter<String, String>() {

			@Override
			public void message(String from, String message) {
				RecordingInbox.this.messages.add(message);
			}

		});
		this.connection.sync().subscribe(channel);
	}

	/**
	 * Return all messages since the last call. A marker is published first, so everything
	 * published before has arrived.
	 */
	List<String> messages() {
		String end = UUID.randomUUID().toString();
		new StringRedisTemplate(TestRedis.shared().connectionFactory()).convertAndSend(this.channel, end);
		List<String> before = new ArrayList<>();
		for (String next = next(); !next.equals(end); next = next()) {
			before.add(next);
		}
		return before;
	}

	@Override
	public void close() {
		this.connection.close();
	}

	private String next() {
		try {
			String message = this.messages.poll(20, TimeUnit.SECONDS);
			if (message == null) {
				throw new AssertionError("No message on channel '" + this.channel + "'");
			}
			return message;
		}
		catch (InterruptedException ex) {
			throw new AssertionError(ex);
		}
	}

}
