package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.github.redislock.internal.support.Durations;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceSslClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;
import org.springframework.util.StringUtils;

/**
 * The application's client configuration, with the changes that locks need.
 */
final class LockClientConfiguration {

	private static final Duration LONGEST_RECONNECT_DELAY = Duration.ofMillis(500);

	private static final Duration SHORTEST_REFRESH_INTERVAL = Duration.ofMillis(500);

	final ClientThreads ownThreads = new ClientThreads();

	final ClientResources resources;

	final LettuceClientConfiguration client;

	/** The application's own timeout for connecting. */
	final Duration connectTimeout;

	LockClientConfiguration(LettuceClientConfiguration application, ClientSettings settings, boolean clustered) {
		Duration timeout = settings.commandTimeout();
		Delay delay = Delay.exponential(Duration.ZERO, LONGEST_RECONNECT_DELAY, 2, TimeUnit.MILLISECONDS);
		ClientResources.Builder resources = application.getClientResources()
			.map(LockClientConfiguration::borrow)
			.orElseGet(this.ownThreads::resources)
			.reconnectDelay(delay);
		if (clustered) {
			resources.nettyCustomizer(endingSilence(application, timeout));
		}
		this.resources = resources.build();
		ClientOptions present = application.getClientOptions().orElseGet(ClientOptions::create);
		this.connectTimeout = present.getSocketOptions().getConnectTimeout();
		ClientOptions options = clientOptions(present, timeout);
		LettuceClientConfigurationBuilder client = LettuceClientConfiguration.builder()
			.clientResources(this.resources)
			.clientOptions(clustered ? clusterOptions(options) : options)
			.clientName(settings.clientName())
			.redisCredentialsProviderFactory(
					application.getRedisCredentialsProviderFactory().orElseGet(KnownCredentials::new))
			.commandTimeout(timeout)
			.shutdownTimeout(application.getShutdownTimeout())
			.shutdownQuietPeriod(application.getShutdownQuietPeriod());
		if (application.isUseSsl()) {
			LettuceSslClientConfigurationBuilder encrypted = client.useSsl().verifyPeer(application.getVerifyMode());
			if (application.isStartTls()) {
				encrypted.startTls();
			}
		}
		this.client = client.build();
	}

	/**
	 * Return a customizer that closes silent connections. Each connection gets its own
	 * handler, because a Cluster needs several connections.
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
	 * Return options with which all of Lettuce's triggers refresh the topology, as they
	 * do by default: replies of nodes and broken connections.
	 */
	private static ClientOptions clusterOptions(ClientOptions options) {
		ClusterClientOptions.Builder builder = ClusterClientOptions.builder(options);
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
	 * copy is shut down, because Lettuce does not stop threads that are set explicitly.
	 */
	private static ClientResources.Builder borrow(ClientResources lent) {
		return lent.mutate()
			.eventLoopGroupProvider(lent.eventLoopGroupProvider())
			.eventExecutorGroup(lent.eventExecutorGroup())
			.timer(lent.timer())
			.commandLatencyRecorder(lent.commandLatencyRecorder());
	}

	private static ClientOptions clientOptions(ClientOptions present, Duration timeout) {
		SocketOptions socket = present.getSocketOptions();
		Duration connectTimeout = Durations.min(socket.getConnectTimeout(), timeout);
		return present.mutate()
			.disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
			.autoReconnect(true)
			.suspendReconnectOnProtocolFailure(false)
			.requestQueueSize(ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE)
			.timeoutOptions(TimeoutOptions.enabled(timeout))
			.socketOptions(socket.mutate().connectTimeout(connectTimeout).build())
			.build();
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
			boolean named = StringUtils.hasText(username);
			return new StaticCredentialsProvider(named ? username : null,
					password.toOptional().orElse(named ? new char[0] : null));
		}

	}

}
