package io.github.redislock.internal.redis;

import java.lang.reflect.Field;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.internal.support.Durations;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.lettuce.core.sentinel.api.StatefulRedisSentinelConnection;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.ReflectionUtils;
import org.springframework.util.StringUtils;

/**
 * Connects to the application's Redis for locks. Uses the same address, credentials and
 * encryption, but
 * <ul>
 * <li>rejects commands while disconnected: Lettuce would send them later, and would send
 * the commands in flight twice (measured with 7.5.2; a replay filter does not prevent
 * that);</li>
 * <li>reconnects within 500 ms instead of up to 30 s;</li>
 * <li>uses a short timeout for replies instead of Spring's 60 s;</li>
 * <li>never reads from a replica, whose data may be stale;</li>
 * <li>in a Cluster, detects a silent node and soon finds the node that took over,
 * whatever the application has configured.</li>
 * </ul>
 */
public final class LockConnectionFactory extends LettuceConnectionFactory {

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofMillis(500);

	private static final Duration SHORTEST_REFRESH_INTERVAL = Duration.ofMillis(500);

	private final ClientResources resources;

	private final ClientThreads ownThreads;

	private final Duration connectTimeout;

	private final AtomicLong disconnections = new AtomicLong();

	private final Topology topology = new Topology(this::refreshPartitions);

	private LockConnectionFactory(RedisConfiguration configuration, LockClientConfiguration client) {
		super(configuration, client);
		this.resources = client.resources;
		this.ownThreads = client.ownThreads;
		this.connectTimeout = client.application.getClientOptions()
			.orElseGet(ClientOptions::create)
			.getSocketOptions()
			.getConnectTimeout();
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
	 * @return {@code null} if the application's factory does not show where Redis is
	 */
	public static @Nullable LockConnectionFactory deriveFrom(LettuceConnectionFactory application,
			ClientSettings settings) {
		RedisConfiguration configuration = configurationOf(application);
		if (configuration == null) {
			return null;
		}
		LockConnectionFactory factory = new LockConnectionFactory(configuration, new LockClientConfiguration(
				application.getClientConfiguration(), settings, application.isClusterAware()));
		factory.setShareNativeConnection(true);
		factory.setValidateConnection(false);
		factory.afterPropertiesSet();
		factory.start();
		factory.getRequiredNativeClient().addListener(new RedisConnectionStateListener() {

			@Override
			public void onRedisDisconnected(RedisChannelHandler<?, ?> lost) {
				if (!(lost instanceof StatefulRedisPubSubConnection
						|| lost instanceof StatefulRedisSentinelConnection)) {
					factory.disconnections.incrementAndGet();
				}
			}

		});
		return factory;
	}

	/**
	 * Return a new connection, to a Cluster or one server, that replaces the previous
	 * one. Blocks.
	 */
	StatefulConnection<byte[], byte[]> connect() {
		resetConnection();
		StatefulRedisClusterConnection<byte[], byte[]> cluster = getSharedClusterConnection();
		if (cluster != null) {
			return cluster;
		}
		StatefulRedisConnection<byte[], byte[]> single = getSharedConnection();
		if (single == null) {
			throw new IllegalStateException("Spring Data Redis returned no shared connection");
		}
		return single;
	}

	/**
	 * Return how long the application itself waits for a connection.
	 */
	Duration connectTimeout() {
		return this.connectTimeout;
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
	 * Refresh the topology of a Cluster in the background, unless it was just refreshed.
	 */
	void refreshTopology() {
		this.topology.refresh();
	}

	private CompletionStage<Void> refreshPartitions() {
		return ((RedisClusterClient) getRequiredNativeClient()).refreshPartitionsAsync();
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
		this.ownThreads.close();
		// The application's resources stay open.
		this.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

	/**
	 * Return the executor for scheduled tasks, which uses the connections' threads.
	 */
	ScheduledExecutorService executor() {
		return this.resources.eventExecutorGroup();
	}

	/**
	 * The application's client configuration, with the changes that locks need.
	 */
	private static final class LockClientConfiguration implements LettuceClientConfiguration {

		private final LettuceClientConfiguration application;

		private final ClientSettings settings;

		private final ClientThreads ownThreads = new ClientThreads();

		private final ClientResources resources;

		private final ClientOptions clientOptions;

		LockClientConfiguration(LettuceClientConfiguration application, ClientSettings settings, boolean clustered) {
			this.application = application;
			this.settings = settings;
			Delay delay = Delay.exponential(Duration.ZERO, LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS);
			ClientResources.Builder resources = application.getClientResources()
				.map(LockClientConfiguration::borrow)
				.orElseGet(this.ownThreads::resources)
				.reconnectDelay(delay);
			ClientOptions clientOptions = clientOptions(application, settings.commandTimeout());
			if (clustered) {
				resources.nettyCustomizer(endingSilence(application, settings.commandTimeout()));
			}
			this.resources = resources.build();
			this.clientOptions = clustered ? clusterOptions(clientOptions) : clientOptions;
		}

		/**
		 * Return a customizer that closes silent connections. Each connection gets its
		 * own handler, because a Cluster needs several connections.
		 */
		private static NettyCustomizer endingSilence(LettuceClientConfiguration application, Duration limit) {
			NettyCustomizer present = application.getClientResources()
				.map(ClientResources::nettyCustomizer)
				.orElse(new NettyCustomizer() {
				});
			return new NettyCustomizer() {

				@Override
				public void afterBootstrapInitialized(Bootstrap bootstrap) {
					present.afterBootstrapInitialized(bootstrap);
				}

				@Override
				public void afterChannelInitialized(Channel channel) {
					present.afterChannelInitialized(channel);
					channel.pipeline().addFirst(new SilenceHandler(limit));
				}

			};
		}

		/**
		 * Return options with which all of Lettuce's triggers refresh the topology, as
		 * they do by default: replies of nodes and broken connections.
		 */
		private static ClientOptions clusterOptions(ClientOptions options) {
			ClusterClientOptions.Builder builder = (options instanceof ClusterClientOptions cluster) ? cluster.mutate()
					: ClusterClientOptions.builder(options);
			ClusterTopologyRefreshOptions present = builder.build().getTopologyRefreshOptions();
			ClusterTopologyRefreshOptions.Builder refresh = ClusterTopologyRefreshOptions.builder()
				.adaptiveRefreshTriggersTimeout(SHORTEST_REFRESH_INTERVAL)
				.refreshTriggersReconnectAttempts(1)
				.dynamicRefreshSources(present.useDynamicRefreshSources());
			if (present.isPeriodicRefreshEnabled()) {
				refresh.enablePeriodicRefresh(present.getRefreshPeriod());
			}
			return builder.topologyRefreshOptions(refresh.build()).build();
		}

		/**
		 * Return a copy that uses the threads of the original. They keep running when the
		 * copy is shut down, because Lettuce does not stop threads that are set
		 * explicitly.
		 */
		private static ClientResources.Builder borrow(ClientResources lent) {
			return lent.mutate()
				.eventLoopGroupProvider(lent.eventLoopGroupProvider())
				.eventExecutorGroup(lent.eventExecutorGroup())
				.timer(lent.timer())
				.commandLatencyRecorder(lent.commandLatencyRecorder());
		}

		private static ClientOptions clientOptions(LettuceClientConfiguration application, Duration timeout) {
			ClientOptions present = application.getClientOptions().orElseGet(ClientOptions::create);
			SocketOptions socket = present.getSocketOptions();
			Duration connectTimeout = Durations.min(socket.getConnectTimeout(), timeout);
			ClientOptions.Builder builder = (present instanceof ClusterClientOptions cluster) ? cluster.mutate()
					: present.mutate();
			return builder.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
				.autoReconnect(true)
				.timeoutOptions(TimeoutOptions.enabled(timeout))
				.socketOptions(socket.mutate().connectTimeout(connectTimeout).build())
				.build();
		}

		@Override
		public boolean isUseSsl() {
			return this.application.isUseSsl();
		}

		@Override
		@SuppressWarnings("deprecation")
		public boolean isVerifyPeer() {
			return this.application.isVerifyPeer();
		}

		@Override
		public SslVerifyMode getVerifyMode() {
			return this.application.getVerifyMode();
		}

		@Override
		public boolean isStartTls() {
			return this.application.isStartTls();
		}

		@Override
		public Optional<ClientResources> getClientResources() {
			return Optional.of(this.resources);
		}

		@Override
		public Optional<ClientOptions> getClientOptions() {
			return Optional.of(this.clientOptions);
		}

		@Override
		public Optional<String> getClientName() {
			return Optional.of(this.settings.clientName());
		}

		@Override
		public Optional<ReadFrom> getReadFrom() {
			return Optional.empty();
		}

		@Override
		public Optional<RedisCredentialsProviderFactory> getRedisCredentialsProviderFactory() {
			return this.application.getRedisCredentialsProviderFactory().or(() -> Optional.of(new KnownCredentials()));
		}

		@Override
		public Duration getCommandTimeout() {
			return this.settings.commandTimeout();
		}

		@Override
		public Duration getShutdownTimeout() {
			return this.application.getShutdownTimeout();
		}

		@Override
		public Duration getShutdownQuietPeriod() {
			return this.application.getShutdownQuietPeriod();
		}

	}

	/**
	 * Provides user name and password without another thread. With Lettuce's own
	 * provider, a connection may count as open before it accepts commands, and then
	 * reject the first one (seen with 7.5.2).
	 */
	private static final class KnownCredentials implements RedisCredentialsProviderFactory {

		@Override
		public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration redis) {
			return provider(RedisConfiguration.getUsernameOrElse(redis, () -> null),
					RedisConfiguration.getPasswordOrElse(redis, RedisPassword::none));
		}

		@Override
		public RedisCredentialsProvider createSentinelCredentialsProvider(RedisSentinelConfiguration redis) {
			return provider(redis.getSentinelUsername(), redis.getSentinelPassword());
		}

		/**
		 * Return a provider that also logs in a user without a password.
		 */
		private static RedisCredentialsProvider provider(@Nullable String username, RedisPassword password) {
			return new StaticCredentialsProvider(username,
					password.toOptional().orElse(StringUtils.hasText(username) ? new char[0] : null));
		}

	}

}
