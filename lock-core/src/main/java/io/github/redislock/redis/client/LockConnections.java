package io.github.redislock.redis.client;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Where locks get connections from whose calls block. Thread-safe.
 */
public interface LockConnections extends AutoCloseable {

	/**
	 * Return a connection, to be closed by the caller. Blocks, perhaps until another one
	 * is closed.
	 * @throws RuntimeException of the client, if Redis cannot be reached
	 */
	RedisConnection open();

	/**
	 * Return how many connections may lie idle, and so may be found broken when they are
	 * used again; 0 if that is not known.
	 */
	int idle();

	@Override
	void close();

	/**
	 * Return connections of an application's factory, of which nothing is known.
	 */
	static LockConnections of(RedisConnectionFactory application) {
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
				// It is the application's.
			}

		};
	}

}
