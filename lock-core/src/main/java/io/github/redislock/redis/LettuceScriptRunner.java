package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

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

	private final Replication replication;

	private final AtomicReference<@Nullable CompletableFuture<Connection>> connection;

	LettuceScriptRunner(LockConnectionFactory connectionFactory, RedisLockStoreOptions options) {
		this.connectionFactory = connectionFactory;
		this.commandTimeout = options.commandTimeout();
		this.timeouts = new Timeouts(connectionFactory.executor());
		this.replication = Replication.of(options);
		this.connection = new AtomicReference<>();
		// The first lock shall not have to wait for it. A failure is the next request's.
		connection();
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, List<byte[]> keys, List<byte[]> arguments, Duration timeout,
			@Nullable Predicate<Object> written) {
		Predicate<Object> awaited = this.replication.isWanted() ? written : null;
		byte[][] keyBytes = keys.toArray(NO_BYTES);
		byte[][] argumentBytes = arguments.toArray(NO_BYTES);
		CompletableFuture<Connection> connected = connection();
		CompletableFuture<Object> answer = connected.thenCompose((present) -> {
			long unbroken = (awaited != null) ? this.connectionFactory.disconnections() : 0;
			CompletableFuture<Object> reply = send(present.commands(), script, keyBytes, argumentBytes,
					() -> leave(connected));
			return (awaited != null) ? reply.thenCompose((said) -> awaited.test(said)
					? acknowledged(present, unbroken, said) : CompletableFuture.completedFuture(said)) : reply;
		});
		if (!connected.isDone()) {
			return this.timeouts.within(answer, this.commandTimeout)
				.exceptionallyCompose((failure) -> CompletableFuture
					.failedFuture(connected.isDone() ? failure : new NotConnectedException(failure)));
		}
		return (timeout.compareTo(this.commandTimeout) < 0) ? this.timeouts.within(answer, timeout) : answer;
	}

	/**
	 * Answer when the replicas have it. A connection that broke in between may lead to
	 * another Redis now, and what its replicas have tells nothing.
	 */
	private CompletableFuture<Object> acknowledged(Connection present, long unbroken, Object said) {
		return present.acks().count().handle((count, failure) -> {
			if (failure != null) {
				throw new ReplicationFailure(said, failure);
			}
			if (this.connectionFactory.disconnections() != unbroken) {
				throw this.replication.unknown(said);
			}
			return this.replication.require(said, count);
		});
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
	private void leave(CompletableFuture<Connection> silent) {
		if (!this.connectionFactory.isClusterAware()) {
			this.connection.compareAndSet(silent, null);
		}
	}

	/**
	 * Return the connection, or begin to connect: on a thread of its own, since Spring
	 * Data blocks until it is done.
	 */
	private CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> present = this.connection.get();
		if (present != null && !present.isCompletedExceptionally()) {
			return present;
		}
		CompletableFuture<Connection> begun = new CompletableFuture<>();
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

	private void connect(CompletableFuture<Connection> begun) {
		try {
			RedisClusterAsyncCommands<byte[], byte[]> commands = this.connectionFactory.connect();
			begun.complete(new Connection(commands, new ReplicaAcks(commands, this.replication)));
		}
		catch (Throwable ex) {
			// Errors too: a connection that never comes would be waited for each time.
			begun.completeExceptionally(ex);
		}
	}

	/**
	 * A connection, and who waits for its replicas.
	 */
	private record Connection(RedisClusterAsyncCommands<byte[], byte[]> commands, ReplicaAcks acks) {
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
