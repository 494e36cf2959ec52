package io.github.redislock.campaign.deployment;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.MappingSocketAddressResolver;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The connection factories of one process that uses Spring Data. Sentinels and cluster
 * nodes report the ports of the servers, but the process has to use its proxies.
 */
public final class Lettuce implements AutoCloseable {

	/** The host of all servers and proxies. */
	public static final String HOST = "127.0.0.1";

	private final ClientResources resources;

	private final Addresses redis;

	private final Duration timeout;

	private final List<LettuceConnectionFactory> factories = new ArrayList<>();

	/**
	 * Create connection factories on demand.
	 * @param redis the servers
	 * @param timeout Spring Data's timeout of commands
	 */
	public Lettuce(Addresses redis, Duration timeout) {
		this.redis = redis;
		this.timeout = timeout;
		Function<HostAndPort, HostAndPort> proxy = (server) -> HostAndPort.of(server.getHostText(),
				redis.route(server.getPort()));
		this.resources = ClientResources.builder()
			.socketAddressResolver(MappingSocketAddressResolver.create(proxy))
			.build();
	}

	/**
	 * Connect to the servers, or to the first one of a quorum.
	 */
	public LettuceConnectionFactory connect() {
		List<Integer> ports = this.redis.entrances();
		return switch (this.redis.topology()) {
			case STANDALONE, QUORUM -> connect(ports.get(0));
			case SENTINEL -> {
				RedisSentinelConfiguration sentinels = new RedisSentinelConfiguration().master(Addresses.MASTER);
				ports.forEach((port) -> sentinels.sentinel(new RedisNode(HOST, port)));
				yield start(sentinels);
			}
			case CLUSTER ->
				start(new RedisClusterConfiguration(ports.stream().map((port) -> HOST + ":" + port).toList()));
		};
	}

	/**
	 * Connect to the server that listens on a port.
	 */
	public LettuceConnectionFactory connect(int port) {
		return start(new RedisStandaloneConfiguration(HOST, port));
	}

	private LettuceConnectionFactory start(RedisConfiguration servers) {
		LettuceClientConfiguration client = LettuceClientConfiguration.builder()
			.clientResources(this.resources)
			.commandTimeout(this.timeout)
			.build();
		LettuceConnectionFactory factory = factory(servers, client);
		factory.afterPropertiesSet();
		factory.start();
		this.factories.add(factory);
		return factory;
	}

	private static LettuceConnectionFactory factory(RedisConfiguration servers, LettuceClientConfiguration client) {
		if (servers instanceof RedisSentinelConfiguration sentinels) {
			return new LettuceConnectionFactory(sentinels, client);
		}
		if (servers instanceof RedisClusterConfiguration cluster) {
			return new LettuceConnectionFactory(cluster, client);
		}
		return new LettuceConnectionFactory((RedisStandaloneConfiguration) servers, client);
	}

	@Override
	public void close() {
		this.factories.forEach(LettuceConnectionFactory::destroy);
		this.resources.shutdown(0, 2, TimeUnit.SECONDS);
	}

}
