package io.github.redislock.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.FileSystemUtils;

/**
 * A real Redis Cluster on this machine whose slots may be moved and whose nodes may be
 * frozen, killed or promoted.
 * <p>
 * Three masters share the slots evenly. A node that is silent for a second counts as
 * failed; its replica is then promoted after two or three seconds.
 */
public final class RedisCluster implements AutoCloseable {

	private static final int SLOTS = 16_384;

	private static final int MASTERS = 3;

	private static final int ATTEMPTS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	/**
	 * A replica that is to take over stops trying after 5 s if too few nodes vote for it,
	 * because no node votes twice for one master within two node timeouts.
	 */
	private static final Duration GIVEN_UP = Duration.ofSeconds(6);

	private final List<RedisProcess> nodes = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	private final List<Integer> ports = new ArrayList<>();

	private final ConnectionFactories factories = new ConnectionFactories();

	private final Path directory;

	private RedisCluster(int replicas, boolean proxied, String... options) throws IOException {
		this.directory = Files.createTempDirectory("lock-redis-cluster");
		try {
			launch(MASTERS * (1 + replicas), proxied, options);
			awaitHealthy();
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Start three masters and a replica of each.
	 * @param options lines of their configurations
	 */
	public static RedisCluster start(String... options) {
		return start(1, false, options);
	}

	/**
	 * Start three masters without replicas.
	 * @param options lines of their configurations
	 */
	public static RedisCluster startMasters(String... options) {
		return start(0, false, options);
	}

	/**
	 * Start three masters without replicas, which clients reach by {@link #proxyOf
	 * proxies}.
	 * @param options lines of their configurations
	 */
	public static RedisCluster startMastersBehindProxies(String... options) {
		return start(0, true, options);
	}

	/**
	 * Start three masters and a replica of each, which clients and replicas reach by
	 * {@link #proxyOf proxies}. The connections of the cluster bus have no proxies.
	 * @param options lines of their configurations
	 */
	public static RedisCluster startBehindProxies(String... options) {
		return start(1, true, options);
	}

	/**
	 * Another program may use a free port before a node listens on it. Then other ports
	 * are tried.
	 */
	private static RedisCluster start(int replicas, boolean proxied, String... options) {
		for (int attempt = 1;; attempt++) {
			try {
				return new RedisCluster(replicas, proxied, options);
			}
			catch (IllegalStateException ex) {
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}
	}

	/**
	 * Start nodes that know each other from their configuration files, because
	 * introducing them takes longer, especially on a busy machine.
	 */
	private void launch(int count, boolean proxied, String... options) throws IOException {
		List<Integer> buses = freePorts(2 * count);
		List<Integer> servers = buses.subList(count, 2 * count);
		for (int server : servers) {
			if (proxied) {
				this.proxies.add(FaultProxy.before(server));
			}
			this.ports.add(proxied ? this.proxies.get(this.proxies.size() - 1).port() : server);
		}
		for (int node = 0; node < count; node++) {
			int self = node;
			List<String> known = new ArrayList<>(IntStream.range(0, count)
				.mapToObj((other) -> line(other, other == self, this.ports.get(other), buses.get(other)))
				.toList());
			known.add("vars currentEpoch %d lastVoteEpoch 0".formatted(MASTERS));
			Path file = this.directory.resolve("nodes-" + node + ".conf");
			Files.write(file, known);
			Stream<String> own = Stream.of("cluster-enabled yes", "cluster-config-file " + file,
					"cluster-port " + buses.get(node), "cluster-announce-port " + this.ports.get(node),
					"cluster-node-timeout 1000", "cluster-replica-validity-factor 0",
					"cluster-allow-replica-migration no");
			this.nodes.add(RedisProcess.launch(servers.get(node),
					Stream.concat(own, Stream.of(options)).toArray(String[]::new)));
		}
		this.nodes.forEach(RedisProcess::awaitReply);
	}

	private static String line(int node, boolean self, int port, int bus) {
		boolean master = node < MASTERS;
		String flags = (self ? "myself," : "") + (master ? "master" : "slave");
		String slots = master ? " %d-%d".formatted(SLOTS * node / MASTERS, SLOTS * (node + 1) / MASTERS - 1) : "";
		int epoch = 1 + node % MASTERS;
		return "%s 127.0.0.1:%d@%d %s %s 0 0 %d connected%s".formatted(id(node), port, bus, flags,
				master ? "-" : id(node % MASTERS), epoch, slots);
	}

	private static List<Integer> freePorts(int count) {
		return Stream.generate(RedisProcess::freePort).distinct().limit(count).toList();
	}

	private static String id(int node) {
		return Integer.toString(10 + node).repeat(20);
	}

	/**
	 * Return a new connection factory of an application, closed together with this
	 * cluster.
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(LettuceClients.DEFAULTS);
	}

	/**
	 * Return a new connection factory with these options, closed together with this
	 * cluster.
	 */
	public LettuceConnectionFactory connectionFactory(LettuceClientConfiguration client) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(), client);
		return this.factories.start(factory, factory::destroy);
	}

	/**
	 * Return a new connection factory that uses Jedis, closed together with this cluster.
	 */
	public JedisConnectionFactory jedisConnectionFactory() {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration());
		return this.factories.start(factory, factory::destroy);
	}

	/**
	 * Return the addresses of all nodes.
	 */
	public RedisClusterConfiguration configuration() {
		return new RedisClusterConfiguration(this.ports.stream().map((port) -> "127.0.0.1:" + port).toList());
	}

	/**
	 * Return all nodes, including dead ones.
	 */
	public List<RedisProcess> nodes() {
		return this.nodes;
	}

	/**
	 * Return the current masters.
	 */
	public List<RedisProcess> masters() {
		return running()
			.filter((node) -> ClusterNode.knownTo(node)
				.anyMatch((known) -> known.flags().contains("myself") && known.isMaster()))
			.toList();
	}

	/**
	 * Return the node that has the slot of a key according to the latest agreement.
	 */
	public RedisProcess nodeOf(String key) {
		long slot = slot(key);
		return running().flatMap(ClusterNode::knownTo)
			.filter((known) -> known.isMaster() && known.has(slot))
			.max(Comparator.comparingLong(ClusterNode::epoch))
			.map((known) -> process(known.id()))
			.orElseThrow(() -> new IllegalStateException("No node has slot " + slot));
	}

	/**
	 * Return another master.
	 */
	public RedisProcess otherThan(RedisProcess node) {
		return masters().stream().filter((other) -> other != node).findFirst().orElseThrow();
	}

	/**
	 * Return the replica of a master, which may be dead.
	 */
	public RedisProcess replicaOf(RedisProcess master) {
		return running().flatMap(ClusterNode::knownTo)
			.filter((known) -> known.masterId().equals(id(master)) && known.isHealthy())
			.findFirst()
			.map((known) -> process(known.id()))
			.orElseThrow(() -> new IllegalStateException("The master has no replica"));
	}

	/**
	 * Return the proxy of a node.
	 */
	public FaultProxy proxyOf(RedisProcess node) {
		return this.proxies.get(this.nodes.indexOf(node));
	}

	/**
	 * Return the value of a key, on any node.
	 */
	public @Nullable Object get(String key) {
		return running()
			.filter((node) -> ((List<?>) node.command("CLUSTER", "GETKEYSINSLOT", slotText(key), "100")).contains(key))
			// A replica has the keys too, but does not return their values.
			.filter(masters()::contains)
			.findFirst()
			.map((node) -> {
				// This works only where the slot has settled.
				return node.command("GET", key);
			})
			.orElse(null);
	}

	/**
	 * Return the value that a replica has for a key.
	 */
	public @Nullable Object valueAt(RedisProcess replica, String key) {
		return replica.commands(List.of(new String[] { "READONLY" }, new String[] { "GET", key }));
	}

	/**
	 * Begin to move the slot of a key to another node.
	 */
	public void beginToMove(String key) {
		RedisProcess source = nodeOf(key);
		beginToMove(key, otherThan(source));
	}

	/**
	 * Begin to move the slot of a key to that node.
	 */
	public void beginToMove(String key, RedisProcess target) {
		RedisProcess source = nodeOf(key);
		target.command("CLUSTER", "SETSLOT", slotText(key), "IMPORTING", id(source));
		source.command("CLUSTER", "SETSLOT", slotText(key), "MIGRATING", id(target));
	}

	/**
	 * Return the keys in the slot of a key at the node that has it.
	 */
	public List<String> keysBeside(String key) {
		List<?> keys = (List<?>) nodeOf(key).command("CLUSTER", "GETKEYSINSLOT", slotText(key), "100");
		return keys.stream().map(String::valueOf).sorted().toList();
	}

	/**
	 * Move some keys, without the slot.
	 */
	public void moveKeys(RedisProcess target, List<String> keys) {
		if (keys.isEmpty()) {
			return;
		}
		Stream<String> head = Stream.of("MIGRATE", "127.0.0.1", Integer.toString(target.port()), "", "0", "5000",
				"KEYS");
		nodeOf(keys.get(0)).command(Stream.concat(head, keys.stream()).toArray(String[]::new));
	}

	/**
	 * Move the rest of the slot, and assign it to the other node.
	 */
	public void finishMoving(String key) {
		RedisProcess source = nodeOf(key);
		finishMoving(key, otherThan(source));
	}

	/**
	 * Move the rest of the slot, and assign it to that node.
	 */
	public void finishMoving(String key, RedisProcess target) {
		RedisProcess source = nodeOf(key);
		// A key may be written in the meantime.
		await("slot is empty").until(() -> {
			moveKeys(target, keysBeside(key));
			try {
				target.command("CLUSTER", "SETSLOT", slotText(key), "NODE", id(target));
				source.command("CLUSTER", "SETSLOT", slotText(key), "NODE", id(target));
				return true;
			}
			catch (IllegalStateException ex) {
				return false;
			}
		});
		masters().stream()
			.filter((node) -> node != source && node != target)
			.forEach((node) -> node.command("CLUSTER", "SETSLOT", slotText(key), "NODE", id(target)));
	}

	/**
	 * Promote a replica in an orderly failover, and wait for it.
	 * @return the replica, now a master
	 */
	public RedisProcess failOver(RedisProcess master) {
		RedisProcess replica = replicaOf(master);
		AtomicLong next = new AtomicLong(System.nanoTime());
		await("manual fail-over").until(() -> {
			if (System.nanoTime() - next.get() >= 0) {
				// Redis refuses this while the link is down or another election is in
				// progress.
				replica.command("CLUSTER", "FAILOVER");
				next.set(System.nanoTime() + GIVEN_UP.toNanos());
			}
			return serves(replica);
		});
		return replica;
	}

	/**
	 * Wait until a node is a master that serves its slots and all others know that,
	 * because a client may ask any node.
	 */
	public void awaitMaster(RedisProcess node) {
		await("promotion").until(() -> serves(node));
	}

	private boolean serves(RedisProcess node) {
		return masters().contains(node) && String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok")
				&& agree();
	}

	/**
	 * Wait until all running nodes serve, know of no failure, agree on the slots, and the
	 * replicas have all data.
	 */
	public void awaitHealthy() {
		await("healthy cluster").until(() -> running().allMatch(this::isHealthy) && agree());
	}

	/**
	 * Return whether all running nodes agree on the slots.
	 */
	private boolean agree() {
		return running().map(RedisCluster::owners).distinct().count() == 1;
	}

	private boolean isHealthy(RedisProcess node) {
		String replication = String.valueOf(node.command("INFO", "replication"));
		return String.valueOf(node.command("CLUSTER", "INFO")).contains("cluster_state:ok")
				&& ClusterNode.knownTo(node).allMatch((known) -> known.isHealthy() || !process(known.id()).isRunning())
				&& (replication.contains("role:master") || replication.contains("master_link_status:up"));
	}

	private static List<String> owners(RedisProcess node) {
		return ClusterNode.knownTo(node)
			.filter(ClusterNode::isMaster)
			.map((known) -> known.id() + known.slots())
			.sorted()
			.toList();
	}

	/**
	 * Wait until a node reports this about the cluster.
	 */
	public void awaitInfo(RedisProcess node, String... lines) {
		await(String.join(", ", lines))
			.until(() -> Stream.of(lines).allMatch(String.valueOf(node.command("CLUSTER", "INFO"))::contains));
	}

	@Override
	public void close() {
		this.proxies.forEach(FaultProxy::flow);
		this.factories.close();
		this.nodes.forEach(RedisProcess::close);
		this.proxies.forEach(FaultProxy::close);
		try {
			FileSystemUtils.deleteRecursively(this.directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private Stream<RedisProcess> running() {
		return this.nodes.stream().filter(RedisProcess::isRunning);
	}

	private long slot(String key) {
		Object reply = running().findFirst().orElseThrow().command("CLUSTER", "KEYSLOT", key);
		return (reply instanceof Long slot) ? slot : -1;
	}

	private String slotText(String key) {
		return Long.toString(slot(key));
	}

	private RedisProcess process(String id) {
		return this.nodes.stream().filter((node) -> id(node).equals(id)).findFirst().orElseThrow();
	}

	private String id(RedisProcess node) {
		return id(this.nodes.indexOf(node));
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what)
			.atMost(PATIENCE)
			.pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(20))
			// The error of a node that is not up yet, or that cannot do this at the
			// moment.
			.ignoreExceptionsMatching(
					(failure) -> failure instanceof UncheckedIOException || failure instanceof IllegalStateException);
	}

}
