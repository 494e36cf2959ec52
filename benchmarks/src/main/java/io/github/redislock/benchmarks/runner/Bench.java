package io.github.redislock.benchmarks.runner;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.redis.RedisConsole;
import io.github.redislock.benchmarks.redis.RedisProxy;
import io.github.redislock.benchmarks.redis.RedisServer;

/**
 * The environment of all cases: Redis, the connections to it, and the child processes.
 */
final class Bench implements AutoCloseable {

	/** The delay of the slow network in each direction. */
	static final Duration SLOW = Duration.ofNanos(250_000);

	private final AtomicLong names = new AtomicLong();

	private final Pace pace;

	private final RedisServer server;

	private final RedisConsole console;

	private final RedisProxy counting;

	private final RedisProxy slow;

	private final WorkerPool pool;

	private final Path directory;

	Bench(Pace pace, RedisServer server, Path output) throws IOException {
		this.pace = pace;
		this.directory = Files.createTempDirectory("benchmark-guards");
		this.server = server;
		this.console = this.server.console();
		this.counting = RedisProxy.before(this.server, Duration.ZERO);
		this.slow = RedisProxy.before(this.server, SLOW);
		this.pool = new WorkerPool(output.resolve("workers"), pace.jvmOptions());
	}

	Pace pace() {
		return this.pace;
	}

	RedisServer server() {
		return this.server;
	}

	RedisConsole console() {
		return this.console;
	}

	/**
	 * Return the proxy that only counts.
	 */
	RedisProxy counting() {
		return this.counting;
	}

	/**
	 * Return the proxy that counts and adds a delay.
	 */
	RedisProxy slow() {
		return this.slow;
	}

	WorkerPool pool() {
		return this.pool;
	}

	ClientSettings direct(Duration lease, boolean renewed) {
		return new ClientSettings(this.server.host(), this.server.port(), lease, renewed);
	}

	static ClientSettings through(RedisProxy proxy, Duration lease) {
		return new ClientSettings("127.0.0.1", proxy.port(), lease, false);
	}

	String newName(String prefix) {
		return prefix + "-" + this.names.incrementAndGet();
	}

	Path newGuard() {
		return this.directory.resolve(newName("guard"));
	}

	static void sleepUntil(long nanoTime) {
		for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
			LockSupport.parkNanos(left);
		}
	}

	static void sleep(long millis) {
		sleepUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
	}

	@Override
	public void close() throws Exception {
		this.pool.close();
		this.counting.close();
		this.slow.close();
		this.console.close();
		this.server.close();
	}

}
