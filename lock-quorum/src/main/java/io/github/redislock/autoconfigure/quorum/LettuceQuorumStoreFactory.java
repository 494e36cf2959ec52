package io.github.redislock.autoconfigure.quorum;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.redislock.internal.autoconfigure.QuorumStoreFactory;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.store.LockStore;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * Creates the store on several independent servers, which are separate from the
 * application's own Redis.
 */
final class LettuceQuorumStoreFactory implements QuorumStoreFactory {

	@Override
	public LockStore create(List<String> nodes, Duration timeout, RedisLockStoreOptions options) {
		if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", null)) {
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

	@Override
	public void visit(List<String> nodes, Duration timeout, Consumer<RedisConnectionFactory> visitor) {
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
