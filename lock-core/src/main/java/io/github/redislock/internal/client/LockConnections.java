package io.github.redislock.internal.client;

import java.time.Duration;

import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The source of blocking connections. Thread-safe.
 */
public interface LockConnections extends AutoCloseable {

	/**
	 * Return a connection, to be closed by the caller. May block until another one is
	 * closed.
	 * @throws RuntimeException the client's exception, if Redis cannot be reached
	 */
	RedisConnection open();

	/**
	 * Return how many connections may be idle, and may therefore turn out to be broken at
	 * their next use; 0 if unknown.
	 */
	int idle();

	/**
	 * Return a connection for a thread that must not wait for one.
	 * @param timeout how long that thread may wait for a reply
	 * @return {@code null} if none is idle
	 */
	default @Nullable RedisConnection openIdle(Duration timeout) {
		return null;
	}

	@Override
	void close();

	/**
	 * Return connections from an application's factory of unknown type. Logs this,
	 * because the application's timeouts and limits then apply to locks.
	 */
	static LockConnections of(RedisConnectionFactory application) {
		LogFactory.getLog(LockConnections.class)
			.info("Locks use the connections of a %s, with its timeouts and limits".formatted(application.getClass()));
		return new LockConnections() {

			@Override
			public RedisConnection open() {
				return application.getConnection();
			}

			@Override
			public int idle() {
				return 0;
			}

			@Override
			public void close() {
				// The application closes the factory.
			}

		};
	}

}
