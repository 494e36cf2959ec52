package io.github.redislock.internal.client;

import java.lang.reflect.Field;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.internal.support.Futures;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

/**
 * Connects to the application's Redis for locks. Uses the same address, credentials and
 * encryption, but
 * <ul>
 * <li>rejects commands while disconnected: Lettuce would send them later, and would send
 * the commands in flight again (seen with 7.5.2; a replay filter does not prevent
 * that);</li>
 * <li>tries to reconnect after at most 500 ms instead of up to 30 s, even after Redis has
 * rejected the password;</li>
 * <li>does not limit how many requests wait for a reply;</li>
 * <li>uses a short timeout for replies instead of Spring's default of 60 s;</li>
 * <li>never reads from a replica, whose data may be stale;</li>
 * <li>in a Cluster, detects a silent node and soon finds the node that took over,
 * whatever the application has configured.</li>
 * </ul>
 */
public final class LockConnectionFactory extends LettuceConnectionFactory {

	private static final Log logger = LogFactory.getLog(LockConnectionFactory.class);

	private static final long REFRESH_PAUSE_MILLIS = 500;

	private final LockClientConfiguration locks;

	private final AtomicLong disconnections = new AtomicLong();

	private final AtomicBoolean outage = new AtomicBoolean();

	private volatile @Nullable RedisChannelHandler<?, ?> latest;

	private volatile @Nullable SocketAddress address;

	private final AtomicBoolean refreshing = new AtomicBoolean();

	private LockConnectionFactory(RedisConfiguration configuration, LockClientConfiguration locks) {
		super(configuration, locks.client);
		this.locks = locks;
	}

	/**
	 * Return the address and credentials of an application's Redis.
	 * @return the configuration, or {@code null} if the application's factory does not
	 * show it
	 */
	public static @Nullable RedisConfiguration configurationOf(LettuceConnectionFactory application) {
		// Only this field has the address in all modes. The getters do not cover one of
		// the modes, and return localhost in it.
		Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
		if (field == null) {
			return null;
		}
		ReflectionUtils.makeAccessible(field);
		return (ReflectionUtils.getField(field, application) instanceof RedisConfiguration configuration)
				? configuration : null;
	}

	/**
	 * Return a connection factory for the locks of an application.
	 * @param application a factory that shows where Redis is
	 */
	public static LockConnectionFactory deriveFrom(LettuceConnectionFactory application, ClientSettings settings) {
		RedisConfiguration configuration = Objects.requireNonNull(configurationOf(application));
		LockConnectionFactory factory = new LockConnectionFactory(configuration, new LockClientConfiguration(
				application.getClientConfiguration(), settings, application.isClusterAware()));
		factory.start();
		factory.getRequiredNativeClient().addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisConnected(RedisChannelHandler<?, ?> opened, SocketAddress address) {
				if (isForScripts(opened)) {
					factory.latest = opened;
					factory.address = address;
					if (factory.outage.getAndSet(false)) {
						logger.info("The connection to Redis at '%s' is back".formatted(address));
					}
				}
			}

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
				if (isForScripts(lost)) {
					factory.disconnections.incrementAndGet();
					factory.executor().schedule(() -> factory.reportOutage(lost), 1, TimeUnit.SECONDS);
				}
			}

		});
		return factory;
	}

	private static boolean isForScripts(RedisChannelHandler<?, ?> connection) {
		return !(connection instanceof StatefulRedisPubSubConnection
				|| connection instanceof StatefulRedisSentinelConnection);
	}

	/**
	 * Log that a connection is not back. In a Cluster, a node may be gone for good, so
	 * that is not logged.
	 */
	private void reportOutage(RedisChannelHandler<?, ?> lost) {
		if (lost.equals(this.latest) && !lost.isOpen() && isRunning() && !isClusterAware()
				&& !this.outage.getAndSet(true)) {
			logger
				.warn("The connection to Redis at '%s' was lost a second ago and is not back".formatted(this.address));
		}
	}

	/**
	 * Return a new connection, to a Cluster or one server, that replaces the previous
	 * one. Blocks.
	 */
	StatefulConnection<byte[], byte[]> connect() {
		resetConnection();
		return Objects.requireNonNull(isClusterAware() ? getSharedClusterConnection() : getSharedConnection());
	}

	/**
	 * Return how long the application itself waits for a connection.
	 */
	Duration connectTimeout() {
		return this.locks.connectTimeout;
	}

	/**
	 * Return how many times a connection for scripts was lost. Subscriptions and
	 * connections to a Sentinel do not count, because they may be opened and closed at
	 * any time.
	 */
	long disconnections() {
		return this.disconnections.get();
	}

	/**
	 * Refresh the topology of a Cluster in the background, because a node did not reply.
	 * <p>
	 * Lettuce does this itself after a redirection or a broken connection, but not if a
	 * connection is silent or cannot be opened. It would then keep using the old master.
	 * Does nothing until 500 ms after the last refresh. A failover takes seconds, so one
	 * refresh may not be enough.
	 */
	void refreshTopology() {
		if (!this.refreshing.compareAndSet(false, true)) {
			return;
		}
		Futures.attempt(() -> ((RedisClusterClient) getRequiredNativeClient()).refreshPartitionsAsync())
			.whenComplete((done, failure) -> {
				if (failure != null) {
					logger.debug("The topology of the Cluster could not be refreshed, trying again later", failure);
				}
				executor().schedule(() -> this.refreshing.set(false), REFRESH_PAUSE_MILLIS, TimeUnit.MILLISECONDS);
			});
	}

	/**
	 * Return a new connection for subscriptions. Blocks.
	 * @throws UnsupportedOperationException for a static master and replicas, where
	 * Spring Data does not support subscriptions
	 */
	@SuppressWarnings("unchecked")
	StatefulRedisPubSubConnection<byte[], byte[]> connectPubSub() {
		return doCreateConnectionProvider(getRequiredNativeClient(), ByteArrayCodec.INSTANCE)
			.getConnection(StatefulRedisPubSubConnection.class);
	}

	@Override
	public void destroy() {
		super.destroy();
		// Stop these threads first, so that no closing connection is reopened.
		this.locks.ownThreads.close();
		// The application's resources stay open.
		this.locks.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

	/**
	 * Return the executor for scheduled tasks, which belongs to the connections.
	 */
	ScheduledExecutorService executor() {
		return this.locks.resources.eventExecutorGroup();
	}

}
