package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts down one Lettuce connection of its own. Thread-safe.
 */
final class LettuceScriptRunner implements ScriptRunner {

	private static final byte[][] NO_BYTES = new byte[0][];

	private final LockConnectionFactory connectionFactory;

	/** The connection's own bound on an answer. */
	private final Duration commandTimeout;

	private final Timeouts timeouts;

	private final AtomicReference<@Nullable CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>>> connection;

	LettuceScriptRunner(LockConnectionFactory connectionFactory, Duration commandTimeout) {
		this.connectionFactory = connectionFactory;
		this.commandTimeout = commandTimeout;
		this.timeouts = new Timeouts(connectionFactory.executor());
		this.connection = new AtomicReference<>();
		// The first lock shall not have to wait for it. A failure is the next request's.
		connection();
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, List<byte[]> keys, List<byte[]> arguments,
			Duration timeout) {
		byte[][] keyBytes = keys.toArray(NO_BYTES);
		byte[][] argumentBytes = arguments.toArray(NO_BYTES);
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connected = connection();
		CompletableFuture<Object> answer = connected
			.thenCompose((commands) -> send(commands, script, keyBytes, argumentBytes, () -> leave(connected)));
		if (!connected.isDone()) {
			return this.timeouts.within(answer, this.commandTimeout)
				.exceptionallyCompose((failure) -> CompletableFuture
					.failedFuture(connected.isDone() ? failure : new NotConnectedException(failure)));
		}
		return (timeout.compareTo(this.commandTimeout) < 0) ? this.timeouts.within(answer, timeout) : answer;
	}

	@Override
	public boolean countsReceivers() {
		return !this.connectionFactory.isClusterAware();
	}

	@Override
	public void close() {
		this.connectionFactory.destroy();
	}

	private static CompletableFuture<Object> send(RedisClusterAsyncCommands<byte[], byte[]> commands, LockScript script,
			byte[][] keys, byte[][] arguments, Runnable onSilence) {
		ScriptOutputType type = script.returnsList() ? ScriptOutputType.MULTI : ScriptOutputType.INTEGER;
		RedisFuture<Object> answer = commands.evalsha(script.sha1(), type, keys, arguments);
		return answer.toCompletableFuture().exceptionallyCompose((failure) -> {
			if (failure instanceof RedisNoScriptException) {
				RedisFuture<Object> second = commands.eval(script.bytes(), type, keys, arguments);
				return second.toCompletableFuture();
			}
			if (failure instanceof RedisCommandTimeoutException) {
				onSilence.run();
			}
			return CompletableFuture.failedFuture(failure);
		});
	}

	/**
	 * Let the next request have another connection: this one may have died without a
	 * sign, which TCP by itself notices only after minutes.
	 */
	private void leave(CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> silent) {
		if (!this.connectionFactory.isClusterAware()) {
			this.connection.compareAndSet(silent, null);
		}
	}

	/**
	 * Return the connection, or begin to connect: on a thread of its own, since Spring
	 * Data blocks until it is done.
	 */
	private CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> connection() {
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> present = this.connection.get();
		if (present != null && !present.isCompletedExceptionally()) {
			return present;
		}
		CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> begun = new CompletableFuture<>();
		if (!this.connection.compareAndSet(present, begun)) {
			return connection();
		}
		Thread thread = new Thread(() -> connect(begun), "redis-lock-connect");
		thread.setDaemon(true);
		try {
			thread.start();
		}
		catch (Throwable ex) {
			// No more threads: the next request tries again.
			begun.completeExceptionally(ex);
		}
		return begun;
	}

	private void connect(CompletableFuture<RedisClusterAsyncCommands<byte[], byte[]>> begun) {
		try {
			begun.complete(this.connectionFactory.connect());
		}
		catch (Throwable ex) {
			// Errors too: a connection that never comes would be waited for each time.
			begun.completeExceptionally(ex);
		}
	}

	/**
	 * The connection took longer to come than an answer may.
	 */
	private static final class NotConnectedException extends RuntimeException {

		private static final long serialVersionUID = 1L;

		NotConnectedException(Throwable cause) {
			super(RedisErrors.NOT_CONNECTED, cause);
		}

	}

}
