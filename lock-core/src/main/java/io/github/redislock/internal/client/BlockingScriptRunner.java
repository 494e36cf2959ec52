package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.internal.support.DaemonThreads;
import io.github.redislock.internal.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * Sends scripts through any connection factory of Spring Data Redis. The calls of these
 * connections block, so they run on separate threads, or on that of a caller that waits
 * for the reply. Thread-safe.
 * <p>
 * Uses plain connections, because a {@code RedisTemplate} may be bound to a transaction
 * and then returns nothing.
 */
public final class BlockingScriptRunner implements ScriptRunner {

	private static final Log logger = LogFactory.getLog(BlockingScriptRunner.class);

	private static final int THREADS = 4;

	private final LockConnections connections;

	private final LongConsumer unanswered;

	private final ThreadPoolExecutor executor;

	private final ScheduledExecutorService timer = Timeouts.thread();

	private final Timeouts timeouts = new Timeouts(this.timer);

	private final Replication replication;

	private final List<Script> scripts;

	/**
	 * The reason to refuse a Cluster, if any. Only a connection shows whether Redis is a
	 * Cluster.
	 */
	private final @Nullable String refusal;

	/** Completes when all messages so far have been published or lost, in order. */
	private CompletionStage<Void> published = CompletableFuture.completedStage(null);

	private volatile boolean countsReceivers;

	private volatile long repliedAt = System.nanoTime();

	/** The time until which a second copy of a request may arrive. */
	private volatile long repeatedUntil = System.nanoTime();

	/**
	 * Create a runner.
	 * @param connections closed together with this runner
	 * @param settings how to use the connections
	 * @param unanswered called with the time of the last reply when a request through a
	 * factory of unknown type has timed out
	 * @param unavailable called if an early attempt to connect fails
	 */
	public BlockingScriptRunner(LockConnections connections, ClientSettings settings, LongConsumer unanswered,
			Consumer<Throwable> unavailable) {
		this.connections = connections;
		this.unanswered = unanswered;
		this.replication = Replication.of(settings);
		this.scripts = settings.scripts();
		this.refusal = refusal(settings);
		this.executor = new ThreadPoolExecutor(THREADS, THREADS, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(),
				(task) -> DaemonThreads.create("redis-lock-io", task));
		this.executor.allowCoreThreadTimeOut(true);
		if (connections.idle() > 0) {
			// Do not connect early with a factory of unknown type, which may not have
			// been started yet.
			this.executor.execute(() -> prepare(unavailable));
		}
	}

	/**
	 * Connect and load the scripts early. If Redis refuses or forgets them, they are sent
	 * when they are needed.
	 */
	private void prepare(Consumer<Throwable> unavailable) {
		try (RedisConnection connection = this.connections.open()) {
			load(connection);
		}
		catch (RuntimeException ex) {
			if (!this.executor.isShutdown()) {
				unavailable.accept(ex);
			}
		}
	}

	private void load(RedisConnection connection) {
		try {
			for (Script script : this.scripts) {
				connection.scriptingCommands().scriptLoad(script.bytes());
			}
		}
		catch (RuntimeException ex) {
			logger.debug("The scripts could not be loaded in advance; each is sent when it is first needed", ex);
		}
	}

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		Predicate<Object> awaited = this.replication.isWanted() ? written : null;
		CompletableFuture<Object> reply = new CompletableFuture<>();
		if (awaited != null || isVirtual(Thread.currentThread())
				|| !CallingThread.accepts((waits) -> sendForCaller(reply, call, timeout, waits), timeout)) {
			sendElsewhere(reply, call, timeout, awaited, null);
		}
		return reply;
	}

	private void sendElsewhere(CompletableFuture<Object> reply, ScriptCall call, Duration timeout,
			@Nullable Predicate<Object> written, @Nullable RuntimeException sent) {
		Future<?> sending;
		try {
			sending = this.executor.submit(() -> send(reply, call, written, sent));
		}
		catch (RejectedExecutionException ex) {
			reply.completeExceptionally(ex);
			return;
		}
		this.timeouts.within(reply, timeout).whenComplete((result, failure) -> {
			if (failure instanceof TimeoutException) {
				// The client may wait much longer, but other requests need the thread.
				sending.cancel(true);
				if (this.connections.idle() == 0) {
					this.unanswered.accept(this.repliedAt);
				}
			}
		});
	}

	/**
	 * Send a script on the current thread if it waits for the reply anyway. Other threads
	 * open connections, and send the script again if its connection was broken.
	 * <p>
	 * Only the timeout ends the wait for the reply: neither an interrupt of the caller
	 * nor the end of this runner does.
	 */
	private void sendForCaller(CompletableFuture<Object> reply, ScriptCall call, Duration timeout, boolean waits) {
		long begunAt = System.nanoTime();
		RedisConnection connection = null;
		Object result;
		try {
			connection = waits ? this.connections.openIdle(timeout) : null;
			if (connection == null) {
				sendElsewhere(reply, call, timeout, null, null);
				return;
			}
			result = runOnce(connection, call, null);
		}
		catch (RuntimeException | Error ex) {
			if (RedisErrors.isBroken(ex)) {
				this.repeatedUntil = System.nanoTime() + LONGEST_DELAY.toNanos();
				Duration rest = timeout.minusNanos(System.nanoTime() - begunAt);
				sendElsewhere(reply, call, Durations.max(rest, LAST_REPLY), null, (RuntimeException) ex);
			}
			else {
				reply.completeExceptionally(RedisErrors.isTimeout(ex) ? new TimeoutException() : ex);
			}
			closeElsewhere(connection);
			return;
		}
		connection.close();
		reply.complete(result);
	}

	/**
	 * Close a connection on another thread, because its pool may open a new one in its
	 * place, which takes long if Redis does not reply.
	 */
	private void closeElsewhere(@Nullable RedisConnection connection) {
		if (connection != null && !this.executor.isShutdown()) {
			this.executor.execute(connection::close);
		}
	}

	/**
	 * Return whether an interrupt of a thread would break its connection.
	 */
	private static boolean isVirtual(Thread thread) {
		return thread.getClass().getName().endsWith("VirtualThread");
	}

	@Override
	public synchronized void publish(String channel, String message) {
		this.published = this.published.thenRunAsync(() -> {
			try (RedisConnection connection = this.connections.open()) {
				connection.publish(channel.getBytes(StandardCharsets.UTF_8), message.getBytes(StandardCharsets.UTF_8));
			}
			catch (RuntimeException ex) {
				logger.debug("A message could not be published", ex);
			}
		}, this.executor);
	}

	@Override
	public Timeouts timeouts() {
		return this.timeouts;
	}

	@Override
	public boolean countsReceivers() {
		return this.countsReceivers;
	}

	/**
	 * This runner, and a factory of unknown type, may repeat a request when a connection
	 * breaks.
	 */
	@Override
	public boolean mayArriveTwice() {
		return this.connections.idle() == 0 || this.repeatedUntil - System.nanoTime() > 0;
	}

	@Override
	public void close() {
		this.executor.shutdown();
		this.timer.shutdown();
		// Wait first, so that current requests can end before the connections are closed.
		Closing.await(this.executor);
		Closing.await(this.timer);
		this.connections.close();
	}

	private void send(CompletableFuture<Object> reply, ScriptCall call, @Nullable Predicate<Object> written,
			@Nullable RuntimeException sentBefore) {
		try {
			reply.complete(sendAgainIfBroken(reply, call, written, sentBefore));
		}
		catch (RuntimeException | Error ex) {
			reply.completeExceptionally(ex);
		}
	}

	/**
	 * Send a script, and send it again if the connection was broken, as all idle
	 * connections are after a restart of Redis. Redis may then run the script twice.
	 * @param reply the future of the caller; once it is done, the script is not sent
	 * again
	 * @param sentBefore how an earlier attempt to send the script failed
	 */
	private Object sendAgainIfBroken(CompletableFuture<Object> reply, ScriptCall call,
			@Nullable Predicate<Object> written, @Nullable RuntimeException sentBefore) {
		RuntimeException sent = sentBefore;
		for (int broken = 0;; broken++) {
			try (RedisConnection connection = open(sent)) {
				try {
					return runOnce(connection, call, written);
				}
				catch (RuntimeException ex) {
					if (broken >= this.connections.idle() || reply.isDone() || !RedisErrors.isBroken(ex)) {
						throw ex;
					}
					this.repeatedUntil = System.nanoTime() + LONGEST_DELAY.toNanos();
					sent = ex;
				}
			}
		}
	}

	/**
	 * Open a connection. If this fails, another connection would probably fail too.
	 * @param sent why the script has to be sent again: it may have been executed, even if
	 * it cannot be sent now
	 */
	private RedisConnection open(@Nullable RuntimeException sent) {
		try {
			return this.connections.open();
		}
		catch (RuntimeException ex) {
			if (sent == null) {
				throw ex;
			}
			sent.addSuppressed(ex);
			throw sent;
		}
	}

	private Object runOnce(RedisConnection connection, ScriptCall call, @Nullable Predicate<Object> written) {
		try {
			Object result = run(connection, call, written);
			// Set this before the connection is returned: a subscription that reuses the
			// connection must count as opened after this reply.
			this.repliedAt = System.nanoTime();
			return result;
		}
		catch (Error ex) {
			// An overflow of the stack may leave a reply unread, which the next user of
			// the connection would take for its own.
			if (Clients.JEDIS_PRESENT) {
				JedisLockConnections.discard(connection);
			}
			throw ex;
		}
	}

	private Object run(RedisConnection connection, ScriptCall call, @Nullable Predicate<Object> written) {
		this.countsReceivers = !(connection instanceof RedisClusterConnection);
		if (this.refusal != null && !this.countsReceivers) {
			throw new IllegalStateException(this.refusal);
		}
		if (written != null && mayBeMany(connection)) {
			throw new IllegalStateException(RedisErrors.NOT_BEHIND_A_WRAPPER);
		}
		Object reply = evalByDigest(connection, call);
		if (written == null || !written.test(reply)) {
			return reply;
		}
		try {
			this.replication.require(reply, acknowledged(connection));
			// Run the script again, because the client may have reconnected in between,
			// perhaps to another Redis, where the script may return something else.
			if (!reply.equals(evalByDigest(connection, call))) {
				throw this.replication.unknown(reply);
			}
			return reply;
		}
		catch (ReplicationFailure ex) {
			throw ex;
		}
		catch (RuntimeException ex) {
			throw new ReplicationFailure(reply, ex);
		}
	}

	/**
	 * Return whether a connection may use another connection of a pool for each command,
	 * as with Jedis by default since Spring Data 4.1. On a connection that has written
	 * nothing, {@code WAIT} would count all replicas.
	 */
	private boolean mayBeMany(RedisConnection connection) {
		return Clients.JEDIS_PRESENT && connection instanceof JedisConnection && this.connections.idle() == 0;
	}

	private static @Nullable String refusal(ClientSettings settings) {
		if (settings.quarantine()) {
			return RedisErrors.NO_QUARANTINE_IN_A_CLUSTER;
		}
		// WAIT needs the script's connection, which is unknown here.
		return (settings.minAcks() > 0) ? RedisErrors.NO_ACKS_IN_THIS_CLUSTER : null;
	}

	private long acknowledged(RedisConnection connection) {
		byte[] replicas = bytes(this.replication.replicas());
		byte[] limit = bytes(this.replication.limit().toMillis());
		Object count = (Clients.LETTUCE_PRESENT && connection instanceof LettuceConnection lettuce)
				? LettuceScriptRunner.awaitReplicas(lettuce, replicas, limit)
				: connection.execute("WAIT", replicas, limit);
		return (Long) present(count);
	}

	private static byte[] bytes(long number) {
		return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
	}

	private static Object present(@Nullable Object reply) {
		if (reply == null) {
			throw new IllegalStateException("The connection returned no reply: is it part of a transaction?");
		}
		return reply;
	}

	private static Object evalByDigest(RedisConnection connection, ScriptCall call) {
		Script script = call.script();
		ReturnType type = script.returnsList() ? ReturnType.MULTI : ReturnType.INTEGER;
		ScriptCall.Input input = call.seal();
		int keys = input.keys().size();
		byte[][] keysAndArguments = Stream.concat(input.keys().stream(), input.arguments().stream())
			.toArray(byte[][]::new);
		try {
			return present(connection.scriptingCommands().evalSha(script.sha1(), type, keys, keysAndArguments));
		}
		catch (RuntimeException ex) {
			if (!RedisErrors.isNoScript(ex)) {
				throw ex;
			}
			return present(connection.scriptingCommands().eval(script.bytes(), type, keys, keysAndArguments));
		}
	}

}
