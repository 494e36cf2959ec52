package io.github.redislock.benchmarks.cache;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.benchmarks.stats.Histogram;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import org.jspecify.annotations.Nullable;

/**
 * Measures a cache in Redis that four JVMs with 50 threads each use: how often values are
 * loaded at each expiry, how long a miss takes, and what happens if the process of a
 * loader is killed, or Redis is down or frozen. The main class of
 * {@code benchmarks/run.sh cache}.
 */
public final class CacheBenchmark {

	private static final int JVMS = 4;

	private static final int ROUNDS = 20;

	private static final Duration WARM_UP = Duration.ofSeconds(5);

	private static final Duration LOAD_TIME = Duration.ofMillis(50);

	private static final Duration SLOW_LOAD = Duration.ofSeconds(1);

	private static final Duration OUTAGE = Duration.ofSeconds(10);

	private final Path directory;

	private final int port;

	private Process redis;

	private CacheBenchmark(Path directory) throws IOException, InterruptedException {
		this.directory = directory;
		try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			this.port = socket.getLocalPort();
		}
		this.redis = startRedis();
	}

	/**
	 * Run the measurement.
	 * @param arguments the length of the runs of {@code loads}, as {@code PT60S}, and the
	 * parts to run: {@code loads}, {@code killed}, {@code outage}; by default 60 s and
	 * all parts
	 */
	public static void main(String[] arguments) throws Exception {
		Duration length = (arguments.length > 0) ? Duration.parse(arguments[0]) : Duration.ofMinutes(1);
		Set<String> parts = new HashSet<>(List.of(arguments));
		boolean all = arguments.length < 2;
		CacheBenchmark benchmark = new CacheBenchmark(Files.createTempDirectory("cache-benchmark"));
		boolean kept = true;
		if (all || parts.contains("loads")) {
			for (CacheVariant variant : CacheVariant.values()) {
				kept &= benchmark.loads(variant, length);
			}
		}
		if (all || parts.contains("killed")) {
			kept &= benchmark.killed();
		}
		if (all || parts.contains("outage")) {
			kept &= benchmark.outage();
		}
		benchmark.redis.destroyForcibly();
		System.out.println("Logs: " + benchmark.directory);
		System.exit(kept ? 0 : 1);
	}

	/**
	 * Compare the number of loads with the number of expiries.
	 * @return whether they are equal, or the variant is not {@code LOAD_ONCE}
	 */
	private boolean loads(CacheVariant variant, Duration length) throws Exception {
		RedisClient client = RedisClient.create(RedisURI.create("127.0.0.1", this.port));
		AtomicInteger expiries = new AtomicInteger();
		try (StatefulRedisPubSubConnection<String, String> events = client.connectPubSub();
				StatefulRedisConnection<String, String> commands = client.connect();
				Children children = new Children(variant)) {
			commands.sync().configSet("notify-keyspace-events", "Ex");
			events.addListener(new RedisPubSubAdapter<>() {

				@Override
				public void message(String channel, String key) {
					if (key.startsWith("prices::")) {
						expiries.incrementAndGet();
					}
				}

			});
			events.sync().subscribe("__keyevent@0__:expired");
			children.run(WARM_UP, LOAD_TIME);
			awaitExpiry(commands);
			expiries.set(0);
			Totals totals = children.run(length, LOAD_TIME);
			awaitExpiry(commands);
			System.out.printf(
					"%-14s %6d loads, %6d expiries; misses: %6d, p50 %6.1f ms, p99 %7.1f ms, max %7.1f ms; %d calls,"
							+ " %d failed; CPU of the JVMs %.1f s%n",
					variant, totals.loads, expiries.get(), totals.misses.count(), millis(totals.misses.percentile(0.5)),
					millis(totals.misses.percentile(0.99)), millis(totals.misses.max()), totals.calls, totals.failures,
					totals.cpuMillis / 1e3);
			return variant != CacheVariant.LOAD_ONCE || totals.loads == expiries.get();
		}
		finally {
			client.shutdown();
		}
	}

	private static void awaitExpiry(StatefulRedisConnection<String, String> commands) throws InterruptedException {
		while (!commands.sync().keys("prices::*").isEmpty()) {
			Thread.sleep(100);
		}
		// Wait for the last events.
		Thread.sleep(500);
	}

	/**
	 * Kill the process of the first loader in each round.
	 */
	private boolean killed() throws Exception {
		int kept = 0;
		long longest = 0;
		int served = 0;
		try (Children children = new Children(CacheVariant.LOAD_ONCE)) {
			for (int round = 1; round <= ROUNDS; round++) {
				String key = "round-" + round;
				children.forgetKilled();
				children.all.forEach((child) -> child.order("together " + key + " " + SLOW_LOAD));
				Set<String> values = new HashSet<>();
				CacheChild victim = children.awaitKilled();
				for (CacheChild child : children.all) {
					if (child != victim) {
						String[] result = child.result("served " + key + " ");
						served += Integer.parseInt(result[2]);
						longest = Math.max(longest, Long.parseLong(result[3]));
						values.addAll(List.of(result[4].split(",")));
					}
				}
				int loads = Objects.requireNonNull(children.loads.get(key)).get();
				if (loads == 2 && values.size() == 1) {
					kept++;
				}
				else {
					System.out.printf("round %d: %d loads, values %s%n", round, loads, values);
				}
				children.replace(victim);
			}
		}
		System.out.printf(
				"Loader killed: in %d of %d rounds, exactly one other caller loaded; %d waiters served, the last after"
						+ " %.1f s, of which its load took %.1f s%n",
				kept, ROUNDS, served, longest / 1e9, SLOW_LOAD.toMillis() / 1e3);
		return kept == ROUNDS;
	}

	/**
	 * Stop Redis for a while, first by killing it, and then by freezing it.
	 */
	private boolean outage() throws Exception {
		boolean kept = true;
		for (boolean frozen : new boolean[] { false, true }) {
			try (Children children = new Children(CacheVariant.LOAD_ONCE)) {
				children.run(WARM_UP, LOAD_TIME);
				Thread nemesis = new Thread(() -> stopRedis(frozen));
				nemesis.start();
				Totals totals = children.run(OUTAGE.multipliedBy(3), LOAD_TIME);
				nemesis.join();
				System.out.printf("Redis %-8s for %d s: %d calls, %d failed, %d loads, the longest call took %.1f s%n",
						frozen ? "frozen" : "down", OUTAGE.toSeconds(), totals.calls, totals.failures, totals.loads,
						totals.longest / 1e9);
				kept &= totals.failures == 0;
			}
		}
		return kept;
	}

	private void stopRedis(boolean frozen) {
		try {
			Thread.sleep(OUTAGE.toMillis());
			if (frozen) {
				signal("-STOP");
				Thread.sleep(OUTAGE.toMillis());
				signal("-CONT");
			}
			else {
				this.redis.destroyForcibly().onExit().join();
				Thread.sleep(OUTAGE.toMillis());
				this.redis = startRedis();
			}
		}
		catch (IOException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private void signal(String signal) throws IOException {
		new ProcessBuilder("kill", signal, Long.toString(this.redis.pid())).inheritIO().start().onExit().join();
	}

	private Process startRedis() throws IOException, InterruptedException {
		Process process = new ProcessBuilder(RedisServer.PROGRAM.toString(), "--save", "", "--bind", "127.0.0.1",
				"--port", Integer.toString(this.port), "--dir", this.directory.toString())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(this.directory.resolve("redis.log").toFile()))
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
		Thread.sleep(500);
		return process;
	}

	private static double millis(double nanos) {
		return nanos / 1e6;
	}

	private static final class Totals {

		private final Histogram misses = new Histogram();

		private long calls;

		private long failures;

		private long loads;

		private long longest;

		private long cpuMillis;

		private void add(String[] result) {
			this.calls += Long.parseLong(result[1]);
			this.failures += Long.parseLong(result[2]);
			this.loads += Long.parseLong(result[3]);
			this.longest = Math.max(this.longest, Long.parseLong(result[4]));
			this.cpuMillis += Long.parseLong(result[5]);
			this.misses.addAll(Histogram.decode(result[6]));
		}

	}

	/**
	 * The JVMs. The first one that loads the key of a round is killed.
	 */
	private final class Children implements AutoCloseable {

		private final CacheVariant variant;

		private final List<CacheChild> all = new ArrayList<>();

		private final Map<String, AtomicInteger> loads = new ConcurrentHashMap<>();

		private @Nullable CacheChild killed;

		private Children(CacheVariant variant) throws Exception {
			this.variant = variant;
			for (int number = 0; number < JVMS; number++) {
				this.all.add(start());
			}
		}

		private CacheChild start() throws Exception {
			return new CacheChild(CacheBenchmark.this.port, this.variant,
					CacheBenchmark.this.directory.resolve("workers.log"), this::loading);
		}

		private void loading(CacheChild child, String key) {
			int load = this.loads.computeIfAbsent(key, (first) -> new AtomicInteger()).incrementAndGet();
			if (load == 1 && key.startsWith("round-")) {
				child.close();
				synchronized (this) {
					this.killed = child;
					notifyAll();
				}
			}
		}

		private synchronized void forgetKilled() {
			this.killed = null;
		}

		private synchronized CacheChild awaitKilled() throws InterruptedException {
			while (this.killed == null) {
				wait();
			}
			return this.killed;
		}

		private void replace(CacheChild victim) throws Exception {
			this.all.set(this.all.indexOf(victim), start());
		}

		private Totals run(Duration length, Duration loadTime) throws InterruptedException {
			this.all.forEach((child) -> child.order("run " + length + " " + loadTime));
			Totals totals = new Totals();
			for (CacheChild child : this.all) {
				totals.add(child.result("ran"));
			}
			return totals;
		}

		@Override
		public void close() {
			this.all.forEach(CacheChild::close);
		}

	}

}
