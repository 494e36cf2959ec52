package io.github.redislock.campaign.failover;

import java.time.Duration;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Lettuce;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.redis.quorum.QuorumLockStore;
import org.jspecify.annotations.Nullable;

/**
 * This library. A lock is valid while the handle says so.
 */
final class OurClient implements Client {

	private final Lettuce connections;

	private final RedisLockTemplate locks;

	private final Duration lease;

	private final boolean fenced;

	OurClient(Addresses redis, RedisLockStoreOptions options, Duration lease, boolean fenced) {
		this.connections = new Lettuce(redis, TIMEOUT);
		this.lease = lease;
		this.fenced = fenced;
		LockConfiguration configuration = LockConfiguration.defaults();
		this.locks = (redis.topology() == Topology.QUORUM)
				? new RedisLockTemplate(QuorumLockStore
					.create(redis.entrances().stream().map(this.connections::connect).toList(), options), configuration)
				: new RedisLockTemplate(RedisLockStore.create(this.connections.connect(), options), configuration);
	}

	@Override
	public @Nullable Grip acquire(String lock, Duration wait) {
		LockHandle handle = this.locks.tryAcquire(LockTarget.of(lock),
				LockOptions.options().timeout(this.lease).waitTime(wait));
		return (handle != null) ? new OurGrip(handle, this.fenced) : null;
	}

	@Override
	public void close() {
		this.locks.close();
		this.connections.close();
	}

	private record OurGrip(LockHandle handle, boolean fenced) implements Grip {

		@Override
		public boolean isValid() {
			return this.handle.isHeld();
		}

		@Override
		public long token() {
			return this.fenced ? this.handle.fencingToken() : UNFENCED;
		}

		@Override
		public void release() {
			this.handle.release();
		}

	}

}
