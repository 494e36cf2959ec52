package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockStore;
import io.github.redislock.LockTemplate;
import io.github.redislock.transaction.SpringTransactions;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * The entry point: distributed locks on Redis.
 * <p>
 * Auto-configured by the starter; by hand: <pre class="code">
 * RedisLockTemplate locks = new RedisLockTemplate(connectionFactory);
 * locks.execute("inventory:" + id, () -&gt; repository.decrease(id, 1));
 * </pre> A lock that is taken inside one of Spring's transactions is let go when that has
 * ended. Thread-safe; made once and closed when the application ends.
 */
public class RedisLockTemplate extends LockTemplate {

	/**
	 * Create a template with built-in options.
	 * @param connectionFactory where Redis is and how to log in
	 */
	public RedisLockTemplate(RedisConnectionFactory connectionFactory) {
		this(RedisLockStore.create(connectionFactory, RedisLockStoreOptions.defaults()), LockConfiguration.defaults());
	}

	/**
	 * Create a template that keeps its locks in a store.
	 * @param store in production a {@link RedisLockStore} or {@link QuorumLockStore};
	 * closed together with this template
	 * @param configuration how to work
	 */
	public RedisLockTemplate(LockStore store, LockConfiguration configuration) {
		super(store, configuration, SpringTransactions.guarded());
	}

	/**
	 * Create a template that keeps its locks on several independent servers, more than
	 * half of which decide, with built-in options for a quorum.
	 * @param connectionFactories where they are and how to log in: an odd number, at
	 * least three, none twice, no Cluster, no Sentinel
	 * @return a new template
	 * @throws IllegalArgumentException if a quorum cannot be made of them
	 */
	public static RedisLockTemplate quorum(List<? extends RedisConnectionFactory> connectionFactories) {
		return quorum(connectionFactories, RedisLockStoreOptions.quorum(), LockConfiguration.defaults());
	}

	/**
	 * Create a template that keeps its locks on several independent servers, more than
	 * half of which decide.
	 * @param connectionFactories where they are and how to log in: an odd number, at
	 * least three, none twice, no Cluster, no Sentinel
	 * @param options how to use each of them; begin with
	 * {@link RedisLockStoreOptions#quorum()}
	 * @param configuration how to work
	 * @return a new template
	 * @throws IllegalArgumentException if a quorum cannot be made of them
	 */
	public static RedisLockTemplate quorum(List<? extends RedisConnectionFactory> connectionFactories,
			RedisLockStoreOptions options, LockConfiguration configuration) {
		return new RedisLockTemplate(QuorumLockStore.create(connectionFactories, options), configuration);
	}

}
