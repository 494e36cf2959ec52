package io.github.redislock.campaign.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.redis.quorum.QuorumLockStore;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connections and locks of an application.
 */
final class Application implements AutoCloseable {

	private static final String HOST = "127.0.0.1";

	private final Addresses redis;

	private final List<LettuceConnectionFactory> connections = new ArrayList<>();

	private final RedisLockTemplate locks;

	private @Nullable ClientResources detours;

	Application(Setup setup) {
		this.redis = setup.redis();
		LockConfiguration configuration = LockConfiguration.defaults().instance(setup.client());
		if (this.redis.topology() == Topology.QUORUM) {
			List<LettuceConnectionFactory> masters = this.redis.entrances().stream().map(this::connect).toList();
			this.locks = new RedisLockTemplate(QuorumLockStore.create(masters,
					RedisLockStoreOptions.quorum().coldStartQuarantine(setup.quarantine())), configuration);
			return;
		}
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults()
			.coldStartQuarantine(setup.quarantine())
			.minAcks(setup.acks());
		this.locks = new RedisLockTemplate(RedisLockStore.create(connect(), options), configuration);
	}

	RedisLockTemplate locks() {
		return this.locks;
	}

	@Override
	public void close() {
		this.locks.close();
		this.connections.forEach(LettuceConnectionFactory::destroy);
		if (this.detours != null) {
			this.detours.shutdown(0, 2, TimeUnit.SECONDS);
		}
	}

	private LettuceConnectionFactory connect() {
		List<Integer> entrances = this.redis.entrances();
		return switch (this.redis.topology()) {
			case STANDALONE, QUORUM -> connect(entrances.get(0));
			case SENTINEL -> {
				RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master(Addresses.MASTER);
				entrances.forEach((port) -> sentinels.sentinel(new RedisNode(HOST, port)));
				yield start(new LettuceConnectionFactory(sentinels, detours()));
			}
			case CLUSTER -> {
				List<String> nodes = entrances.stream().map((port) -> HOST + ":" + port).toList();
				yield start(new LettuceConnectionFactory(new RedisClusterConfiguration(nodes), detours()));
			}
		};
	}

	private LettuceConnectionFactory connect(int port) {
		return start(new LettuceConnectionFactory(new RedisStandaloneConfiguration(HOST, this.redis.route(port))));
	}

	private LettuceConnectionFactory start(LettuceConnectionFactory factory) {
		factory.afterPropertiesSet();
		factory.start();
		this.connections.add(factory);
		return factory;
	}

	/**
	 * Return a configuration that redirects connections. Sentinels and cluster nodes
	 * report the ports of the servers, but this process must connect to the port of the
	 * network in front of each server.
	 */
	private LettuceClientConfiguration detours() {
		ClientResources resources = ClientResources.builder()
			.socketAddressResolver(MappingSocketAddressResolver.create(this::detour))
			.build();
		this.detours = resources;
		return LettuceClientConfiguration.builder().clientResources(resources).build();
	}

	private HostAndPort detour(HostAndPort server) {
		return HostAndPort.of(server.getHostText(), this.redis.route(server.getPort()));
	}

}
