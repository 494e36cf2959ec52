package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeoutException;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;

import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.simulation.redis.ErrorReplyException;
import org.jspecify.annotations.Nullable;

/**
 * The network between one host and one server, with a connection for requests and one for
 * messages. Faults are drawn for each request, reply and message.
 */
public final class Wire {

	/** The longest time to connect, in nanoseconds. */
	private static final long LONGEST_CONNECT = 20_000_000;

	/**
	 * The longest time until a request is written, in nanoseconds. It is less than the
	 * shortest delay to the server.
	 */
	private static final long LONGEST_WRITE = 40_000;

	/** The pause between two attempts to connect. */
	private static final long RECONNECT_PAUSE = 50_000_000;

	/**
	 * On average, one out of this many requests in a server's buffers outlives its
	 * connection.
	 */
	private static final int SURVIVORS = 3;

	private final World world;

	private final Host host;

	private final Server server;

	private final Chance chance;

	private final Weather weather;

	private final String from;

	/**
	 * Whether the client has a pool of connections, which keeps no order and repeats
	 * requests.
	 */
	private final boolean pooled;

	private final Scheduler scheduler;

	private final Duration silence;

	private final BiPredicate<String, List<byte[]>> forgotten;

	private @Nullable Connection connection;

	private final List<Listening> listenings = new ArrayList<>();

	private boolean connecting;

	private boolean closed;

	private long heardAt;

	Wire(World world, String from, Host host, Server server, Weather weather, Chance chance, boolean pooled,
			Duration silence) {
		this.world = world;
		this.from = from;
		this.host = host;
		this.server = server;
		this.weather = weather;
		this.chance = chance;
		this.pooled = pooled;
		this.silence = silence;
		this.forgotten = world.mistake().forgotten();
		this.scheduler = new Scheduler(host);
		this.connection = new Connection();
		server.connected(this);
	}

	Weather weather() {
		return this.weather;
	}

	public ScheduledExecutorService scheduler() {
		return this.scheduler;
	}

	/**
	 * Return whether a request may arrive again after its reply.
	 */
	public boolean mayArriveTwice() {
		return this.pooled;
	}

	/**
	 * Send a request.
	 * @param timeout the time after which the returned future fails
	 * @param replication how a replica acknowledges the request; {@code null} if it need
	 * not
	 */
	public CompletableFuture<Object> ask(String script, String source, ScriptCall call, Duration timeout,
			@Nullable Replication replication) {
		Connection present = this.connection;
		if (this.closed || present == null || this.forgotten.test(script, argumentsOf(call))) {
			asks(script, call.seal());
			connect();
			return CompletableFuture
				.failedFuture(new IllegalStateException("Currently not connected. Commands are rejected."));
		}
		Question question = new Question(script, source, call, replication, present, this.world.time().now());
		present.open.add(question);
		if (call instanceof ScriptCall.Known) {
			question.write();
		}
		else {
			// All requests that are made until this one is written are sent together.
			this.world.time().after(this.chance.between(1_000L, LONGEST_WRITE), question::write);
		}
		Host.Timer limit = this.host.schedule(() -> timedOut(question), timeout);
		question.reply.whenComplete((reply, failure) -> {
			limit.cancel(false);
			present.open.remove(question);
		});
		send(question);
		return question.reply;
	}

	/**
	 * Publish a message, which may be lost on its way to the server.
	 */
	public void publish(String channel, byte[] message) {
		Connection present = this.connection;
		if (this.closed || present == null || this.chance.perMille(this.weather.lostQuestions)) {
			return;
		}
		long now = this.world.time().now();
		this.world.time().after(delay() + this.weather.silentToServer(now), () -> {
			if (!this.server.isAway()) {
				this.server
					.receive(() -> this.server.publish(channel, new String(message, StandardCharsets.ISO_8859_1)));
			}
		});
	}

	/**
	 * Report a request to the rules, even without a connection.
	 */
	private void asks(String script, ScriptCall.Input input) {
		this.world.asks(this.server, script, input.arguments());
	}

	/**
	 * Return the arguments of a call, or none if it may still collect requests.
	 */
	private static List<byte[]> argumentsOf(ScriptCall call) {
		return (call instanceof ScriptCall.Known known) ? known.seal().arguments() : List.of();
	}

	private void send(Question question) {
		if (this.chance.perMille(this.weather.breaks)) {
			this.world.counts().count("connection broken");
			this.world.time().after(this.chance.between(0L, this.weather.longest), () -> breakDown("reset"));
		}
		if (this.chance.perMille(this.weather.lostQuestions)) {
			this.world.counts().count("request lost");
			this.world.story().tell(this.from, question.trait(), () -> "its request is lost: " + question);
			return;
		}
		long arrival = this.world.time().now() + delay() + this.weather.silentToServer(this.world.time().now());
		if (!this.pooled) {
			arrival = Math.max(arrival, question.connection.lastOut + 1);
			question.connection.lastOut = arrival;
		}
		this.world.time().deliver(lane(question.connection.out), arrival, () -> arrive(question));
		if (this.pooled && this.chance.perMille(this.weather.copies)) {
			this.world.counts().count("request copied");
			// The client repeats the request because the reply was lost, or without a
			// reason.
			question.firstReplyLost = this.chance.oneIn(2);
			this.world.time().at(arrival + this.chance.between(0L, latestCopy(arrival)), () -> arrive(question));
		}
	}

	/**
	 * Return how much later the second copy of a request may arrive. If half of the
	 * callers come a minute later, so do some copies.
	 */
	private long latestCopy(long arrival) {
		boolean minutes = !this.world.setting().gap().isZero() && this.chance.oneIn(2);
		return minutes ? Math.max(this.world.end() - arrival, 0) : this.weather.latest;
	}

	private void arrive(Question question) {
		if (question.connection.broken && !question.survives) {
			return;
		}
		if (this.server.isAway()) {
			breakDown("server away");
			return;
		}
		this.server.receive(() -> serve(question));
	}

	private void serve(Question question) {
		Object reply;
		ErrorReplyException error = null;
		try {
			reply = this.server.eval(question.script, this.world.mistake().script(question.script, question.source),
					question.input().keys(), question.input().arguments(), this.world.time().now() - question.sentAt);
			reply = this.world.mistake().reply(question.script, reply);
		}
		catch (ErrorReplyException ex) {
			reply = null;
			error = ex;
		}
		Object said = reply;
		RuntimeException refusal = error;
		this.world.story()
			.tell(this.server.name(), question.trait(), () -> "runs for %s: %s -> %s".formatted(this.from, question,
					(refusal != null) ? refusal.getMessage() : Words.reply(question.script, said)));
		Replication replication = question.replication;
		if (replication != null && said != null && replication.written().test(said)) {
			this.server.whenReplicated(replication.limit().toNanos(),
					(done) -> reply(question, said, done ? null : replication.failure().apply(said)));
		}
		else {
			reply(question, said, refusal);
		}
	}

	private void reply(Question question, @Nullable Object said, @Nullable RuntimeException refusal) {
		if (this.chance.perMille(this.weather.lostReplies) || question.firstReplyLost) {
			question.firstReplyLost = false;
			this.world.counts().count("reply lost");
			this.world.story()
				.tell(this.server.name(), question.trait(),
						() -> "its reply to %s is lost: %s".formatted(this.from, question));
			return;
		}
		long arrival = this.world.time().now() + delay() + this.weather.silentToClient(this.world.time().now());
		if (!this.pooled) {
			arrival = Math.max(arrival, question.connection.lastBack + 1);
			question.connection.lastBack = arrival;
		}
		this.world.time()
			.deliver(lane(question.connection.back), arrival,
					() -> this.host.bring(() -> replied(question, said, refusal)));
	}

	private void replied(Question question, @Nullable Object reply, @Nullable RuntimeException refusal) {
		if (question.connection.broken || question.reply.isDone()) {
			return;
		}
		this.heardAt = this.host.nanoTime();
		this.world.story()
			.tell(this.from, question.trait(), () -> "receives the reply: "
					+ ((refusal != null) ? refusal.getMessage() : Words.reply(question.script, reply)));
		if (refusal != null) {
			question.reply.completeExceptionally(refusal);
		}
		else {
			if (reply != null) {
				this.world.replied(question.script, question.input().arguments(), reply);
			}
			question.reply.complete(reply);
		}
	}

	private void timedOut(Question question) {
		if (question.reply.isDone()) {
			return;
		}
		this.world.counts().count("request timed out");
		this.world.story().tell(this.from, question.trait(), () -> "stops waiting for the reply to: " + question);
		Connection asked = question.connection;
		if (!this.pooled && asked == this.connection && this.host.nanoTime() - this.heardAt >= this.silence.toNanos()) {
			// The connection is not just slow but silent, so the next request uses
			// another one.
			this.connection = new Connection();
		}
		question.reply.completeExceptionally(new TimeoutException());
	}

	/**
	 * Break the connection. Requests that are already in the server's buffers may still
	 * run.
	 */
	void breakDown(String reason) {
		Connection present = this.connection;
		if (present == null) {
			return;
		}
		this.world.story().tell(this.from, present.open.size(), () -> "loses its connection: " + reason);
		this.connection = null;
		present.broken = true;
		List<Question> open = List.copyOf(present.open);
		open.forEach((question) -> question.survives = this.chance.oneIn(SURVIVORS) && !this.server.isAway());
		this.world.time().after(this.chance.between(0L, 1_000_000L), () -> this.host.bring(() -> {
			open.forEach((question) -> question.reply
				.completeExceptionally(new IllegalStateException("Connection reset by peer")));
			connect();
		}));
	}

	void serverDied() {
		breakDown("server died");
		List.copyOf(this.listenings).forEach(Listening::interrupt);
	}

	void breakListening(boolean silently) {
		List.copyOf(this.listenings).forEach(silently ? Listening::fallSilent : Listening::interrupt);
	}

	private void connect() {
		if (this.connecting || this.closed) {
			return;
		}
		this.connecting = true;
		this.world.time()
			.after(this.chance.between(1_000_000L, LONGEST_CONNECT), () -> this.host.bring(this::tryToConnect));
	}

	private void tryToConnect() {
		if (this.closed) {
			return;
		}
		if (this.server.isAway()) {
			this.world.time().after(RECONNECT_PAUSE, () -> this.host.bring(this::tryToConnect));
			return;
		}
		this.connecting = false;
		this.connection = new Connection();
	}

	public Listening subscribe(List<String> channels, Letters letters) {
		if (this.server.isAway() || this.closed) {
			throw new IllegalStateException("Unable to connect to " + this.server.name());
		}
		Listening listening = new Listening(channels, letters);
		this.listenings.add(listening);
		listening.begin();
		return listening;
	}

	public void close() {
		this.closed = true;
		this.connection = null;
		this.server.disconnected(this);
		List.copyOf(this.listenings).forEach(Listening::end);
	}

	/**
	 * Return where data is delivered: the connections of a pool keep no order.
	 */
	private Orders.Lane lane(Orders.Lane single) {
		return this.pooled ? newLane() : single;
	}

	private Orders.Lane newLane() {
		return new Orders.Lane(new Orders.Client() {

			@Override
			public boolean repeats() {
				return Wire.this.pooled;
			}

			@Override
			public void copied() {
				Wire.this.world.counts().count("request copied");
			}

			@Override
			public void reset() {
				breakDown("reset");
			}

			@Override
			public void pause(long nanos) {
				Wire.this.world.pause(Wire.this.host, nanos);
			}

		});
	}

	private long delay() {
		if (this.world.time().isOrdered()) {
			return Orders.DELAY;
		}
		return this.chance.perMille(this.weather.slow) ? this.chance.between(this.weather.longest, this.weather.latest)
				: this.chance.between(this.weather.shortest, this.weather.longest);
	}

	/**
	 * How a replica acknowledges a request.
	 *
	 * @param written tests whether a reply means that the script wrote anything
	 * @param limit how long to wait for the replica
	 * @param failure the failure of a request that the replica has not acknowledged
	 */
	public record Replication(Predicate<Object> written, Duration limit, Function<Object, RuntimeException> failure) {
	}

	/**
	 * Receives the messages of a subscription.
	 */
	public interface Letters {

		void subscribed();

		void interrupted();

		void message(byte[] message);

	}

	private final class Connection {

		private final List<Question> open = new ArrayList<>();

		private final Orders.Lane out = newLane();

		private final Orders.Lane back = newLane();

		private long lastOut;

		private long lastBack;

		private boolean broken;

	}

	private final class Question {

		private final String script;

		private final String source;

		private final ScriptCall call;

		private final @Nullable Replication replication;

		private final Connection connection;

		private final CompletableFuture<Object> reply = new CompletableFuture<>();

		private final long sentAt;

		private boolean survives;

		private boolean firstReplyLost;

		private boolean sealed;

		Question(String script, String source, ScriptCall call, @Nullable Replication replication,
				Connection connection, long sentAt) {
			this.script = script;
			this.source = source;
			this.call = call;
			this.replication = replication;
			this.connection = connection;
			this.sentAt = sentAt;
		}

		void write() {
			asks(this.script, input());
			Wire.this.world.story()
				.tell(Wire.this.from, trait(), () -> "asks " + Wire.this.server.name() + " to " + this);
		}

		/**
		 * Return the keys and arguments, which no longer change from now on.
		 */
		ScriptCall.Input input() {
			this.sealed = true;
			return this.call.seal();
		}

		long trait() {
			long trait = this.script.hashCode();
			for (byte[] argument : this.sealed ? input().arguments() : argumentsOf(this.call)) {
				trait = 31 * trait + Arrays.hashCode(argument);
			}
			return trait;
		}

		@Override
		public String toString() {
			return Words.of(this.script, input().keys(), input().arguments());
		}

	}

	/**
	 * A subscription, which resumes by itself after a connection error.
	 */
	public final class Listening {

		private final List<String> channels;

		private final Letters letters;

		private boolean heard;

		/** Whether the server sends messages that do not arrive. */
		private boolean silent;

		private boolean ended;

		private final Orders.Lane lane = newLane();

		private long lastBack;

		Listening(List<String> channels, Letters letters) {
			this.channels = channels;
			this.letters = letters;
		}

		private void begin() {
			Wire.this.world.time().after(delay(), () -> {
				if (this.ended || this.heard) {
					return;
				}
				if (Wire.this.server.isAway()) {
					again();
					return;
				}
				this.channels.forEach((channel) -> Wire.this.server.listen(channel, this));
				this.heard = true;
				this.silent = false;
				back(() -> {
					if (this.heard) {
						this.letters.subscribed();
					}
				});
			});
		}

		private void again() {
			Wire.this.world.time().after(RECONNECT_PAUSE + delay(), this::begin);
		}

		void send(byte[] message) {
			if (this.silent || Wire.this.chance.perMille(Wire.this.weather.lostMessages)) {
				Wire.this.world.counts().count("message lost");
				Wire.this.world.story()
					.tell(Wire.this.from, message.length, () -> "never learns that " + Words.message(message));
				return;
			}
			Wire.this.world.story()
				.tell(Wire.this.server.name(), Arrays.hashCode(message),
						() -> "notifies %s that %s".formatted(Wire.this.from, Words.message(message)));
			back(() -> {
				Wire.this.world.story()
					.tell(Wire.this.from, Arrays.hashCode(message), () -> "learns that " + Words.message(message));
				Wire.this.world.heard(Wire.this.from, new String(message, StandardCharsets.UTF_8));
				this.letters.message(message);
			});
		}

		private void back(Runnable news) {
			long now = Wire.this.world.time().now();
			this.lastBack = Math.max(this.lastBack + 1, now + delay() + Wire.this.weather.silentToClient(now));
			Wire.this.world.time().deliver(this.lane, this.lastBack, () -> Wire.this.host.bring(() -> {
				if (!this.ended) {
					news.run();
				}
			}));
		}

		private void interrupt() {
			Wire.this.server.forget(this);
			if (this.ended || !this.heard) {
				return;
			}
			this.heard = false;
			back(this.letters::interrupted);
			again();
		}

		private void fallSilent() {
			this.silent = true;
		}

		public CompletionStage<?> ping() {
			CompletableFuture<Object> pong = new CompletableFuture<>();
			Host.Timer limit = Wire.this.host.schedule(() -> pong.completeExceptionally(new TimeoutException()),
					Wire.this.silence);
			pong.whenComplete((alive, failure) -> limit.cancel(false));
			Wire.this.world.time()
				.after(delay() + Wire.this.weather.silentToServer(Wire.this.world.time().now()), () -> {
					if (this.heard && !this.silent && !Wire.this.server.isAway()) {
						Wire.this.server.receive(() -> back(() -> pong.complete("PONG")));
					}
				});
			return pong;
		}

		public CompletionStage<Void> end() {
			this.ended = true;
			Wire.this.server.forget(this);
			Wire.this.listenings.remove(this);
			return CompletableFuture.completedFuture(null);
		}

	}

}
