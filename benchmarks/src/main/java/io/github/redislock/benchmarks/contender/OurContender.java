package io.github.redislock.benchmarks.contender;

import java.time.Duration;
import java.util.function.Function;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.context.SmartLifecycle;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * This project, with its default settings except for the lease and the waiting time.
 */
final class OurContender implements Contender {

	private static final Duration PATIENCE = Duration.ofMinutes(10);

	private final String name;

	private final String title;

	private final boolean withHandle;

	private final Function<RedisStandaloneConfiguration, RedisConnectionFactory> connections;

	/**
	 * Create a contender.
	 * @param name the name
	 * @param title the title
	 * @param withHandle whether locks are acquired and closed, instead of running a task
	 * in {@code execute}
	 * @param connections creates the connection factory of a client
	 */
	OurContender(String name, String title, boolean withHandle,
			Function<RedisStandaloneConfiguration, RedisConnectionFactory> connections) {
		this.name = name;
		this.title = title;
		this.withHandle = withHandle;
		this.connections = connections;
	}

	static RedisConnectionFactory lettuce(RedisStandaloneConfiguration server) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(server);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	static RedisConnectionFactory jedis(RedisStandaloneConfiguration server) {
		JedisConnectionFactory factory = new JedisConnectionFactory(server);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
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
	public String key(String lock) {
		return "distributed_lock:" + lock;
	}

	private final class Client implements LockClient {

		private final RedisConnectionFactory connectionFactory;

		private final RedisLockTemplate locks;

		private final LockOptions options;

		Client(ClientSettings settings) {
			this.connectionFactory = OurContender.this.connections
				.apply(new RedisStandaloneConfiguration(settings.host(), settings.port()));
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
			((SmartLifecycle) this.connectionFactory).stop();
		}

	}

}
