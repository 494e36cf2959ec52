package io.github.redislock.benchmarks.contender;

import java.util.concurrent.locks.Lock;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's registry of locks. By default, the registry does not renew locks.
 * In cases that need renewal, it is given a scheduler.
 */
final class SpringIntegrationContender implements Contender {

	private static final String REGISTRY = "spring-locks";

	private final String name;

	private final String title;

	private final RedisLockType type;

	SpringIntegrationContender(String name, String title, RedisLockType type) {
		this.name = name;
		this.title = title;
		this.type = type;
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
		return new Client(settings, this.type);
	}

	@Override
	public String key(String lock) {
		return REGISTRY + ":" + lock;
	}

	private static final class Client implements LockClient {

		private final LettuceConnectionFactory connectionFactory;

		private final @Nullable ThreadPoolTaskScheduler scheduler;

		private final RedisLockRegistry registry;

		Client(ClientSettings settings, RedisLockType type) {
			this.connectionFactory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(settings.host(), settings.port()));
			this.connectionFactory.afterPropertiesSet();
			this.connectionFactory.start();
			this.registry = new RedisLockRegistry(this.connectionFactory, REGISTRY, settings.lease().toMillis());
			this.registry.setRedisLockType(type);
			this.scheduler = settings.renewed() ? scheduler() : null;
			if (this.scheduler != null) {
				this.registry.setRenewalTaskScheduler(this.scheduler);
			}
		}

		@Override
		public Held acquire(String name) {
			Lock lock = this.registry.obtain(name);
			lock.lock();
			return lock::unlock;
		}

		@Override
		public void close() {
			this.registry.destroy();
			if (this.scheduler != null) {
				this.scheduler.shutdown();
			}
			this.connectionFactory.destroy();
		}

		private static ThreadPoolTaskScheduler scheduler() {
			ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
			scheduler.setPoolSize(2);
			scheduler.setDaemon(true);
			scheduler.initialize();
			return scheduler;
		}

	}

}
