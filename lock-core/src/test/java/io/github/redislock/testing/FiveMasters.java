package io.github.redislock.testing;

import java.util.List;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Five independent Redis servers, any of which may be frozen, killed and restarted.
 */
public final class FiveMasters implements AutoCloseable {

	private static final int NODES = 5;

	private static @Nullable FiveMasters shared;

	private final List<RedisProcess> nodes;

	private FiveMasters(List<RedisProcess> nodes) {
		this.nodes = nodes;
	}

	/**
	 * Start five servers that reply.
	 * @param options lines of the configuration of each
	 */
	public static FiveMasters start(String... options) {
		List<RedisProcess> nodes = IntStream.range(0, NODES).mapToObj((index) -> RedisProcess.launch(options)).toList();
		nodes.forEach(RedisProcess::awaitReply);
		return new FiveMasters(nodes);
	}

	/**
	 * Return the servers that are shared by all tests of this JVM that break none. They
	 * end with the JVM.
	 */
	public static synchronized FiveMasters shared() {
		FiveMasters present = shared;
		if (present == null) {
			present = start();
			shared = present;
			Runtime.getRuntime().addShutdownHook(new Thread(present::close, "test-masters-stop"));
		}
		return present;
	}

	public List<RedisProcess> nodes() {
		return this.nodes;
	}

	public RedisProcess node(int index) {
		return this.nodes.get(index);
	}

	/**
	 * Return the first servers.
	 */
	public List<RedisProcess> first(int count) {
		return this.nodes.subList(0, count);
	}

	/**
	 * Return a new connection factory for each server. They are closed together with the
	 * servers.
	 */
	public List<RedisConnectionFactory> connectionFactories() {
		return this.nodes.stream().<RedisConnectionFactory>map(RedisProcess::connectionFactory).toList();
	}

	/**
	 * Return the addresses in the format of {@code redis-lock.quorum.nodes}.
	 */
	public List<String> addresses() {
		return this.nodes.stream().map((node) -> "redis://127.0.0.1:" + node.port()).toList();
	}

	/**
	 * Delete all data of all servers. Every server must reply.
	 */
	public void reset() {
		this.nodes.forEach((node) -> node.command("FLUSHALL"));
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisProcess::close);
	}

}
