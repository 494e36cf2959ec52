package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.ClusterTopologyRefreshOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;

import static org.assertj.core.api.Assertions.assertThat;

class LockClientConfigurationTests {

	private final List<ClientResources> used = new ArrayList<>();

	@AfterEach
	void shutDown() {
		this.used.forEach((resources) -> resources.shutdown(0, 0, TimeUnit.SECONDS));
	}

	/**
	 * Lettuce refuses an empty user name unless it uses RESP3.
	 */
	@ParameterizedTest
	@CsvSource({ "boss, true", "'', false", ", false" })
	void onlyAUserWithANameLogsInWithoutAPassword(@Nullable String user, boolean login) {
		RedisStandaloneConfiguration redis = new RedisStandaloneConfiguration();
		redis.setUsername(user);

		RedisCredentials credentials = Objects
			.requireNonNull(configuration(LettuceClientConfiguration.defaultConfiguration(), false).client
				.getRedisCredentialsProviderFactory()
				.orElseThrow()
				.createCredentialsProvider(redis)
				.resolveCredentials()
				.block());

		assertThat(credentials.hasUsername()).isEqualTo(login);
		assertThat(credentials.hasPassword()).isEqualTo(login);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void startTlsIsAdopted(boolean wanted) {
		LettuceClientConfiguration.LettuceSslClientConfigurationBuilder application = LettuceClientConfiguration
			.builder()
			.useSsl();
		if (wanted) {
			application.startTls();
		}

		assertThat(configuration(application.build(), false).client.isStartTls()).isEqualTo(wanted);
	}

	@Test
	void topologyIsRefreshedPeriodicallyIfTheApplicationWantsIt() {
		Duration period = Duration.ofSeconds(7);
		ClientOptions application = ClusterClientOptions.builder()
			.topologyRefreshOptions(ClusterTopologyRefreshOptions.builder().enablePeriodicRefresh(period).build())
			.build();

		assertThat(refresh(application).isPeriodicRefreshEnabled()).isTrue();
		assertThat(refresh(application).getRefreshPeriod()).isEqualTo(period);
		assertThat(refresh(ClientOptions.create()).isPeriodicRefreshEnabled()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void onlyAClusterWatchesForSilenceBesidesTheApplicationsCustomizer(boolean clustered) {
		List<Object> customized = new ArrayList<>();
		ClientResources application = ClientResources.builder().nettyCustomizer(new NettyCustomizer() {

			@Override
			public void afterBootstrapInitialized(Bootstrap bootstrap) {
				customized.add(bootstrap);
			}

			@Override
			public void afterChannelInitialized(Channel channel) {
				customized.add(channel);
			}

		}).build();
		this.used.add(application);
		NettyCustomizer customizer = configuration(
				LettuceClientConfiguration.builder().clientResources(application).build(), clustered).resources
			.nettyCustomizer();
		Bootstrap bootstrap = new Bootstrap();
		EmbeddedChannel channel = new EmbeddedChannel();

		customizer.afterBootstrapInitialized(bootstrap);
		customizer.afterChannelInitialized(channel);

		assertThat(customized).containsExactly(bootstrap, channel);
		assertThat(channel.pipeline().get(SilenceHandler.class) != null).isEqualTo(clustered);
	}

	private ClusterTopologyRefreshOptions refresh(ClientOptions application) {
		ClientOptions options = configuration(LettuceClientConfiguration.builder().clientOptions(application).build(),
				true).client
			.getClientOptions()
			.orElseThrow();
		return ((ClusterClientOptions) options).getTopologyRefreshOptions();
	}

	private LockClientConfiguration configuration(LettuceClientConfiguration application, boolean clustered) {
		LockClientConfiguration created = new LockClientConfiguration(application,
				new ClientSettings("test", Duration.ofSeconds(10), 0, false, "lock:", List.of()), clustered);
		this.used.add(created.resources);
		return created;
	}

}
