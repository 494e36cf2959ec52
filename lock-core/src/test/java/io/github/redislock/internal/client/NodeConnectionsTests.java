package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import io.github.redislock.internal.client.NodeConnections.Node;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class NodeConnectionsTests {

	/**
	 * A wait for replicas blocks its connection, so only one may run at a time.
	 */
	@Test
	void requestsOfANodeShareTheirWaitsEvenIfOthersAreUsedInBetween() {
		try (RespServer redis = new RespServer(); RespServer other = new RespServer()) {
			Map<Integer, String> masters = Map.of(redis.port(), "0-16382", other.port(), "16383");
			redis.replyAsCluster(masters);
			other.replyAsCluster(masters);
			LockConnectionFactory connections = LockConnectionFactory.deriveFrom(redis.application(),
					new ClientSettings("test", Duration.ofSeconds(10), 1, false, "lock:", List.of()));
			try {
				NodeConnections nodes = new NodeConnections(
						(StatefulRedisClusterConnection<byte[], byte[]>) connections.connect(),
						new Replication(1, Duration.ofMillis(50)));
				Node first = node(nodes, redis);

				Node second = node(nodes, other);

				assertThat(second.acks()).isNotSameAs(first.acks());
				assertThat(node(nodes, redis).acks()).isSameAs(first.acks());
			}
			finally {
				connections.destroy();
			}
		}
	}

	private static Node node(NodeConnections nodes, RespServer redis) {
		Throwable moved = new RedisCommandExecutionException("MOVED 1 127.0.0.1:" + redis.port());
		return Objects.requireNonNull(nodes.movedTo(moved)).join();
	}

}
