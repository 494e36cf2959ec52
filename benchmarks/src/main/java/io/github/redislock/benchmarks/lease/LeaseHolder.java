package io.github.redislock.benchmarks.lease;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that holds locks until it is killed, and the parent's view of it. For each
 * line of its input, it prints how many of its locks it has lost.
 */
public final class LeaseHolder implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private final Process process;

	private final BufferedReader replies;

	/**
	 * Start a process, and wait until it holds its locks.
	 */
	LeaseHolder(int port, Duration lease, int locks, Path log) throws IOException {
		this.process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx256m", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				LeaseHolder.class.getName(), Integer.toString(port), lease.toString(), Integer.toString(locks))
			.redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
			.start();
		Runtime.getRuntime().addShutdownHook(new Thread(this.process::destroyForcibly));
		this.replies = this.process.inputReader(StandardCharsets.UTF_8);
		lost();
	}

	/**
	 * Hold locks.
	 * @param arguments the port of Redis, the lease, and the number of locks
	 */
	public static void main(String[] arguments) throws IOException {
		RedisLockTemplate locks = locks(Integer.parseInt(arguments[0]));
		List<LockHandle> handles = IntStream.range(0, Integer.parseInt(arguments[2]))
			.mapToObj((number) -> locks.acquire(LockTarget.of("lease-" + number), options(arguments[1])))
			.toList();
		BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (questions.readLine() != null) {
			System.out.println(handles.stream().filter((handle) -> !handle.isHeld()).count());
		}
		System.exit(0);
	}

	static LockOptions options(String lease) {
		return LockOptions.options().timeout(Duration.parse(lease)).waitTime(PATIENCE);
	}

	static RedisLockTemplate locks(int port) {
		LettuceConnectionFactory connections = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port));
		connections.afterPropertiesSet();
		connections.start();
		return new RedisLockTemplate(RedisLockStore.create(connections, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults());
	}

	int lost() throws IOException {
		this.process.outputWriter(StandardCharsets.UTF_8).append('\n').flush();
		return Integer.parseInt(this.replies.readLine());
	}

	long pid() {
		return this.process.pid();
	}

	Duration cpu() {
		return this.process.info().totalCpuDuration().orElse(Duration.ZERO);
	}

	/**
	 * Kill the process.
	 */
	@Override
	public void close() {
		this.process.destroyForcibly();
		this.process.onExit().join();
	}

}
