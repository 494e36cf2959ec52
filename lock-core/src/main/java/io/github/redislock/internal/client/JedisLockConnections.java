package io.github.redislock.internal.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;

import io.github.redislock.internal.support.Durations;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.util.Pool;

import org.springframework.aop.support.AopUtils;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

/**
 * Connects to the application's Redis with Jedis for locks. Uses the same address,
 * credentials and encryption, but
 * <ul>
 * <li>a separate pool: otherwise, the connection that listens for messages, and callers
 * that wait for locks while they hold connections, could exhaust the application's
 * pool;</li>
 * <li>a short timeout for replies, because a thread that reads from a socket cannot be
 * interrupted.</li>
 * </ul>
 * Connects when it is first used.
 */
public final class JedisLockConnections implements LockConnections {

	/** The pool has this limit by default, also for idle connections. */
	private static final int CONNECTIONS = GenericObjectPoolConfig.DEFAULT_MAX_TOTAL;

	/** Callers leave the others to the threads of the runner and to the subscription. */
	private static final int FOR_CALLERS = 3;

	private final OneByOne factory;

	private final Duration timeout;

	private final boolean forCallers;

	private boolean started;

	private boolean closed;

	private JedisLockConnections(OneByOne factory, Duration timeout, boolean forCallers) {
		this.factory = factory;
		this.timeout = timeout;
		this.forCallers = forCallers;
	}

	/**
	 * Return connections for the locks of an application.
	 * @param votes whether a caller sends the same request to other servers too, so that
	 * it must not wait for this one
	 * @return {@code null} if the application's factory is a subclass, or does not show
	 * where Redis is
	 */
	public static @Nullable JedisLockConnections deriveFrom(JedisConnectionFactory application, ClientSettings settings,
			boolean votes) {
		if (application.getClass() != JedisConnectionFactory.class) {
			return null;
		}
		OneByOne factory = connectionFactory(application, clientConfiguration(application, settings));
		if (factory == null) {
			return null;
		}
		factory.setEarlyStartup(false);
		factory.afterPropertiesSet();
		return new JedisLockConnections(factory, settings.commandTimeout(), !votes);
	}

	/**
	 * Prevent a Jedis connection from returning to its pool when it is closed.
	 */
	static void discard(RedisConnection connection) {
		if (connection instanceof JedisConnection && connection.getNativeConnection() instanceof Jedis jedis) {
			jedis.getConnection().setBroken();
		}
	}

	@Override
	public RedisConnection open() {
		start();
		return within(this.timeout, this.factory.getConnection());
	}

	@Override
	public int idle() {
		return CONNECTIONS;
	}

	/**
	 * Open a connection. If another thread takes the idle one first, this may open a new
	 * one.
	 */
	@Override
	public @Nullable RedisConnection openIdle(Duration timeout) {
		Pool<Jedis> pool = this.forCallers ? this.factory.pool : null;
		boolean idle = pool != null && pool.getNumIdle() > 0 && pool.getNumActive() < FOR_CALLERS;
		return idle ? within(timeout, this.factory.getConnection()) : null;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.started) {
			this.factory.destroy();
		}
	}

	/**
	 * Start the factory, unless it is started. With Sentinel or a Cluster, starting it
	 * opens connections.
	 */
	private synchronized void start() {
		if (this.closed) {
			throw new IllegalStateException("The connections for locks are closed");
		}
		if (!this.started) {
			this.factory.start();
			this.started = true;
		}
	}

	/**
	 * Set how long to wait for a reply on a connection.
	 */
	private static RedisConnection within(Duration timeout, RedisConnection connection) {
		if (connection.getNativeConnection() instanceof Jedis jedis) {
			jedis.getConnection().setSoTimeout(Math.max((int) timeout.toMillis(), 1));
		}
		return connection;
	}

	private static @Nullable OneByOne connectionFactory(JedisConnectionFactory application,
			JedisClientConfiguration client) {
		RedisClusterConfiguration cluster = application.getClusterConfiguration();
		RedisSentinelConfiguration sentinel = application.getSentinelConfiguration();
		RedisStandaloneConfiguration standalone = application.getStandaloneConfiguration();
		if (cluster != null) {
			return new OneByOne(cluster, client);
		}
		if (sentinel != null) {
			return new OneByOne(sentinel, client);
		}
		return (standalone != null) ? new OneByOne(standalone, client) : null;
	}

	/**
	 * Return the application's client configuration, with the changes that locks need.
	 * <p>
	 * The result is a proxy, because the interface differs between versions of Spring
	 * Data.
	 */
	private static JedisClientConfiguration clientConfiguration(JedisConnectionFactory application,
			ClientSettings settings) {
		JedisClientConfiguration present = application.getClientConfiguration();
		Duration timeout = settings.commandTimeout();
		Optional<GenericObjectPoolConfig<?>> pool = Optional.of(pool(timeout));
		return (JedisClientConfiguration) Proxy.newProxyInstance(JedisLockConnections.class.getClassLoader(),
				new Class<?>[] { JedisClientConfiguration.class },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "isUsePooling" -> true;
					case "getPoolConfig" -> pool;
					case "getClientName" -> Optional.of(settings.clientName());
					case "getReadTimeout" -> timeout;
					case "getConnectTimeout" -> Durations.min(present.getConnectTimeout(), timeout);
					default -> AopUtils.invokeJoinpointUsingReflection(present, method, arguments);
				});
	}

	/**
	 * Return a pool without an eviction thread. A connection that died while idle is
	 * detected when it is used.
	 */
	private static GenericObjectPoolConfig<?> pool(Duration timeout) {
		GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
		pool.setMaxWait(timeout);
		pool.setJmxEnabled(false);
		return pool;
	}

	/**
	 * Creates connections that each use one connection of the pool until they are closed.
	 * Since Spring Data 4.1, they could otherwise use another connection of the pool for
	 * each command.
	 */
	static final class OneByOne extends JedisConnectionFactory {

		/** {@code null} before the start, and in a Cluster. */
		private volatile @Nullable Pool<Jedis> pool;

		OneByOne(RedisStandaloneConfiguration redis, JedisClientConfiguration client) {
			super(redis, client);
		}

		OneByOne(RedisSentinelConfiguration redis, JedisClientConfiguration client) {
			super(redis, client);
		}

		OneByOne(RedisClusterConfiguration redis, JedisClientConfiguration client) {
			super(redis, client);
		}

		@Override
		protected Pool<Jedis> createRedisPool() {
			return kept(super.createRedisPool());
		}

		@Override
		protected Pool<Jedis> createRedisSentinelPool(RedisSentinelConfiguration redis) {
			return kept(super.createRedisSentinelPool(redis));
		}

		private Pool<Jedis> kept(Pool<Jedis> created) {
			this.pool = created;
			return created;
		}

		/**
		 * Overrides a method that Spring Data 4.0 does not have.
		 */
		@SuppressWarnings("MissingOverride")
		public boolean isUseUnifiedJedis() {
			return false;
		}

	}

}
