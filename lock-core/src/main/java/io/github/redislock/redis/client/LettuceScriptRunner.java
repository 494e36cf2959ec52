package io.github.redislock.redis.client;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.github.redislock.redis.client.NodeConnections.Node;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts down one Lettuce connection of its own. Thread-safe.
 */
public final class LettuceScriptRunner implements ScriptRunner {

	private static final byte[][] NO_BYTES = new byte[0][];

	/** Each attempt takes a thread, and those who ask may be many. */
	private static final long RECONNECT_PAUSE_NANOS = Duration.ofMillis(50).toNanos();

	private final LockConnectionFactory connectionFactory;

	/** The connection's own bound on an answer. */
	private final Duration commandTimeout;

	/** The application's own bound on the time to connect. */
	private final Duration connectTimeout;

	private final Consumer<Throwable> unavailable;

	private final Timeouts timeouts;

	private final Replication replication;

	private final List<? extends Script> scripts;

	private final AtomicReference<@Nullable CompletableFuture<Connection>> connection;

	/** Whether the first attempt to connect is not over. */
	private volatile boolean firstConnection = true;

	private volatile boolean closed;

	/** When a connection could not be made the last time. */
	private volatile long failedAt;

	/** When Redis replied the last time. */
	private volatile long heardAt = System.nanoTime();

	/**
	 * Create a runner that begins to connect.
	 * @param unavailable told if the first attempt fails
	 */
	public LettuceScriptRunner(LockConnectionFactory connectionFactory, ClientSettings settings,
			Consumer<Throwable> unavailable) {
		this.connectionFactory = connectionFactory;
		this.unavailable = unavailable;
		this.commandTimeout = settings.commandTimeout();
		this.connectTimeout = connectionFactory.connectTimeout();
		this.timeouts = new Timeouts(connectionFactory.executor());
		this.replication = Replication.of(settings);
		this.scripts = settings.scripts();
		this.connection = new AtomicReference<>();
		// The first lock shall not have to wait for it. A failure is the next request's.
		connection();
	}

	@Override
	public CompletableFuture<Object> run(Script script, List<byte[]> keys, List<byte[]> arguments, Duration timeout,
			Duration patience, @Nullable Predicate<Object> written) {
		Predicate<Object> awaited = this.replication.isWanted() ? written : null;
		Request request = new Request(script, keys.toArray(NO_BYTES), arguments.toArray(NO_BYTES));
		CompletableFuture<Connection> connected = connection();
		CompletableFuture<Object> answer = connected.thenCompose((present) -> (awaited != null)
				? replicated(connected, present, request, awaited) : send(connected, present.commands(), request));
		if (!connected.isDone()) {
			Duration longest = patience(this.commandTimeout);
			Duration inTime = patience.plus(LAST_ANSWER);
			Duration limit = (inTime.compareTo(longest) < 0) ? inTime : longest;
			// One that has failed before the connection is there is not sent then.
			return this.timeouts.within(answer, limit)
				.exceptionallyCompose((failure) -> CompletableFuture
					.failedFuture(connected.isDone() ? failure : NotSentException.unconnected(limit, failure)));
		}
		return (timeout.compareTo(this.commandTimeout) < 0) ? this.timeouts.within(answer, timeout) : answer;
	}

	/**
	 * Send a script down a connection on which its replicas can be waited for.
	 */
	private CompletableFuture<Object> replicated(CompletableFuture<Connection> connected, Connection present,
			Request request, Predicate<Object> awaited) {
		NodeConnections cluster = present.cluster();
		if (cluster == null) {
			return replicated(connected, Objects.requireNonNull(present.single()), request, awaited);
		}
		return cluster.masterOf(request.keys()[0])
			.thenCompose((master) -> replicated(connected, master, request, awaited))
			.exceptionallyCompose((failure) -> {
				Throwable cause = (failure.getCause() != null) ? failure.getCause() : failure;
				CompletableFuture<Node> other = cluster.movedTo(cause);
				if (!(cause instanceof ReplicationFailure)) {
					this.connectionFactory.refreshTopology();
				}
				return (other != null) ? other.thenCompose((node) -> replicated(connected, node, request, awaited))
						: CompletableFuture.failedFuture(failure);
			});
	}

	private CompletableFuture<Object> replicated(CompletableFuture<Connection> connected, Node node, Request request,
			Predicate<Object> awaited) {
		long unbroken = this.connectionFactory.disconnections();
		return send(connected, node.commands(), request).thenCompose((said) -> awaited.test(said)
				? acknowledged(node, unbroken, said) : CompletableFuture.completedFuture(said));
	}

	/**
	 * Answer when the replicas have it. A connection that broke in between may lead to
	 * another Redis now, and what its replicas have tells nothing.
	 */
	private CompletableFuture<Object> acknowledged(Node node, long unbroken, Object said) {
		return node.acks().count().handle((count, failure) -> {
			if (failure != null) {
				throw new ReplicationFailure(said, failure);
			}
			if (this.connectionFactory.disconnections() != unbroken) {
				throw this.replication.unknown(said);
			}
			return this.replication.require(said, count);
		});
	}

	/**
	 * The first connection of a process has to load classes and to start threads.
	 */
	@Override
	public Duration patience(Duration timeout) {
		return (this.firstConnection && timeout.compareTo(this.connectTimeout) < 0) ? this.connectTimeout : timeout;
	}

	@Override
	public Timeouts timeouts() {
		return this.timeouts;
	}

	@Override
	public boolean countsReceivers() {
		return !this.connectionFactory.isClusterAware();
	}

	/**
	 * Where its connection breaks, a request fails.
	 */
	@Override
	public boolean mayArriveTwice() {
		return false;
	}

	@Override
	public void close() {
		this.closed = true;
		CompletableFuture<Connection> present = this.connection.get();
		if (present != null) {
			// What connects still would find its threads gone.
			Closing.await(present.handle((opened, failure) -> null));
		}
		this.connectionFactory.destroy();
	}

	private CompletableFuture<Object> send(CompletableFuture<Connection> connected,
			RedisClusterAsyncCommands<byte[], byte[]> commands, Request request) {
		Script script = request.script();
		ScriptOutputType type = script.returnsList() ? ScriptOutputType.MULTI : ScriptOutputType.INTEGER;
		RedisFuture<Object> answer = commands.evalsha(script.sha1(), type, request.keys(), request.arguments());
		answer.whenComplete((reply, failure) -> {
			if (failure == null || failure instanceof RedisCommandExecutionException) {
				this.heardAt = System.nanoTime();
			}
		});
		return answer.toCompletableFuture().exceptionallyCompose((failure) -> {
			if (failure instanceof RedisNoScriptException) {
				RedisFuture<Object> second = commands.eval(script.bytes(), type, request.keys(), request.arguments());
				return second.toCompletableFuture();
			}
			if (!(failure instanceof RedisCommandExecutionException)) {
				noAnswer(connected, failure);
			}
			return CompletableFuture.failedFuture(failure);
		});
	}

	/**
	 * Let the next request have another connection if this one is silent, and not only
	 * slow: it may have died without a sign, which TCP by itself notices only after
	 * minutes. In a Cluster only one of several has; it is ended by itself, and who took
	 * the node's place is asked.
	 */
	private void noAnswer(CompletableFuture<Connection> asked, Throwable failure) {
		if (this.connectionFactory.isClusterAware()) {
			this.connectionFactory.refreshTopology();
		}
		else if (failure instanceof RedisCommandTimeoutException
				&& System.nanoTime() - this.heardAt >= this.commandTimeout.toNanos()) {
			this.connection.compareAndSet(asked, null);
		}
	}

	/**
	 * Return the connection, or begin to connect: on a thread of its own, since Spring
	 * Data blocks until it is done.
	 */
	private CompletableFuture<Connection> connection() {
		CompletableFuture<Connection> present = this.connection.get();
		if (present != null && (this.closed || !present.isCompletedExceptionally()
				|| System.nanoTime() - this.failedAt < RECONNECT_PAUSE_NANOS)) {
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
			// No more threads: a later request tries again.
			this.failedAt = System.nanoTime();
			begun.completeExceptionally(ex);
		}
		return begun;
	}

	private void connect(CompletableFuture<Connection> begun) {
		try {
			Connection opened = connection(open());
			if (this.firstConnection) {
				load(opened.commands());
			}
			begun.complete(opened);
		}
		catch (Throwable ex) {
			// Errors too: a connection that never comes would be waited for each time.
			this.failedAt = System.nanoTime();
			begun.completeExceptionally(ex);
			if (this.firstConnection && !this.closed) {
				this.unavailable.accept(ex);
			}
		}
		this.firstConnection = false;
	}

	/**
	 * Connect. The first attempt may time out only since this machine is busy, so it is
	 * repeated for as long as the application itself would try. A connection that was
	 * closed at once is tried once more, since the reason may not have been read.
	 */
	private StatefulConnection<byte[], byte[]> open() {
		long begin = System.nanoTime();
		boolean reasonMissed = false;
		while (true) {
			try {
				return this.connectionFactory.connect();
			}
			catch (RuntimeException ex) {
				boolean closedAtOnce = RedisErrors.isClosedAtOnce(ex);
				boolean again = (closedAtOnce) ? !reasonMissed : this.firstConnection && RedisErrors.isTimeout(ex)
						&& System.nanoTime() - begin < this.connectTimeout.toNanos();
				reasonMissed |= closedAtOnce;
				if (!again || this.closed) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Let Redis know the scripts before they are needed. Where it may not be asked to, or
	 * forgets them, they are sent when they are.
	 */
	private void load(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		for (Script script : this.scripts) {
			commands.scriptLoad(script.bytes());
		}
	}

	private Connection connection(StatefulConnection<byte[], byte[]> opened) {
		if (opened instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			return new Connection(cluster.async(), null, new NodeConnections(cluster, this.replication));
		}
		RedisClusterAsyncCommands<byte[], byte[]> commands = ((StatefulRedisConnection<byte[], byte[]>) opened).async();
		return new Connection(commands, new Node(commands, new ReplicaAcks(commands, this.replication)), null);
	}

	/**
	 * A connection, and who waits for its replicas, or what it consists of in a Cluster.
	 */
	private record Connection(RedisClusterAsyncCommands<byte[], byte[]> commands, @Nullable Node single,
			@Nullable NodeConnections cluster) {
	}

	/**
	 * What to send.
	 */
	private record Request(Script script, byte[][] keys, byte[][] arguments) {
	}

}
