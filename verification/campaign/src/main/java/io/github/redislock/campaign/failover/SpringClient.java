package io.github.redislock.campaign.failover;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Lettuce;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's registry with its defaults, except for the lease and a scheduler
 * that renews locks. Its locks have no method that says whether they are still held, so
 * that holders believe in them until the release.
 */
final class SpringClient implements Client {

	private final Lettuce connections;

	private final RedisLockRegistry registry;

	private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();

	SpringClient(Addresses redis, Duration lease) {
		this.connections = new Lettuce(redis, TIMEOUT);
		this.registry = new RedisLockRegistry(this.connections.connect(), "{hot}", lease);
		this.scheduler.setPoolSize(2);
		this.scheduler.setDaemon(true);
		this.scheduler.initialize();
		this.registry.setRenewalTaskScheduler(this.scheduler);
	}

	@Override
	public @Nullable Grip acquire(String name, Duration wait) {
		Lock lock = this.registry.obtain(name);
		try {
			return lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS) ? new SpringGrip(lock) : null;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return null;
		}
	}

	@Override
	public void close() {
		this.registry.destroy();
		this.scheduler.shutdown();
		this.connections.close();
	}

	private record SpringGrip(Lock lock) implements Grip {

		@Override
		public boolean isValid() {
			return true;
		}

		@Override
		public void release() {
			this.lock.unlock();
		}

	}

}
