package io.github.redislock.internal.client;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import org.jspecify.annotations.Nullable;

/**
 * The connections to the nodes of a Cluster, for requests that wait for replicas:
 * {@code WAIT} must be sent on the connection that sent the script. Thread-safe.
 */
final class NodeConnections {

	private static final Pattern MOVED = Pattern.compile("MOVED \\d+ (?<host>.+):(?<port>\\d+)");

	private final StatefulRedisClusterConnection<byte[], byte[]> cluster;

	private final Replication replication;

	private final Map<StatefulRedisConnection<byte[], byte[]>, Node> nodes = new ConcurrentHashMap<>();

	NodeConnections(StatefulRedisClusterConnection<byte[], byte[]> cluster, Replication replication) {
		this.cluster = cluster;
		this.replication = replication;
	}

	/**
	 * Return the node that is known as the master of a key's slot.
	 */
	CompletableFuture<Node> masterOf(byte[] key) {
		RedisClusterNode master = this.cluster.getPartitions().getPartitionBySlot(SlotHash.getSlot(key));
		if (master == null) {
			return CompletableFuture.failedFuture(new IllegalStateException("CLUSTERDOWN No node has the slot"));
		}
		RedisURI address = master.getUri();
		return node(address.getHost(), address.getPort());
	}

	/**
	 * Return the node to which a reply redirects the request.
	 * @return {@code null} if the reply does not redirect
	 */
	@Nullable CompletableFuture<Node> movedTo(Throwable failure) {
		if (!(failure instanceof RedisCommandExecutionException)) {
			return null;
		}
		Matcher matcher = MOVED.matcher(String.valueOf(failure.getMessage()));
		return matcher.matches() ? node(matcher.group("host"), Integer.parseInt(matcher.group("port"))) : null;
	}

	private CompletableFuture<Node> node(String host, int port) {
		return this.cluster.getConnectionAsync(host, port).thenApply(this::node);
	}

	private Node node(StatefulRedisConnection<byte[], byte[]> connection) {
		Node present = this.nodes.get(connection);
		if (present != null) {
			return present;
		}
		// Forget closed connections, such as those to nodes that have left the Cluster.
		this.nodes.keySet().removeIf((other) -> !other.isOpen());
		return this.nodes.computeIfAbsent(connection,
				(added) -> new Node(added, new ReplicaAcks(added.async(), this.replication)));
	}

	/**
	 * A connection, and the acknowledgements of its replicas.
	 */
	record Node(StatefulConnection<byte[], byte[]> connection, ReplicaAcks acks) {
	}

}
