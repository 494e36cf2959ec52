package io.github.redislock.redis.quorum;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.internal.client.Clients;
import io.github.redislock.internal.client.RedisAddress;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Priority;
import io.github.redislock.internal.client.Script.Reply;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Creates the nodes of a quorum, and refuses unsuitable ones.
 */
final class QuorumNodes {

	/** The script that raises the fencing tokens of locks that were just granted. */
	static final Script RAISE = Script.read(QuorumNodes.class, "raise", Reply.NUMBER, Priority.AT_ONCE);

	private QuorumNodes() {
	}

	/**
	 * Return a node.
	 * @param store keeps the locks of the node; created with
	 * {@link RedisLockStore#createVoter}
	 */
	static QuorumNode of(String name, RedisLockStore store) {
		return new QuorumNode(name, store,
				(granted, requestId, token, seen) -> store.raise(RAISE, granted, requestId, token, seen));
	}

	/**
	 * Create the nodes with their connections.
	 * @throws IllegalArgumentException with the reason if they cannot form a quorum
	 */
	static List<QuorumNode> create(List<? extends RedisConnectionFactory> connectionFactories,
			RedisLockStoreOptions options) {
		Quorum.requireUsable(connectionFactories.size());
		if (options.minAcks() > 0) {
			throw new IllegalArgumentException(
					"redis-lock.replication.min-acks does not work with a quorum: no replica may replace one of"
							+ " its nodes");
		}
		List<String> names = names(connectionFactories);
		requireOtherServers(connectionFactories, names);
		List<QuorumNode> nodes = new ArrayList<>();
		try {
			for (int index = 0; index < names.size(); index++) {
				nodes.add(of(names.get(index), RedisLockStore.createVoter(connectionFactories.get(index), options)));
			}
			return nodes;
		}
		catch (RuntimeException ex) {
			nodes.forEach((node) -> node.store().close());
			throw ex;
		}
	}

	private static List<String> names(List<? extends RedisConnectionFactory> connectionFactories) {
		Set<Object> seen = new HashSet<>();
		List<String> names = new ArrayList<>();
		for (RedisConnectionFactory connectionFactory : connectionFactories) {
			int number = names.size() + 1;
			if (RedisLockStore.isCluster(connectionFactory)) {
				throw new IllegalArgumentException(
						"node %s of the quorum is a Redis Cluster: each node has to be a single server"
							.formatted(number));
			}
			if (isSentinel(connectionFactory)) {
				throw new IllegalArgumentException(("node %s of the quorum is watched by Sentinel: each node has to be"
						+ " a server that no replica replaces, because the replica may not know of a lock")
					.formatted(number));
			}
			// Databases of one server are lost together, so they must not count as two
			// nodes.
			String address = RedisAddress.of(connectionFactory);
			if (!seen.add(connectionFactory) || (address != null && !seen.add(address))) {
				throw new IllegalArgumentException("node %s of the quorum, %s, is listed twice: it would have two votes"
					.formatted(number, (address != null) ? address : connectionFactory));
			}
			names.add((address != null) ? address : "node " + number);
		}
		return names;
	}

	/**
	 * Refuse a server that is listed under two names. Servers with TLS are not checked,
	 * because several of them may share an address and differ only by name.
	 */
	private static void requireOtherServers(List<? extends RedisConnectionFactory> connectionFactories,
			List<String> names) {
		Map<String, RedisStandaloneConfiguration> servers = new LinkedHashMap<>();
		for (int index = 0; index < names.size(); index++) {
			RedisConnectionFactory connectionFactory = connectionFactories.get(index);
			if (RedisAddress.configuration(connectionFactory) instanceof RedisStandaloneConfiguration server
					&& !RedisAddress.isEncrypted(connectionFactory)) {
				servers.put(names.get(index), server);
			}
		}
		Map<String, Set<InetAddress>> addresses = HostNames
			.resolve(servers.values().stream().map(RedisStandaloneConfiguration::getHostName).toList());
		Map<InetSocketAddress, String> seen = new HashMap<>();
		servers.forEach((name, server) -> addresses.getOrDefault(server.getHostName(), Set.of()).forEach((address) -> {
			String other = seen.put(new InetSocketAddress(address, server.getPort()), name);
			if (other != null) {
				throw new IllegalArgumentException(
						"node %s of the quorum, %s, is the same server as %s: it would have two votes"
							.formatted(names.indexOf(name) + 1, name, other));
			}
		}));
	}

	private static boolean isSentinel(RedisConnectionFactory connectionFactory) {
		return (Clients.LETTUCE_PRESENT && connectionFactory instanceof LettuceConnectionFactory lettuce
				&& lettuce.isRedisSentinelAware())
				|| (Clients.JEDIS_PRESENT && connectionFactory instanceof JedisConnectionFactory jedis
						&& jedis.isRedisSentinelAware());
	}

}
