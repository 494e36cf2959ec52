package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/**
 * Sends scripts through any connection factory of Spring Data Redis, whose calls block:
 * on threads of its own. Thread-safe.
 * <p>
 * Takes connections from the factory itself: a {@code RedisTemplate} may be bound to a
 * transaction and then answers nothing.
 */
final class BlockingScriptRunner implements ScriptRunner {

	private static final int THREADS = 4;

	private final RedisConnectionFactory connectionFactory;

	private final ThreadPoolExecutor executor;

	private final ScheduledExecutorService timer = Timeouts.thread();

	private final Timeouts timeouts = new Timeouts(this.timer);

	private volatile boolean countsReceivers;

	BlockingScriptRunner(RedisConnectionFactory connectionFactory) {
		this.connectionFactory = connectionFactory;
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> {
					Thread thread = new Thread(task, "redis-lock-io");
					thread.setDaemon(true);
					return thread;
				});
		this.executor.allowCoreThreadTimeOut(true);
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, List<byte[]> keys, List<byte[]> arguments,
			Duration timeout) {
		byte[][] keysAndArguments = Stream.concat(keys.stream(), arguments.stream()).toArray(byte[][]::new);
		CompletableFuture<Object> answer = new CompletableFuture<>();
		Future<?> sending = this.executor.submit(() -> send(answer, script, keys.size(), keysAndArguments));
		this.timeouts.within(answer, timeout).whenComplete((reply, failure) -> {
			if (failure instanceof TimeoutException) {
				// The client may wait much longer: the thread is needed for others.
				sending.cancel(true);
			}
		});
		return answer;
	}

	@Override
	public boolean countsReceivers() {
		return this.countsReceivers;
	}

	@Override
	public void close() {
		this.executor.shutdown();
		this.timer.shutdown();
	}

	private void send(CompletableFuture<Object> answer, LockScript script, int keys, byte[][] keysAndArguments) {
		try {
			answer.complete(send(script, keys, keysAndArguments));
		}
		catch (RuntimeException | Error ex) {
			answer.completeExceptionally(ex);
		}
	}

	private Object send(LockScript script, int keys, byte[][] keysAndArguments) {
		ReturnType type = script.returnsList() ? ReturnType.MULTI : ReturnType.INTEGER;
		try (RedisConnection connection = this.connectionFactory.getConnection()) {
			this.countsReceivers = !(connection instanceof RedisClusterConnection);
			Object answer = evalByDigest(connection, script, type, keys, keysAndArguments);
			if (answer == null) {
				throw new IllegalStateException("The connection gave no answer: is it part of a transaction?");
			}
			return answer;
		}
	}

	private static @Nullable Object evalByDigest(RedisConnection connection, LockScript script, ReturnType type,
			int keys, byte[][] keysAndArguments) {
		try {
			return connection.scriptingCommands().evalSha(script.sha1(), type, keys, keysAndArguments);
		}
		catch (RuntimeException ex) {
			if (!RedisErrors.isNoScript(ex)) {
				throw ex;
			}
			return connection.scriptingCommands().eval(script.bytes(), type, keys, keysAndArguments);
		}
	}

}
