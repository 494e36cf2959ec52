package io.github.redislock.benchmarks.contender;

import java.util.concurrent.ExecutionException;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * A Lettuce connection with blocking calls.
 */
final class RawConnection implements AutoCloseable {

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	RawConnection(ClientSettings settings) {
		this.client = RedisClient.create(RedisURI.create(settings.host(), settings.port()));
		this.connection = this.client.connect();
	}

	RedisClient client() {
		return this.client;
	}

	RedisAsyncCommands<String, String> commands() {
		return this.connection.async();
	}

	/**
	 * Load a script and return its digest.
	 */
	String load(String script) {
		return this.connection.sync().scriptLoad(script);
	}

	long run(String digest, String[] keys, String... arguments) {
		RedisFuture<Long> reply = commands().evalsha(digest, ScriptOutputType.INTEGER, keys, arguments);
		Long number = await(reply);
		if (number == null) {
			throw new IllegalStateException("The script returned no number");
		}
		return number;
	}

	static <T> @Nullable T await(RedisFuture<T> reply) {
		try {
			return reply.get();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException(ex);
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException(ex.getCause());
		}
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown();
	}

}
