package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Predicate;

import io.github.redislock.internal.client.NodeConnections.Node;
import io.github.redislock.internal.support.DaemonThreads;
import io.github.redislock.internal.support.Durations;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * Sends scripts over one separate Lettuce connection. Thread-safe.
 */
public final class LettuceScriptRunner implements ScriptRunner {

	/**
	 * The pause after a failed attempt to connect. Each attempt needs a thread, and there
	 * may be many callers.
	 */
	private static final long RECONNECT_PAUSE_NANOS = Duration.ofMillis(50).toNanos();

	private static final Script FIND_DELETION = Script.read(LettuceScriptRunner.class, "find-deletion",
			Script.Reply.LIST, Script.Priority.AT_ONCE);

	private final LockConnectionFactory connectionFactory;

	/** The connection's timeout for a reply. */
	private final Duration commandTimeout;

	/** The application's timeout for connecting. */
	private final Duration connectTimeout;

	private final Consumer<Throwable> unavailable;

	private final Timeouts timeouts;

	private final Replication replication;

	private final List<Script> scripts;

	private final byte[] keyPrefix;

	private final AtomicReference<@Nullable CompletableFuture<Connection>> connection;

	/** Whether the first attempt to connect is still under way. */
	private volatile boolean firstConnection = true;

	private volatile boolean closed;

	private volatile long failedAt;

	private volatile long heardAt = System.nanoTime();

	/**
	 * Create a runner that begins to connect.
	 * @param unavailable called if the first attempt fails
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
		this.keyPrefix = settings.keyPrefix().getBytes(StandardCharsets.UTF_8);
		this.connection = new AtomicReference<>();
		// Connect early, to save the first lock some time. If this fails, a later request
		// connects again.
		connection();
	}

	@Override
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		Predicate<Object> awaited = this.replication.isWanted() ? written : null;
		CompletableFuture<Connection> connected = connection();
		boolean open = connected.isDone() && !connected.isCompletedExceptionally();
		CompletableFuture<Object> reply = open ? send(connected.join(), call, awaited)
				: connected.thenCompose((present) -> send(present, call, awaited));
		if (!connected.isDone()) {
			Duration limit = Durations.min(sendTimeout.plus(LAST_REPLY), sendTimeout(this.commandTimeout));
			// A request that fails before the connection is open is never sent.
			return this.timeouts.within(reply, limit)
				.exceptionallyCompose((failure) -> CompletableFuture
					.failedFuture(connected.isDone() ? failure : NotSentException.unconnected(limit, failure)));
		}
		// Time out a copy of the future: if the command itself timed out here, a silent
		// connection would go unnoticed.
		return (timeout.compareTo(this.commandTimeout) < 0) ? this.timeouts.within(reply.copy(), timeout) : reply;
	}

	@Override
	public void publish(String channel, String message) {
		connection().thenAccept((present) -> commands(present.stateful())
			.publish(channel.getBytes(StandardCharsets.UTF_8), message.getBytes(StandardCharsets.UTF_8)));
	}

	private CompletableFuture<Object> send(Connection present, ScriptCall call, @Nullable Predicate<Object> awaited) {
		return (awaited != null) ? replicated(present, call, awaited) : send(present, present.stateful(), call);
	}

	private static CompletableFuture<Object> send(Connection present, StatefulConnection<byte[], byte[]> node,
			ScriptCall call) {
		return new ScriptCommand(node, call, present.heard(), present.deletion()).send();
	}

	/**
	 * Send a script over a connection to a single server, so that the same connection can
	 * then wait for the replicas of that server.
	 */
	private CompletableFuture<Object> replicated(Connection present, ScriptCall call, Predicate<Object> awaited) {
		NodeConnections cluster = present.cluster();
		if (cluster == null) {
			return replicated(present, Objects.requireNonNull(present.single()), call, awaited);
		}
		return cluster.masterOf(call.seal().keys().get(0))
			.thenCompose((master) -> replicated(present, master, call, awaited))
			.exceptionallyCompose((failure) -> {
				Throwable cause = (failure.getCause() != null) ? failure.getCause() : failure;
				CompletableFuture<Node> other = cluster.movedTo(cause);
				if (!(cause instanceof ReplicationFailure)) {
					this.connectionFactory.refreshTopology();
				}
				return (other != null) ? other.thenCompose((node) -> replicated(present, node, call, awaited))
						: CompletableFuture.failedFuture(failure);
			});
	}

	private CompletableFuture<Object> replicated(Connection present, Node node, ScriptCall call,
			Predicate<Object> awaited) {
		long unbroken = this.connectionFactory.disconnections();
		return send(present, node.connection(), call).thenCompose((said) -> awaited.test(said)
				? acknowledged(node, unbroken, said) : CompletableFuture.completedFuture(said));
	}

	/**
	 * Complete with the result of a script when enough replicas have acknowledged it. If
	 * the connection broke, it may now lead to another Redis, whose replicas do not
	 * count.
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
	 * Allows more time for the first connection, because classes have to be loaded and
	 * threads started.
	 */
	@Override
	public Duration sendTimeout(Duration timeout) {
		return this.firstConnection ? Durations.max(this.connectTimeout, timeout) : timeout;
	}

	/**
	 * Wait for replicas, and return how many of them have received the writes of a
	 * blocking connection. {@link BlockingScriptRunner} cannot contain this method,
	 * because that class must load in applications without Lettuce.
	 */
	static @Nullable Long awaitReplicas(LettuceConnection connection, byte[] replicas, byte[] limit) {
		return (Long) connection.execute("WAIT", new IntegerOutput<>(ByteArrayCodec.INSTANCE), replicas, limit);
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
	 * A request fails if its connection breaks, and is not sent again.
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
			// Wait, because a connection that is being opened needs the factory's
			// threads.
			Closing.await(present.handle((opened, failure) -> null));
		}
		this.connectionFactory.destroy();
	}

	/**
	 * Record that Redis has replied, or why it has not. If the connection is silent, and
	 * not just slow, it may be dead, which TCP notices only after minutes, so the next
	 * request opens a new one. In a Cluster, only the topology is refreshed, to find the
	 * node that took over; {@link SilenceHandler} closes the connection.
	 */
	private void heard(CompletableFuture<Connection> asked, @Nullable Throwable failure) {
		if (failure == null || failure instanceof RedisCommandExecutionException) {
			this.heardAt = System.nanoTime();
		}
		else if (this.connectionFactory.isClusterAware()) {
			this.connectionFactory.refreshTopology();
		}
		else if (failure instanceof RedisCommandTimeoutException
				&& System.nanoTime() - this.heardAt >= this.commandTimeout.toNanos()) {
			this.connection.compareAndSet(asked, null);
		}
	}

	/**
	 * Return the connection, or begin to connect on a new thread, because Spring Data
	 * blocks.
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
		try {
			DaemonThreads.create("redis-lock-connect", () -> connect(begun)).start();
		}
		catch (Throwable ex) {
			// No thread could be started: a later request tries again.
			this.failedAt = System.nanoTime();
			begun.completeExceptionally(ex);
		}
		return begun;
	}

	private void connect(CompletableFuture<Connection> begun) {
		try {
			Connection opened = connection(open(), (failure) -> heard(begun, failure));
			if (this.firstConnection) {
				load(commands(opened.stateful()));
			}
			begun.complete(opened);
		}
		catch (Throwable ex) {
			// Catch errors too: otherwise, requests would wait for a connection that is
			// never opened.
			this.failedAt = System.nanoTime();
			begun.completeExceptionally(ex);
			if (this.firstConnection && !this.closed) {
				this.unavailable.accept(ex);
			}
		}
		this.firstConnection = false;
	}

	/**
	 * Connect. The first attempt may time out because this machine is busy, so it is
	 * repeated until the application's own timeout for connecting is over. If Redis
	 * closes a connection at once, one more attempt may show the reason.
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
	 * Load the scripts early. If Redis refuses or forgets them, they are sent when they
	 * are needed.
	 */
	private void load(RedisClusterAsyncCommands<byte[], byte[]> commands) {
		for (Script script : this.scripts) {
			commands.scriptLoad(script.bytes());
		}
	}

	private Connection connection(StatefulConnection<byte[], byte[]> opened, Consumer<@Nullable Throwable> heard) {
		RedisClusterAsyncCommands<byte[], byte[]> commands = commands(opened);
		AtomicReference<List<byte[]>> deletion = new AtomicReference<>(List.of());
		commands.<List<byte[]>>eval(FIND_DELETION.bytes(), ScriptOutputType.MULTI, new byte[0][], this.keyPrefix)
			.thenAccept(deletion::set);
		if (opened instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) {
			return new Connection(opened, heard, deletion, null, new NodeConnections(cluster, this.replication));
		}
		return new Connection(opened, heard, deletion, new Node(opened, new ReplicaAcks(commands, this.replication)),
				null);
	}

	private static RedisClusterAsyncCommands<byte[], byte[]> commands(StatefulConnection<byte[], byte[]> opened) {
		return (opened instanceof StatefulRedisClusterConnection<byte[], byte[]> cluster) ? cluster.async()
				: ((StatefulRedisConnection<byte[], byte[]>) opened).async();
	}

	/**
	 * A connection with the acknowledgements of its replicas or, in a Cluster, with its
	 * nodes.
	 *
	 * @param heard called with {@code null} for each reply, and with the failure for each
	 * missing reply
	 * @param deletion the words of the server's command that deletes a key if it has a
	 * value; empty if there is none or while this is unknown
	 */
	private record Connection(StatefulConnection<byte[], byte[]> stateful, Consumer<@Nullable Throwable> heard,
			AtomicReference<List<byte[]>> deletion, @Nullable Node single, @Nullable NodeConnections cluster) {
	}

}
