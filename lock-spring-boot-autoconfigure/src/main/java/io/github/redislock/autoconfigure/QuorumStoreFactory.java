package io.github.redislock.autoconfigure;

import java.util.function.BiConsumer;

import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.store.LockStore;

import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Creates the store on the servers of {@code redis-lock.quorum.nodes}. The implementation
 * is in {@code lock-quorum}, and {@link SpringFactoriesLoader} finds it.
 */
public interface QuorumStoreFactory {

	/**
	 * Create the store, which opens and closes its own connections.
	 * @param options how to use each server
	 */
	LockStore create(RedisLockProperties properties, RedisLockStoreOptions options);

	/**
	 * Connect to one server after the other. Blocks.
	 * @param visitor called with the name of a server, for messages, and with a
	 * connection factory that is destroyed after the call
	 */
	void visit(RedisLockProperties properties, BiConsumer<String, RedisConnectionFactory> visitor);

}
