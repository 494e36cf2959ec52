package io.github.redislock.benchmarks.contender;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * This project, with its default settings except for the lease and the waiting time.
 */
final class OurContender implements Contender {

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private final boolean withHandle;

	/**
	 * Create a contender.
	 * @param withHandle whether locks are acquired and closed, instead of running a task
	 * in {@code execute}
	 */
	OurContender(boolean withHandle) {
		this.withHandle = withHandle;
	}

	@Override
	public String name() {
		return this.withHandle ? Contenders.OURS_ACQUIRE : Contenders.OURS;
	}

	@Override
	public String title() {
		return this.withHandle ? "Redis Lock, acquire and close" : "Redis Lock";
	}

	@Override
	public LockClient open(ClientSettings settings) {
		return new Client(settings);
	}

	@Override
	public String key(String name) {
		return "distributed_lock:" + name;
	}

	private final class Client implements LockClient {

		private final LettuceConnectionFactory connectionFactory;

		private final RedisLockTemplate locks;

		private final LockOptions options;

		Client(ClientSettings settings) {
			this.connectionFactory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(settings.host(), settings.port()));
			this.connectionFactory.afterPropertiesSet();
			this.connectionFactory.start();
			this.options = LockOptions.options().timeout(settings.lease()).waitTime(PATIENCE);
			this.locks = new RedisLockTemplate(
					RedisLockStore.create(this.connectionFactory, RedisLockStoreOptions.defaults()),
					LockConfiguration.defaults());
		}

		@Override
		public Held acquire(String name) {
			LockHandle lock = this.locks.acquire(LockTarget.of(name), this.options);
			return lock::close;
		}

		@Override
		public void execute(String name, Runnable section) {
			if (OurContender.this.withHandle) {
				LockClient.super.execute(name, section);
			}
			else {
				this.locks.execute(LockTarget.of(name), this.options, section::run);
			}
		}

		@Override
		public void close() {
			this.locks.close();
			this.connectionFactory.destroy();
		}

	}

}
