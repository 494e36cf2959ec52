package io.github.redislock.redis;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.transaction.SpringTransactions;
import io.github.redislock.store.LockStore;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The entry point for distributed locks on Redis.
 * <p>
 * The starter creates a template. Without the starter, create one: <pre class="code">
 * RedisLockTemplate locks = new RedisLockTemplate(connectionFactory);
 * locks.execute(LockTarget.of("inventory", id), () -&gt; repository.decrease(id, 1));
 * </pre> A lock that is acquired in a Spring transaction is released after the
 * transaction. Thread-safe; create it once and close it when the application ends.
 */
public class RedisLockTemplate extends LockTemplate {

	/**
	 * Create a template with built-in options.
	 * @param connectionFactory the address and credentials of Redis
	 */
	public RedisLockTemplate(RedisConnectionFactory connectionFactory) {
		this(RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults()), LockConfiguration.defaults());
	}

	/**
	 * Create a template that keeps its locks in a store.
	 * @param store the store, which in production is a {@link RedisLockStore} or a store
	 * on a quorum of servers; closed together with this template
	 * @param configuration the configuration of the template
	 */
	public RedisLockTemplate(LockStore store, LockConfiguration configuration) {
		super(store, configuration, SpringTransactions::of);
	}

	/**
	 * End all waits, release all locks if the store can be reached, and close the store.
	 * Later requests for a lock are refused. This method waits for holders as set by
	 * {@link LockConfiguration#closeWait}, then up to 5 s for replies of the store, and
	 * up to 1 s for actions that run after a loss. Closing twice is harmless.
	 */
	@Override
	public void close() {
		super.close();
	}

}
