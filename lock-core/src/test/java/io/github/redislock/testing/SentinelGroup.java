package io.github.redislock.testing;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A Redis with two replicas on this machine, watched by three sentinels: any of these
 * processes may be frozen, killed and restarted.
 * <p>
 * A master that does not reply for a second is replaced one or two seconds later.
 */
public final class SentinelGroup implements AutoCloseable {

	/** The name of the master. */
	public static final String NAME = "locks";

	private static final int SERVERS = 3;

	private static final int SENTINELS = 3;

	private static final int ATTEMPTS = 3;

	private static final Duration PATIENCE = Duration.ofSeconds(30);

	private final List<RedisProcess> servers = new ArrayList<>();

	private final List<RedisProcess> sentinels = new ArrayList<>();

	private final List<FaultProxy> proxies = new ArrayList<>();

	/** The ports that the servers announce: their own, or those of their proxies. */
	private final List<Integer> ports = new ArrayList<>();

	private final ConnectionFactories factories = new ConnectionFactories();

	private SentinelGroup(boolean proxied, String... options) {
		try {
			launch(proxied, options);
			awaitHealthy();
		}
		catch (RuntimeException | Error ex) {
			close();
			throw ex;
		}
	}

	/**
	 * Start a master, two replicas, and three sentinels.
	 * @param options lines of the configurations of master and replicas
	 */
	public static SentinelGroup start(String... options) {
		return start(false, options);
	}

	/**
	 * Start a master, two replicas, and three sentinels. Clients, replicas and sentinels
	 * reach master and replicas by {@link #proxyOf proxies}.
	 * @param options lines of the configurations of master and replicas
	 */
	public static SentinelGroup startBehindProxies(String... options) {
		return start(true, options);
	}

	private static SentinelGroup start(boolean proxied, String... options) {
		for (int attempt = 1;; attempt++) {
			try {
				return new SentinelGroup(proxied, options);
			}
			catch (IllegalStateException ex) {
				// Another program used a free port in the meantime.
				if (attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private void launch(boolean proxied, String... options) {
		List<Integer> own = Stream.generate(RedisProcess::freePort).distinct().limit(SERVERS + SENTINELS).toList();
		for (int port : own.subList(0, SERVERS)) {
			if (proxied) {
				this.proxies.add(FaultProxy.before(port));
			}
			this.ports.add(proxied ? this.proxies.get(this.proxies.size() - 1).port() : port);
		}
		List<Integer> watchers = own.subList(SERVERS, own.size());
		String master = "127.0.0.1 " + this.ports.get(0);
		for (int server = 0; server < SERVERS; server++) {
			List<String> lines = new ArrayList<>(List.of("replica-announce-port " + this.ports.get(server)));
			if (server > 0) {
				lines.add("replicaof " + master);
			}
			lines.addAll(List.of(options));
			this.servers.add(RedisProcess.launch(own.get(server), lines.toArray(String[]::new)));
		}
		this.servers.forEach(RedisProcess::awaitReply);
		// Sentinels poll a replica that is not ready only every ten seconds.
		await("replicas").until(() -> this.servers.stream().skip(1).allMatch(SentinelGroup::isInStep));
		for (int sentinel = 0; sentinel < SENTINELS; sentinel++) {
			this.sentinels.add(RedisProcess.launchSentinel(watchers.get(sentinel), lines(sentinel, master, watchers)));
		}
		this.sentinels.forEach(RedisProcess::awaitReply);
		this.sentinels.forEach(SentinelGroup::hurry);
	}

	/**
	 * Return the configuration of a sentinel that initially knows all others, because
	 * discovery takes seconds.
	 */
	private String[] lines(int self, String master, List<Integer> watchers) {
		List<String> lines = new ArrayList<>(List.of("sentinel monitor %s %s 2".formatted(NAME, master),
				"sentinel down-after-milliseconds %s 1000".formatted(NAME),
				"sentinel failover-timeout %s 3000".formatted(NAME), "sentinel parallel-syncs %s 2".formatted(NAME),
				"sentinel myid " + id(self)));
		this.ports.subList(1, SERVERS)
			.forEach((replica) -> lines.add("sentinel known-replica %s 127.0.0.1 %d".formatted(NAME, replica)));
		IntStream.range(0, SENTINELS)
			.filter((other) -> other != self)
			.forEach((other) -> lines
				.add("sentinel known-sentinel %s 127.0.0.1 %d %s".formatted(NAME, watchers.get(other), id(other))));
		return lines.toArray(String[]::new);
	}

	private static String id(int sentinel) {
		return Integer.toString(10 + sentinel).repeat(20);
	}

	/**
	 * Let a sentinel poll more often, and pause no longer than necessary after a stall.
	 * Redis 6.2 does not support this.
	 */
	private static void hurry(RedisProcess sentinel) {
		try {
			sentinel.command("SENTINEL", "DEBUG", "info-period", "500", "publish-period", "300", "ping-period", "200",
					"ask-period", "200", "min-link-reconnect-period", "1000", "tilt-period", "1000");
		}
		catch (IllegalStateException ex) {
			// Without these settings, everything takes longer.
		}
	}

	/**
	 * Return a new connection factory of an application, closed together with this group.
	 */
	public LettuceConnectionFactory connectionFactory() {
		return connectionFactory(LettuceClients.DEFAULTS);
	}

	/**
	 * Return a new connection factory with these options, closed together with this
	 * group.
	 */
	public LettuceConnectionFactory connectionFactory(LettuceClientConfiguration client) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration(), client);
		return this.factories.start(factory, factory::destroy);
	}

	/**
	 * Return a new connection factory that uses Jedis, closed together with this group.
	 */
	public JedisConnectionFactory jedisConnectionFactory() {
		JedisConnectionFactory factory = new JedisConnectionFactory(configuration());
		return this.factories.start(factory, factory::destroy);
	}

	/**
	 * Return the addresses of the sentinels.
	 */
	public RedisSentinelConfiguration configuration() {
		RedisSentinelConfiguration configuration = new RedisSentinelConfiguration().master(NAME);
		this.sentinels.forEach((sentinel) -> configuration.sentinel(new RedisNode("127.0.0.1", sentinel.port())));
		return configuration;
	}

	/**
	 * Return master and replicas, including dead ones.
	 */
	public List<RedisProcess> servers() {
		return this.servers;
	}

	public List<RedisProcess> sentinels() {
		return this.sentinels;
	}

	/**
	 * Return the port at which clients reach a server.
	 */
	public int announcedPort(RedisProcess server) {
		return this.ports.get(this.servers.indexOf(server));
	}

	/**
	 * Return the proxy of a server.
	 */
	public FaultProxy proxyOf(RedisProcess server) {
		return this.proxies.get(this.servers.indexOf(server));
	}

	/**
	 * Return the master that most sentinels name, which may be dead.
	 */
	public RedisProcess master() {
		return this.servers.stream()
			.filter((server) -> running(this.sentinels)
				.filter((sentinel) -> masterPort(sentinel).equals(Integer.toString(announcedPort(server))))
				.count() > SENTINELS / 2)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("The sentinels do not agree which is the master"));
	}

	/**
	 * Return all servers but the master.
	 */
	public List<RedisProcess> replicas() {
		RedisProcess master = master();
		return this.servers.stream().filter((server) -> server != master).toList();
	}

	/**
	 * Let the sentinels replace a working master, and wait for it.
	 * @return the new master
	 */
	public RedisProcess failOver() {
		RedisProcess before = master();
		// Sentinels refuse this while another failover is in progress.
		await("fail-over").until(() -> {
			this.sentinels.get(0).command("SENTINEL", "FAILOVER", NAME);
			return true;
		});
		return awaitMasterOtherThan(before);
	}

	/**
	 * Wait until another server is the master, and all running sentinels agree.
	 * @return the new master
	 */
	public RedisProcess awaitMasterOtherThan(RedisProcess before) {
		await("another master").until(() -> master() != before
				&& running(this.sentinels).map(SentinelGroup::masterPort).distinct().count() == 1
				&& role(master()).contains("role:master"));
		return master();
	}

	/**
	 * Wait until the master serves, all running servers have its data, and all running
	 * sentinels know that.
	 */
	public void awaitHealthy() {
		await("healthy servers and sentinels").until(() -> {
			RedisProcess master = master();
			List<RedisProcess> others = running(replicas()).toList();
			String told = role(master);
			return told.contains("role:master") && told.split("state=online", -1).length > others.size()
					&& others.stream().allMatch(SentinelGroup::isInStep)
					&& running(this.sentinels).allMatch((sentinel) -> isReady(sentinel, others));
		});
	}

	/**
	 * Return whether a sentinel could replace the master.
	 */
	private static boolean isReady(RedisProcess sentinel, List<RedisProcess> replicas) {
		String quorum = String.valueOf(sentinel.command("SENTINEL", "CKQUORUM", NAME));
		List<?> known = (List<?>) Objects.requireNonNull(sentinel.command("SENTINEL", "REPLICAS", NAME));
		long usable = known.stream()
			.map((replica) -> (List<?>) replica)
			.filter((replica) -> "slave".equals(value(replica, "flags"))
					&& "ok".equals(value(replica, "master-link-status")))
			.count();
		return quorum.startsWith("OK ") && usable >= replicas.size();
	}

	private static Object value(List<?> fields, String name) {
		return fields.get(fields.indexOf(name) + 1);
	}

	private static boolean isInStep(RedisProcess replica) {
		return role(replica).contains("master_link_status:up");
	}

	private static String role(RedisProcess server) {
		return String.valueOf(server.command("INFO", "replication"));
	}

	private static String masterPort(RedisProcess sentinel) {
		List<?> address = (List<?>) Objects
			.requireNonNull(sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME));
		return String.valueOf(address.get(1));
	}

	private static Stream<RedisProcess> running(List<RedisProcess> processes) {
		return processes.stream().filter(RedisProcess::isRunning);
	}

	@Override
	public void close() {
		this.factories.close();
		this.sentinels.forEach(RedisProcess::close);
		this.servers.forEach(RedisProcess::close);
		this.proxies.forEach(FaultProxy::close);
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
