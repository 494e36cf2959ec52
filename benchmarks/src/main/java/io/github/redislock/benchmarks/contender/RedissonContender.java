package io.github.redislock.benchmarks.contender;

import java.util.function.BiFunction;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its default settings, except for the lease. Its watchdog renews each
 * lock.
 */
final class RedissonContender implements Contender {

	private final String name;

	private final String title;

	private final BiFunction<RedissonClient, String, RLock> locks;

	RedissonContender(String name, String title, BiFunction<RedissonClient, String, RLock> locks) {
		this.name = name;
		this.title = title;
		this.locks = locks;
	}

	@Override
	public String name() {
		return this.name;
	}

	@Override
	public String title() {
		return this.title;
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client(settings);
	}

	@Override
	public String key(String name) {
		return "redisson:" + name;
	}

	private final class Client implements LockClient {

		private final RedissonClient redisson;

		Client(ClientSettings settings) {
			Config config = new Config();
			config.setLockWatchdogTimeout(settings.lease().toMillis());
			config.useSingleServer().setAddress("redis://" + settings.host() + ":" + settings.port());
			this.redisson = Redisson.create(config);
		}

		@Override
		public Held acquire(String name) {
			RLock lock = RedissonContender.this.locks.apply(this.redisson, key(name));
			lock.lock();
			return lock::unlock;
		}

		@Override
		public void close() {
			this.redisson.shutdown();
		}

	}

}
