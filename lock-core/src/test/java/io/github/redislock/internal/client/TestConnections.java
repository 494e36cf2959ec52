package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.function.Supplier;

import org.springframework.data.redis.connection.RedisConnection;

/**
 * Connections that a test opens. There is always an idle one for a caller.
 */
record TestConnections(int idle, Supplier<RedisConnection> opening, Runnable closing) implements LockConnections {

	TestConnections(int idle, Supplier<RedisConnection> opening) {
		this(idle, opening, () -> {
		});
	}

	@Override
	public RedisConnection open() {
		return this.opening.get();
	}

	@Override
	public RedisConnection openIdle(Duration timeout) {
		return open();
	}

	@Override
	public void close() {
		this.closing.run();
	}

}
