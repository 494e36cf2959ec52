package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Lettuce;
import org.jspecify.annotations.Nullable;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.NatMapper;
import org.redisson.misc.RedisURI;

/**
 * Redisson with its defaults, except for the lease. Its watchdog renews each lock.
 */
final class RedissonLocks implements Client {

	/** How often a holder asks whether it still has the lock, if it asks at all. */
	private static final long BETWEEN_CHECKS = TimeUnit.MILLISECONDS.toNanos(250);

	private final RedissonClient redisson;

	private final boolean checked;

	/**
	 * Connect an instance.
	 * @param checked whether holders ask {@link RLock#isHeldByCurrentThread()}, which is
	 * a request to the server
	 */
	RedissonLocks(Addresses redis, Duration lease, boolean checked) {
		this.checked = checked;
		Config config = new Config();
		config.setLockWatchdogTimeout(lease.toMillis());
		NatMapper proxies = (server) -> new RedisURI(server.getScheme(), server.getHost(),
				redis.route(server.getPort()));
		List<Integer> ports = redis.entrances();
		switch (redis.topology()) {
			case STANDALONE -> config.useSingleServer().setAddress(address(redis, ports.get(0)));
			case SENTINEL -> config.useSentinelServers()
				.setMasterName(Addresses.MASTER)
				.setNatMapper(proxies)
				.addSentinelAddress(ports.stream().map((port) -> address(redis, port)).toArray(String[]::new));
			case CLUSTER -> config.useClusterServers()
				.setNatMapper(proxies)
				.addNodeAddress(ports.stream().map((port) -> address(redis, port)).toArray(String[]::new));
			case QUORUM -> throw new IllegalArgumentException("Redisson's quorum is deprecated");
		}
		this.redisson = Redisson.create(config);
	}

	private static String address(Addresses redis, int port) {
		return "redis://" + Lettuce.HOST + ":" + redis.route(port);
	}

	@Override
	public @Nullable Grip acquire(String name, Duration wait) {
		RLock lock = this.redisson.getLock(name);
		try {
			return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new RedissonGrip(lock) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	@Override
	public void close() {
		this.redisson.shutdown();
	}

	private final class RedissonGrip implements Grip {

		private final RLock lock;

		private long lastCheck = System.nanoTime();

		private boolean held = true;

		RedissonGrip(RLock lock) {
			this.lock = lock;
		}

		@Override
		public boolean isValid() {
			boolean due = this.held && System.nanoTime() - this.lastCheck >= BETWEEN_CHECKS;
			if (RedissonLocks.this.checked && due) {
				this.held = this.lock.isHeldByCurrentThread();
				this.lastCheck = System.nanoTime();
			}
			return this.held;
		}

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

}
