package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The smallest real Redis Cluster, of which slots may be moved and nodes be killed.
 */
final class ThreeMasters implements AutoCloseable {

	private static final int SLOTS = 16_384;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	final List<RedisProcess> nodes;

	private ThreeMasters(List<RedisProcess> nodes) {
		this.nodes = nodes;
	}

	static ThreeMasters start() {
		ThreeMasters cluster = new ThreeMasters(Stream.generate(ThreeMasters::startNode).limit(3).toList());
		for (int i = 0; i < 3; i++) {
			cluster.nodes.get(i)
				.command("CLUSTER", "ADDSLOTSRANGE", Integer.toString(SLOTS * i / 3),
						Integer.toString(SLOTS * (i + 1) / 3 - 1));
			cluster.nodes.get(0)
				.command("CLUSTER", "MEET", "127.0.0.1", Integer.toString(cluster.nodes.get(i).port()),
						busPort(cluster.nodes.get(i)));
		}
		cluster.nodes.forEach((node) -> cluster.awaitInfo(node, "cluster_state:ok", "cluster_size:3"));
		return cluster;
	}

	LettuceConnectionFactory connectionFactory() {
		List<String> addresses = this.nodes.stream().map((node) -> "127.0.0.1:" + node.port()).toList();
		return this.nodes.get(0)
			.connectionFactory(new LettuceConnectionFactory(new RedisClusterConfiguration(addresses)));
	}

	/**
	 * Return the node that has the slot of a key.
	 */
	RedisProcess nodeOf(String key) {
		return this.nodes.get((int) (slot(key) * 3 / SLOTS));
	}

	/**
	 * Return another node than that.
	 */
	RedisProcess otherThan(RedisProcess node) {
		return this.nodes.get((this.nodes.indexOf(node) + 1) % 3);
	}

	/**
	 * Return the value of a key, wherever it is.
	 */
	@Nullable Object get(String key) {
		return this.nodes.stream()
			.filter((node) -> ((List<?>) node.command("CLUSTER", "GETKEYSINSLOT", slotText(key), "100")).contains(key))
			.findFirst()
			.map((node) -> {
				// Only where the slot has settled.
				return node.command("GET", key);
			})
			.orElse(null);
	}

	/**
	 * Begin to move the slot of a key to another node.
	 */
	void beginToMove(String key) {
		RedisProcess source = nodeOf(key);
		RedisProcess target = otherThan(source);
		target.command("CLUSTER", "SETSLOT", slotText(key), "IMPORTING", id(source));
		source.command("CLUSTER", "SETSLOT", slotText(key), "MIGRATING", id(target));
	}

	/**
	 * Move the keys of the slot, and let the other node have it.
	 */
	void finishMoving(String key) {
		RedisProcess source = nodeOf(key);
		RedisProcess target = otherThan(source);
		List<?> keys = (List<?>) source.command("CLUSTER", "GETKEYSINSLOT", slotText(key), "100");
		if (!keys.isEmpty()) {
			Stream<String> head = Stream.of("MIGRATE", "127.0.0.1", Integer.toString(target.port()), "", "0", "5000",
					"KEYS");
			source.command(Stream.concat(head, keys.stream().map(String::valueOf)).toArray(String[]::new));
		}
		for (RedisProcess node : List.of(target, source, otherThan(target))) {
			node.command("CLUSTER", "SETSLOT", slotText(key), "NODE", id(target));
		}
	}

	void awaitInfo(RedisProcess node, String... lines) {
		Awaitility.await(String.join(", ", lines))
			.atMost(PATIENCE)
			.until(() -> Stream.of(lines).allMatch(String.valueOf(node.command("CLUSTER", "INFO"))::contains));
	}

	@Override
	public void close() {
		this.nodes.forEach(RedisProcess::close);
	}

	private long slot(String key) {
		return (Long) this.nodes.get(0).command("CLUSTER", "KEYSLOT", key);
	}

	private String slotText(String key) {
		return Long.toString(slot(key));
	}

	private static String id(RedisProcess node) {
		return String.valueOf(node.command("CLUSTER", "MYID"));
	}

	/**
	 * Start a node. Its second port is not 10000 above the first, which may be too much.
	 */
	private static RedisProcess startNode() {
		return RedisProcess.start("cluster-enabled yes", "cluster-node-timeout 1000",
				"cluster-port " + RedisProcess.freePort());
	}

	private static String busPort(RedisProcess node) {
		List<?> answer = (List<?>) node.command("CONFIG", "GET", "cluster-port");
		return String.valueOf(answer.get(1));
	}

}
