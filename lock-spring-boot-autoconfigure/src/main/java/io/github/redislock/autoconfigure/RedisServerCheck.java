package io.github.redislock.autoconfigure;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.redis.RedisLockStoreOptions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Checks whether a Redis server is configured to keep locks: its version, eviction and
 * persistence, whether it runs scripts that write and, with {@code min-acks}, its
 * replicas.
 * <p>
 * Besides the commands of the store, this uses {@code INFO} and {@code CONFIG GET}.
 * Values that the Redis user may not read, or that Redis does not return, are not
 * checked. In a Cluster, these two commands go to all nodes.
 */
final class RedisServerCheck {

	private static final Log logger = LogFactory.getLog(RedisServerCheck.class);

	/** Versions of Redis before 6.2. */
	private static final Pattern TOO_OLD = Pattern.compile("([0-5]|6\\.[01])(\\..*)?");

	private final RedisConnectionFactory connectionFactory;

	private final RedisLockStoreOptions options;

	private final Set<String> servers;

	/**
	 * Create a check.
	 * @param servers receives the names and versions of the servers
	 */
	RedisServerCheck(RedisConnectionFactory connectionFactory, RedisLockStoreOptions options, Set<String> servers) {
		this.connectionFactory = connectionFactory;
		this.options = options;
		this.servers = servers;
	}

	/**
	 * Check Redis. Blocks as long as the connection factory does. Does not throw an
	 * exception if Redis fails.
	 * @return the problems found, or {@code null} if Redis is not available
	 */
	@Nullable List<Finding> run() {
		List<Finding> findings = new ArrayList<>();
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			connection.ping();
			ask("version", () -> checkVersion(connection, findings::add));
			ask("scripting engine", () -> checkScripts(connection, findings::add));
			ask("eviction policy", () -> checkEviction(connection, findings::add));
			ask("persistence", () -> checkPersistence(connection, findings::add));
			if (this.options.minAcks() > 0) {
				ask("command WAIT", () -> checkWait(connection, findings::add));
				ask("number of replicas", () -> checkReplicas(connection, findings::add));
			}
			return findings;
		}
		catch (RuntimeException ex) {
			logger.debug("Redis could not be reached for the check of its configuration", ex);
			return null;
		}
	}

	private void ask(String what, Runnable question) {
		try {
			question.run();
		}
		catch (RuntimeException ex) {
			logger.debug("The " + what + " of Redis is unknown", ex);
		}
	}

	private void checkVersion(RedisConnection connection, Consumer<Finding> findings) {
		Properties server = info(connection, "server");
		List<String> names = names(server, "redis_version").sorted().toList();
		for (String name : names) {
			String node = name.substring(0, name.length() - "redis_version".length());
			String valkey = server.getProperty(node + "valkey_version");
			this.servers.add((valkey != null) ? "Valkey " + valkey : "Redis " + server.getProperty(name));
		}
		names.stream()
			// Valkey reports the version of Redis whose commands it supports.
			.map(server::getProperty)
			.filter((version) -> TOO_OLD.matcher(version).matches())
			.findFirst()
			.ifPresent((version) -> findings
				.accept(new Finding("Redis has version %s, but the scripts need 6.2 or later.".formatted(version),
						"Update Redis to 6.2 or later, or use Valkey.")));
	}

	private void checkScripts(RedisConnection connection, Consumer<Finding> findings) {
		try {
			connection.scriptingCommands()
				.eval(bytes("return redis.call('ZREM', KEYS[1], '')"), ReturnType.INTEGER, 1,
						// No lock has this key.
						bytes("{%s}:probe".formatted(this.options.keyPrefix())));
		}
		catch (RuntimeException ex) {
			if (RedisErrors.isReadOnly(ex)) {
				findings.accept(new Finding("Redis is a read-only replica: no lock can be acquired.",
						"Set 'spring.data.redis.host' to the address of the master, or let"
								+ " 'spring.data.redis.sentinel.*' find it."));
				return;
			}
			if (!RedisErrors.isWithoutScripts(ex)) {
				throw ex;
			}
			findings.accept(new Finding(
					"Redis cannot run Lua scripts (%s): no lock can be acquired.".formatted(RedisErrors.innermost(ex)),
					"Allow EVAL and EVALSHA, or load the Lua module of Valkey (in Alpine, package 'valkey-lua')."));
		}
	}

	private void checkEviction(RedisConnection connection, Consumer<Finding> findings) {
		values(info(connection, "memory"), "maxmemory_policy").stream()
			.filter((policy) -> !policy.equals("noeviction"))
			.findFirst()
			.ifPresent((policy) -> findings.accept(new Finding(
					("Redis evicts keys when its memory is full (maxmemory-policy is '%s'):"
							+ " a lock may vanish while it is held.")
						.formatted(policy),
					"Set 'maxmemory-policy noeviction', or keep locks in a separate Redis.")));
	}

	private void checkPersistence(RedisConnection connection, Consumer<Finding> findings) {
		if (!this.options.coldStartQuarantine().isZero()
				|| !values(info(connection, "persistence"), "aof_enabled").contains("0")) {
			return;
		}
		if (values(notNull(connection.serverCommands().getConfig("save")), "save").contains("")) {
			findings.accept(new Finding(
					"Redis saves no data (neither AOF nor RDB): a restart frees all locks, even those that are held.",
					"Set 'appendonly yes', or 'redis-lock.cold-start-quarantine' to the longest lease plus its"
							+ " grace."));
		}
	}

	private void checkWait(RedisConnection connection, Consumer<Finding> findings) {
		try {
			connection.execute("WAIT", bytes("0"), bytes("0"));
		}
		catch (RuntimeException ex) {
			// Other failures are ignored. With Lettuce, even a successful WAIT fails
			// here, because Spring Data does not expect a number as its reply.
			if (RedisErrors.isWithoutWait(ex)) {
				findings.accept(new Finding(
						"Redis does not know WAIT, which 'redis-lock.replication.min-acks' needs:"
								+ " no lock can be acquired.",
						"Remove 'redis-lock.replication.min-acks', or keep locks in a Redis with this command."));
			}
		}
	}

	private void checkReplicas(RedisConnection connection, Consumer<Finding> findings) {
		int needed = this.options.minAcks();
		Properties replication = info(connection, "replication");
		// In a Cluster, the replicas reply as well, but they have no replicas.
		List<String> masters = names(replication, "role")
			.filter((name) -> "master".equals(replication.getProperty(name)))
			.toList();
		if (masters.isEmpty()) {
			throw new IllegalStateException("This Redis is a replica itself");
		}
		masters.stream()
			.map((name) -> replication.getProperty(
					name.substring(0, name.length() - "role".length()) + "connected_slaves", Integer.toString(needed)))
			.filter((count) -> Integer.parseInt(count) < needed)
			.findFirst()
			.ifPresent((count) -> findings.accept(new Finding(
					"A master has %s replicas, but 'redis-lock.replication.min-acks' is %s: it can grant no lock."
						.formatted(count, needed),
					"Start more replicas, or lower 'redis-lock.replication.min-acks'.")));
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private static Properties info(RedisConnection connection, String section) {
		return notNull(connection.serverCommands().info(section));
	}

	private static Properties notNull(@Nullable Properties reply) {
		if (reply == null) {
			throw new IllegalStateException("The connection returned no reply");
		}
		return reply;
	}

	/**
	 * Return the values of all nodes. In a Cluster, the address of the node precedes the
	 * name of each value.
	 */
	private static List<String> values(Properties reply, String name) {
		return names(reply, name).map(reply::getProperty).toList();
	}

	private static Stream<String> names(Properties reply, String name) {
		return reply.stringPropertyNames().stream().filter((key) -> key.equals(name) || key.endsWith('.' + name));
	}

	/**
	 * A problem with a Redis server.
	 *
	 * @param problem what is wrong, and its effect on locks
	 * @param remedy what to do
	 */
	record Finding(String problem, String remedy) {
	}

}
