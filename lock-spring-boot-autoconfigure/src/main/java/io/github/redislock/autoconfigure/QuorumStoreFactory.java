package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.autoconfigure.RedisServerCheck.Finding;
import io.github.redislock.interceptor.declaration.LockSetupException;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.github.redislock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Creates the store on several independent servers, which are separate from the
 * application's own Redis.
 */
final class QuorumStoreFactory {

	private QuorumStoreFactory() {
	}

	/**
	 * Create the store, which opens and closes its own connections.
	 */
	static LockStore create(RedisLockProperties properties, RedisLockStoreOptions options,
			@Nullable ClassLoader classLoader) {
		if (StringUtils.hasText(properties.getConnectionFactory())) {
			throw new LockSetupException(
					"Both 'redis-lock.quorum.nodes' and 'redis-lock.connection-factory' say where locks are kept.",
					"Remove one of them.", null);
		}
		if (!ClassUtils.isPresent("io.lettuce.core.RedisClient", classLoader)) {
			throw new LockSetupException("'redis-lock.quorum.nodes' needs Lettuce, which is not on the class path.",
					"Add the dependency 'io.lettuce:lettuce-core', or declare a bean of type LockStore with"
							+ " QuorumLockStore.create(...) and connection factories of your client.",
					null);
		}
		Duration timeout = properties.getQuorum().getNodeTimeout();
		List<LettuceConnectionFactory> nodes = addresses(properties).stream()
			.map((address) -> address.connectionFactory(timeout))
			.toList();
		try {
			return QuorumLockStore.create(nodes, options);
		}
		catch (IllegalArgumentException ex) {
			throw new LockSetupException("Locks cannot be kept on this quorum: %s.".formatted(ex.getMessage()),
					"Correct 'redis-lock.quorum.nodes', or remove what does not work with it.", ex);
		}
	}

	/**
	 * Check whether each server is configured for locks. Blocks.
	 */
	static List<Finding> check(RedisLockProperties properties, RedisLockStoreOptions options) {
		List<Finding> findings = new ArrayList<>();
		for (QuorumNodeAddress address : addresses(properties)) {
			LettuceConnectionFactory node = address.connectionFactory(properties.getQuorum().getNodeTimeout());
			node.afterPropertiesSet();
			node.start();
			try {
				List<Finding> found = new RedisServerCheck(node, options).run();
				((found != null) ? found : List.<Finding>of()).forEach((finding) -> findings
					.add(new Finding("Node %s: %s".formatted(address, finding.problem()), finding.remedy())));
			}
			finally {
				node.destroy();
			}
		}
		return findings;
	}

	private static List<QuorumNodeAddress> addresses(RedisLockProperties properties) {
		List<QuorumNodeAddress> addresses = new ArrayList<>();
		for (String node : properties.getQuorum().getNodes()) {
			addresses.add(QuorumNodeAddress.parse(node, addresses.size() + 1));
		}
		return addresses;
	}

}
