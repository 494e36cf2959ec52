package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.github.redislock.redis.client.Closing;
import io.github.redislock.redis.client.RedisErrors;
import io.github.redislock.redis.client.Subscriber;
import io.github.redislock.redis.client.Subscriber.Subscription;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Receives the messages that a lock was handed over to this process, or taken by force
 * from its holder: one subscription for all locks, opened when it may be needed for the
 * first time. Thread-safe.
 * <p>
 * Losing messages is harmless: a waiter still asks about once a second, and a holder
 * notices a loss with its next renewal. The engine decides whether a message came too
 * late, in {@code PendingRequest.take}.
 */
final class Inbox implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	/** The first pause after a failed subscription; then longer. */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** The pause if locks need all connections. */
	private static final long STARVED_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long LONGEST_INTERRUPTION_NANOS = TimeUnit.SECONDS.toNanos(5);

	private static final long NEXT_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** After this time without a sign of life, messages may be lost. */
	private static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	/** The prefix of a message about a forced release; no request begins so. */
	private static final String FORCED = "forced ";

	/**
	 * The prefix of a message about waits of a process. Versions that do not know it read
	 * it as the turn of an unknown request.
	 */
	private static final String WAITS = "waits 1 0 ";

	private final String channel;

	private final byte[] address;

	private final String news;

	private final Subscriber subscriber;

	private final LongSupplier nanoTime;

	private final Executor connector;

	/**
	 * Guarded, like all that follows, by this object's monitor. Only
	 * {@link #openForHolder} and {@link #isHeard} read it without.
	 */
	private volatile State state = State.CLOSED;

	/** The last sign of life of the subscription. Read by any thread. */
	private volatile long heardAt;

	private @Nullable Subscription subscription;

	/** Whether the last attempt to subscribe is over. */
	private CompletableFuture<Void> beginning = CompletableFuture.completedFuture(null);

	/**
	 * Receives the events of the current subscription; those of an earlier one are
	 * ignored.
	 */
	private @Nullable Letters letters;

	private long interruptedAt;

	private long openedAt;

	private long nextAttemptAt;

	private long pauseNanos = FIRST_PAUSE_NANOS;

	private long nextCheckAt;

	private @Nullable String lastFailure;

	private volatile @Nullable HandOverListener listener;

	/**
	 * Create an inbox that is not open yet.
	 * @param channel known to no other process
	 * @param news the channel of all processes
	 * @param subscriber how to subscribe to them
	 */
	Inbox(String channel, String news, Subscriber subscriber) {
		this(channel, news, subscriber, System::nanoTime, Inbox::startThread);
	}

	/**
	 * Create an inbox that is not open yet, with another clock.
	 * @param connector runs the blocking subscription
	 */
	Inbox(String channel, String news, Subscriber subscriber, LongSupplier nanoTime, Executor connector) {
		this.channel = channel;
		this.address = channel.getBytes(StandardCharsets.UTF_8);
		this.news = news;
		this.subscriber = subscriber;
		this.nanoTime = nanoTime;
		this.connector = connector;
		this.nextAttemptAt = nanoTime.getAsLong();
		this.nextCheckAt = this.nextAttemptAt;
	}

	private static void startThread(Runnable task) {
		Thread thread = new Thread(task, "redis-lock-connect");
		thread.setDaemon(true);
		thread.start();
	}

	/**
	 * Return the channel of this inbox, for scripts.
	 */
	byte[] address() {
		return this.address;
	}

	/**
	 * Return what to publish so that all inboxes {@linkplain HandOverListener#told
	 * receive} a message.
	 */
	static String notice(String message) {
		return WAITS + message;
	}

	void listen(HandOverListener listener) {
		this.listener = listener;
	}

	/**
	 * Return whether messages arrive.
	 */
	synchronized boolean isOpen() {
		return this.state == State.OPEN;
	}

	/**
	 * Return the reason why no messages arrive; {@code null} if they do, or are not
	 * needed yet.
	 */
	synchronized @Nullable String trouble() {
		boolean stuck = this.state == State.INTERRUPTED
				&& this.nanoTime.getAsLong() - this.interruptedAt > LONGEST_INTERRUPTION_NANOS;
		String failure = this.lastFailure;
		if (this.state == State.OPEN || this.state == State.ENDED || (failure == null && !stuck)) {
			return null;
		}
		return "no subscription to channel '%s' (%s): waiting callers poll Redis until it is back"
			.formatted(this.channel, (failure != null) ? failure : "it was interrupted and is not back yet");
	}

	/**
	 * Begin to subscribe for a holder, and again after a failure. Costs nothing while
	 * messages arrive.
	 */
	void openForHolder() {
		if (this.state != State.OPEN) {
			open();
			check();
		}
	}

	/**
	 * Return whether messages arrive, as far as known without waiting, and subscribe if
	 * they do not.
	 */
	boolean isHeard() {
		long silence = this.nanoTime.getAsLong() - this.heardAt;
		if (this.state == State.OPEN && silence < NEXT_CHECK_NANOS) {
			return true;
		}
		open();
		check();
		return this.state == State.OPEN && silence < LONGEST_SILENCE_NANOS;
	}

	/**
	 * Begin to subscribe, unless already done.
	 */
	void open() {
		Letters own;
		CompletableFuture<Void> over = new CompletableFuture<>();
		synchronized (this) {
			if (this.state != State.CLOSED || this.nanoTime.getAsLong() - this.nextAttemptAt < 0) {
				return;
			}
			interrupt();
			own = new Letters();
			this.letters = own;
			this.beginning = over;
		}
		try {
			this.connector.execute(() -> subscribe(own, over));
		}
		catch (Throwable ex) {
			over.complete(null);
			failed(own, ex);
		}
	}

	@Override
	public void close() {
		Subscription present;
		CompletableFuture<Void> beginning;
		synchronized (this) {
			this.state = State.ENDED;
			this.letters = null;
			present = this.subscription;
			this.subscription = null;
			beginning = this.beginning;
		}
		// The client, closed next, then finds it closed and logs no warning.
		Closing.await((present != null) ? present.end() : beginning);
	}

	/**
	 * Subscribe again if the connection has silently died, or does not come back. Acts
	 * about once a second.
	 */
	void check() {
		Subscription present;
		Letters own;
		boolean stuck;
		long now = this.nanoTime.getAsLong();
		synchronized (this) {
			present = this.subscription;
			own = this.letters;
			if (present == null || own == null || now - this.nextCheckAt < 0) {
				return;
			}
			this.nextCheckAt = now + NEXT_CHECK_NANOS;
			stuck = this.state == State.INTERRUPTED && now - this.interruptedAt > LONGEST_INTERRUPTION_NANOS;
			if (this.state != State.OPEN && !stuck) {
				return;
			}
		}
		if (stuck) {
			failed(own, new IllegalStateException("The subscription did not come back"));
			return;
		}
		present.ping().whenComplete((alive, failure) -> {
			if (failure != null) {
				failed(own, failure);
			}
			else {
				alive();
			}
		});
	}

	/**
	 * Close the connection for a while if no reply came since it began to listen: locks
	 * may have no other connection.
	 * @param repliedAt when the last reply came
	 */
	void unanswered(long repliedAt) {
		Letters own;
		synchronized (this) {
			own = this.letters;
			if (own == null || this.state != State.OPEN || repliedAt - this.openedAt > 0) {
				return;
			}
		}
		failed(own, new IllegalStateException(
				"No reply since then: locks need at least one connection besides that of the subscription"));
		synchronized (this) {
			if (this.state == State.CLOSED) {
				this.nextAttemptAt = this.nanoTime.getAsLong() + STARVED_PAUSE_NANOS;
			}
		}
	}

	private void alive() {
		boolean back;
		synchronized (this) {
			this.heardAt = this.nanoTime.getAsLong();
			this.pauseNanos = FIRST_PAUSE_NANOS;
			back = this.lastFailure != null;
			this.lastFailure = null;
		}
		if (back) {
			logger
				.info("Subscription to channel '%s' is back: locks are handed over by message".formatted(this.channel));
		}
	}

	private void interrupt() {
		this.state = State.INTERRUPTED;
		this.interruptedAt = this.nanoTime.getAsLong();
	}

	/**
	 * End a subscription, to be tried again later.
	 */
	private void failed(Letters own, Throwable failure) {
		String text = RedisErrors.innermost(failure);
		Subscription ended;
		boolean known;
		synchronized (this) {
			if (this.letters != own) {
				return;
			}
			ended = this.subscription;
			this.letters = null;
			this.subscription = null;
			this.state = State.CLOSED;
			this.nextAttemptAt = this.nanoTime.getAsLong() + this.pauseNanos;
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
			known = text.equals(this.lastFailure);
			this.lastFailure = text;
		}
		if (!known) {
			logger.warn("No subscription to channel '%s' (%s): waiting callers poll Redis until it is back"
				.formatted(this.channel, text));
			logger.debug("Subscription to channel '%s' failed".formatted(this.channel), failure);
		}
		if (ended != null) {
			ended.end();
		}
		changed();
	}

	private void changed() {
		HandOverListener told = this.listener;
		if (told != null) {
			told.changed();
		}
	}

	private void subscribe(Letters own, CompletableFuture<Void> over) {
		try {
			Subscription begun = this.subscriber.subscribe(List.of(this.channel, this.news), own);
			if (keep(own, begun)) {
				over.complete(null);
			}
			else {
				begun.end().whenComplete((ended, failure) -> over.complete(null));
			}
		}
		catch (Throwable ex) {
			// Errors as well: otherwise the inbox would stay half open forever.
			over.complete(null);
			failed(own, ex);
		}
	}

	private synchronized boolean keep(Letters own, Subscription begun) {
		if (this.letters != own) {
			return false;
		}
		this.subscription = begun;
		return true;
	}

	/**
	 * Read {@code <request> <asked-at> <token>}, where token 0 means that the request has
	 * to ask, or {@code forced <name>}, or {@code waits 1 0 <message>}.
	 */
	private static void tell(HandOverListener told, byte[] message) {
		String text = new String(message, StandardCharsets.UTF_8);
		if (text.startsWith(FORCED)) {
			told.takenByForce(text.substring(FORCED.length()));
			return;
		}
		if (text.startsWith(WAITS)) {
			told.told(text.substring(WAITS.length()));
			return;
		}
		String[] fields = text.split(" ");
		long token = Long.parseLong(fields[2]);
		if (token == 0) {
			told.turnHasCome(fields[0]);
		}
		else {
			told.handedOver(new HandOver(fields[0], Long.parseLong(fields[1]), token));
		}
	}

	private enum State {

		/** Not subscribed, or the attempt failed. */
		CLOSED,

		/** The client is subscribing, for the first time or again. */
		INTERRUPTED,

		/** Messages arrive. */
		OPEN,

		/** Closed for good. */
		ENDED

	}

	/**
	 * Receives what a subscription delivers.
	 */
	private final class Letters implements Subscriber.Events {

		@Override
		public void subscribed() {
			synchronized (Inbox.this) {
				if (Inbox.this.letters != this || Inbox.this.state != State.INTERRUPTED) {
					return;
				}
				Inbox.this.state = State.OPEN;
				Inbox.this.openedAt = Inbox.this.nanoTime.getAsLong();
				Inbox.this.heardAt = Inbox.this.openedAt;
			}
			changed();
		}

		@Override
		public void interrupted() {
			synchronized (Inbox.this) {
				if (Inbox.this.letters != this || Inbox.this.state != State.OPEN) {
					return;
				}
				interrupt();
			}
			changed();
		}

		@Override
		public void message(byte[] message) {
			Inbox.this.heardAt = Inbox.this.nanoTime.getAsLong();
			HandOverListener told = Inbox.this.listener;
			if (told == null) {
				return;
			}
			try {
				tell(told, message);
			}
			catch (RuntimeException ex) {
				logger.warn("A message on channel '" + Inbox.this.channel + "' could not be understood", ex);
			}
		}

	}

}
