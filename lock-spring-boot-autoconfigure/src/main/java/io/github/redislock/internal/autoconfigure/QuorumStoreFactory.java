package io.github.redislock.internal.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

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
	 * @param nodes the addresses of the servers
	 * @param timeout how long to wait for each server
	 * @param options how to use each server
	 */
	LockStore create(List<String> nodes, Duration timeout, RedisLockStoreOptions options);

	/**
	 * Connect to one server after the other. Blocks.
	 * @param nodes the addresses of the servers
	 * @param timeout how long to wait for each server
	 * @param visitor called with a connection factory that is destroyed after the call
	 */
	void visit(List<String> nodes, Duration timeout, Consumer<RedisConnectionFactory> visitor);

}
