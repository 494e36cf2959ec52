package io.github.redislock.benchmarks.cache;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.redislock.LockTarget;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.cache.Cache;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * One JVM of the measurement. Reads orders from its standard input and writes results to
 * its standard output, one on each line.
 */
public final class CacheWorker {

	private static final int THREADS = 50;

	private static final int KEYS = 100;

	/** The mean pause of a thread between two calls. */
	private static final long PAUSE_NANOS = Duration.ofMillis(20).toNanos();

	private final Cache cache;

	private final AtomicInteger loads = new AtomicInteger();

	private CacheWorker(Cache cache) {
		this.cache = cache;
	}

	/**
	 * Run a worker.
	 * @param arguments the port of Redis, and the variant
	 */
	public static void main(String[] arguments) throws Exception {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(arguments[0])),
				LettuceClientConfiguration.builder().commandTimeout(Duration.ofMillis(500)).build());
		connections.afterPropertiesSet();
		connections.start();
		LockTemplate locks = new RedisLockTemplate(connections);
		locks.acquire(LockTarget.of("warm-up")).close();
		CacheWorker worker = new CacheWorker(Objects.requireNonNull(CacheVariant.valueOf(arguments[1])
			.caches(connections, locks, Duration.ofSeconds(1))
			.getCache("prices")));
		say("ready");
		worker.serve();
		System.exit(0);
	}

	private void serve() throws IOException, InterruptedException {
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			String[] words = order.split(" ");
			switch (words[0]) {
				case "run" -> run(Duration.parse(words[1]), Duration.parse(words[2]));
				case "together" -> together(words[1], Duration.parse(words[2]));
				default -> throw new IllegalArgumentException(order);
			}
		}
	}

	private void run(Duration length, Duration loadTime) throws InterruptedException {
		long end = System.nanoTime() + length.toNanos();
		Histogram misses = new Histogram();
		AtomicLong calls = new AtomicLong();
		AtomicLong failures = new AtomicLong();
		AtomicLong longest = new AtomicLong();
		this.loads.set(0);
		long cpuBefore = cpuMillis();
		inAllThreads(() -> {
			Histogram own = new Histogram();
			while (System.nanoTime() < end) {
				LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(2 * PAUSE_NANOS));
				String key = "key-" + ThreadLocalRandom.current().nextInt(KEYS);
				long start = System.nanoTime();
				boolean miss = isMiss(key);
				long asked = System.nanoTime();
				try {
					load(key, loadTime);
					calls.incrementAndGet();
				}
				catch (RuntimeException ex) {
					failures.incrementAndGet();
				}
				if (miss) {
					own.add(System.nanoTime() - asked);
				}
				longest.accumulateAndGet(System.nanoTime() - start, Math::max);
			}
			synchronized (misses) {
				misses.addAll(own);
			}
		});
		say("ran %d %d %d %d %d %s".formatted(calls.get(), failures.get(), this.loads.get(), longest.get(),
				cpuMillis() - cpuBefore, misses.encode()));
	}

	private void together(String key, Duration loadTime) throws InterruptedException {
		Set<String> values = ConcurrentHashMap.newKeySet();
		AtomicInteger served = new AtomicInteger();
		long start = System.nanoTime();
		inAllThreads(() -> {
			values.add(load(key, loadTime));
			served.incrementAndGet();
		});
		say("served %s %d %d %s".formatted(key, served.get(), System.nanoTime() - start, String.join(",", values)));
	}

	private String load(String key, Duration loadTime) {
		return Objects.requireNonNull(this.cache.get(key, () -> {
			this.loads.incrementAndGet();
			say("loading " + key);
			Thread.sleep(loadTime.toMillis());
			return key + "-by-" + ProcessHandle.current().pid();
		}));
	}

	private boolean isMiss(String key) {
		try {
			return this.cache.get(key) == null;
		}
		catch (RuntimeException ex) {
			// Redis is down, so this does not count as a miss.
			return false;
		}
	}

	private static long cpuMillis() {
		return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toMillis();
	}

	private static void inAllThreads(Runnable task) throws InterruptedException {
		List<Thread> threads = new ArrayList<>();
		for (int number = 0; number < THREADS; number++) {
			Thread thread = new Thread(task, "caller-" + number);
			thread.start();
			threads.add(thread);
		}
		for (Thread thread : threads) {
			thread.join();
		}
	}

	private static void say(String line) {
		synchronized (System.out) {
			System.out.println(line);
		}
	}

}
