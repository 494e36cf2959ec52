package io.github.redislock.autoconfigure.quorum;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import io.github.redislock.autoconfigure.QuorumStoreFactory;
import io.github.redislock.autoconfigure.RedisLockProperties;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.store.LockStore;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Creates the store on several independent servers, which are separate from the
 * application's own Redis.
 */
final class LettuceQuorumStoreFactory implements QuorumStoreFactory {

	@Override
	public LockStore create(RedisLockProperties properties, RedisLockStoreOptions options) {
		if (StringUtils.hasText(properties.connectionFactory())) {
			throw new LockSetupException(
					"Both 'redis-lock.quorum.nodes' and 'redis-lock.connection-factory' say where locks are kept.",
					"Remove one of them.", null);
		}
		if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", null)) {
			throw new LockSetupException("'redis-lock.quorum.nodes' needs Lettuce, which is not on the class path.",
					"Add the dependency 'io.lettuce:lettuce-core', or declare a bean of type LockStore with"
							+ " QuorumLockStore.create(...) and connection factories of your client.",
					null);
		}
		List<LettuceConnectionFactory> nodes = addresses(properties).stream()
			.map((address) -> connectionFactory(address, properties))
			.toList();
		try {
			return QuorumLockStore.create(nodes, options);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Locks cannot be kept on this quorum: %s.".formatted(ex.getMessage()),
					"Correct 'redis-lock.quorum.nodes', or remove the settings that do not work with it.", ex);
		}
	}

	@Override
	public void visit(RedisLockProperties properties, BiConsumer<String, RedisConnectionFactory> visitor) {
		for (QuorumNodeAddress address : addresses(properties)) {
			LettuceConnectionFactory node = connectionFactory(address, properties);
			node.afterPropertiesSet();
			node.start();
			try {
				visitor.accept(address.toString(), node);
			}
			finally {
				node.destroy();
			}
		}
	}

	private static LettuceConnectionFactory connectionFactory(QuorumNodeAddress address,
			RedisLockProperties properties) {
		return address.connectionFactory(properties.quorum().nodeTimeout());
	}

	private static List<QuorumNodeAddress> addresses(RedisLockProperties properties) {
		List<QuorumNodeAddress> addresses = new ArrayList<>();
		for (String node : properties.quorum().nodes()) {
			addresses.add(QuorumNodeAddress.parse(node, addresses.size() + 1));
		}
		return addresses;
	}

}
