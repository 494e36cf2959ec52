package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Creates the store on several independent servers, which are separate from the
 * application's own Redis.
 */
final class QuorumStoreFactory {

	private static final String STORE = "io.github.redislock.redis.quorum.QuorumLockStore";

	private QuorumStoreFactory() {
	}

	/**
	 * Create the store, which opens and closes its own connections.
	 * @param nodes the addresses of the servers
	 * @param timeout how long to wait for each server
	 * @param options how to use each server
	 * @param classLoader finds {@code lock-quorum} and Lettuce, which are optional
	 */
	static LockStore create(List<String> nodes, Duration timeout, RedisLockStoreOptions options,
			@Nullable ClassLoader classLoader) {
		if (!ClassUtils.isPresent(STORE, classLoader)) {
			throw new LockSetupException("'redis-lock.quorum.nodes' is set, but lock-quorum is not on the class path.",
					"Add the dependency 'io.github.redislock:lock-quorum', or remove 'redis-lock.quorum.nodes'.", null);
		}
		if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", classLoader)) {
			throw new LockSetupException("'redis-lock.quorum.nodes' needs Lettuce, which is not on the class path.",
					"Add the dependency 'io.lettuce:lettuce-core', or declare a bean of type LockStore with"
							+ " QuorumLockStore.create(...) and connection factories of your client.",
					null);
		}
		List<LettuceConnectionFactory> connectionFactories = connectionFactories(nodes, timeout);
		try {
			return QuorumLockStore.create(connectionFactories, options);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Locks cannot be kept on this quorum: %s.".formatted(ex.getMessage()),
					"Correct 'redis-lock.quorum.nodes', or remove the settings that do not work with it.", ex);
		}
	}

	/**
	 * Connect to one server after the other. Blocks.
	 * @param nodes the addresses of the servers
	 * @param timeout how long to wait for each server
	 * @param visitor called with a connection factory that is destroyed after the call
	 */
	static void visit(List<String> nodes, Duration timeout, Consumer<RedisConnectionFactory> visitor) {
		connectionFactories(nodes, timeout).forEach((node) -> {
			node.start();
			try {
				visitor.accept(node);
			}
			finally {
				node.destroy();
			}
		});
	}

	private static List<LettuceConnectionFactory> connectionFactories(List<String> nodes, Duration timeout) {
		return IntStream.range(0, nodes.size())
			.mapToObj((index) -> QuorumNodeAddress.connectionFactory(nodes.get(index), index + 1, timeout))
			.toList();
	}

}
