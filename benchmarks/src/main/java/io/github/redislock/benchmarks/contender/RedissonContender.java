package io.github.redislock.benchmarks.contender;

import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/**
 * Redisson with its default settings; its watchdog renews each lock.
 */
final class RedissonContender implements Contender {

	private final boolean fair;

	RedissonContender(boolean fair) {
		this.fair = fair;
	}

	@Override
	public String name() {
		return this.fair ? Contenders.REDISSON_FAIR : Contenders.REDISSON;
	}

	@Override
	public String title() {
		return this.fair ? "Redisson fair lock" : "Redisson";
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client(settings, this.fair);
	}

	@Override
	public String key(String name) {
		return "redisson:" + name;
	}

	private final class Client implements LockClient {

		private final RedissonClient redisson;

		private final boolean fair;

		Client(ClientSettings settings, boolean fair) {
			Config config = new Config();
			config.setLockWatchdogTimeout(settings.lease().toMillis());
			config.useSingleServer().setAddress("redis://" + settings.host() + ":" + settings.port());
			this.redisson = Redisson.create(config);
			this.fair = fair;
		}

		@Override
		public Held acquire(String name) {
			RLock lock = this.fair ? this.redisson.getFairLock(key(name)) : this.redisson.getLock(key(name));
			lock.lock();
			return lock::unlock;
		}

		@Override
		public void close() {
			this.redisson.shutdown();
		}

	}

}
