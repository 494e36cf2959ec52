package io.github.redislock.campaign.worker;

import java.util.List;

import io.github.redislock.LockConfiguration;
import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Lettuce;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.lettuce.core.RedisURI;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections and locks of an application.
 */
final class Application implements AutoCloseable {

	private final Lettuce connections;

	private final RedisLockTemplate locks;

	Application(Setup setup) {
		Addresses redis = setup.redis();
		this.connections = new Lettuce(redis, RedisURI.DEFAULT_TIMEOUT_DURATION);
		LockConfiguration configuration = LockConfiguration.defaults().instance(setup.client());
		if (redis.topology() == Topology.QUORUM) {
			List<LettuceConnectionFactory> masters = redis.entrances().stream().map(this.connections::connect).toList();
			this.locks = new RedisLockTemplate(QuorumLockStore.create(masters,
					RedisLockStoreOptions.quorum().coldStartQuarantine(setup.quarantine())), configuration);
			return;
		}
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults()
			.coldStartQuarantine(setup.quarantine())
			.minAcks(setup.acks());
		this.locks = new RedisLockTemplate(RedisLockStore.create(this.connections.connect(), options), configuration);
	}

	RedisLockTemplate locks() {
		return this.locks;
	}

	@Override
	public void close() {
		this.locks.close();
		this.connections.close();
	}

}
