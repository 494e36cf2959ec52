package io.github.redislock.benchmarks.redis;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/**
 * A connection that the runner uses to query Redis.
 */
public final class RedisConsole implements AutoCloseable {

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(10);

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	/** The bytes of INFO's replies, which are most of the console's traffic. */
	private long bytesOfInfo;

	RedisConsole(String host, int port) {
		this.client = RedisClient.create(RedisURI.create(host, port));
		this.connection = connect(this.client);
	}

	/**
	 * Return the counters since Redis started.
	 */
	public RedisCounters counters() {
		Map<String, Long> calls = new HashMap<>();
		info("commandstats").forEach((name, fields) -> {
			String number = fields.substring(fields.indexOf('=') + 1, fields.indexOf(','));
			calls.put(name.substring("cmdstat_".length()), Long.valueOf(number));
		});
		Map<String, String> cpu = info("cpu");
		double seconds = Double.parseDouble(cpu.get("used_cpu_user")) + Double.parseDouble(cpu.get("used_cpu_sys"));
		long read = this.bytesOfInfo;
		Map<String, String> stats = info("stats");
		long bytes = Long.parseLong(stats.get("total_net_input_bytes"))
				+ Long.parseLong(stats.get("total_net_output_bytes")) - read;
		return new RedisCounters(calls, seconds, bytes);
	}

	/**
	 * Return the server's kind and version, for example {@code Redis 7.0.15}.
	 */
	public String version() {
		Map<String, String> server = info("server");
		String valkey = server.get("valkey_version");
		return (valkey != null) ? "Valkey " + valkey : "Redis " + server.getOrDefault("redis_version", "?");
	}

	/**
	 * Return the milliseconds until a key expires. The result is negative if the key does
	 * not exist or does not expire.
	 */
	public long timeToLive(String key) {
		return commands().pttl(key);
	}

	/**
	 * Return when a key expires, in milliseconds since 1970. The result is exact with
	 * Redis 7 or later.
	 * @param key a key that exists and expires
	 */
	public long expiry(String key) {
		try {
			return commands().pexpiretime(key);
		}
		catch (RedisCommandExecutionException ex) {
			return System.currentTimeMillis() + timeToLive(key);
		}
	}

	public void set(String key, String value, Duration life) {
		commands().psetex(key, life.toMillis(), value);
	}

	public long keys() {
		return commands().dbsize();
	}

	/**
	 * Return how much memory Redis uses, in bytes.
	 */
	public long memory() {
		return Long.parseLong(info("memory").get("used_memory"));
	}

	public void ping() {
		commands().ping();
	}

	public void flush() {
		commands().flushall();
	}

	@Override
	public void close() {
		this.connection.close();
		this.client.shutdown(0, 2, TimeUnit.SECONDS);
	}

	private RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	private Map<String, String> info(String section) {
		Map<String, String> lines = new HashMap<>();
		String text = commands().info(section);
		this.bytesOfInfo += text.length();
		text.lines().filter((line) -> line.contains(":")).forEach((line) -> {
			int colon = line.indexOf(':');
			lines.put(line.substring(0, colon), line.substring(colon + 1));
		});
		return lines;
	}

	/**
	 * Connect to a server that may still be starting.
	 */
	private static StatefulRedisConnection<String, String> connect(RedisClient client) {
		long deadline = System.nanoTime() + PATIENCE;
		while (true) {
			try {
				return client.connect();
			}
			catch (RedisConnectionException ex) {
				if (System.nanoTime() - deadline > 0) {
					throw ex;
				}
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
			}
		}
	}

}
