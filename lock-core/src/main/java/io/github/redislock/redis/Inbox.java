package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.LockStore.HandOver;
import io.github.redislock.LockStore.HandOverListener;
import io.github.redislock.redis.Subscriber.Subscription;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Where this process is told that a lock was handed over to it: one subscription for all
 * locks, opened when somebody has to wait for the first time. Thread-safe.
 * <p>
 * Losing messages is harmless: who waits asks about once a second all the same.
 */
final class Inbox implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	/** How long to leave a Redis alone that could not be subscribed to; then longer. */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	private static final long CLOSE_LIMIT_SECONDS = 2;

	private static final long NEXT_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final String channel;

	private final Subscriber subscriber;

	private final AtomicReference<State> state = new AtomicReference<>(State.CLOSED);

	private final AtomicReference<@Nullable Subscription> subscription = new AtomicReference<>();

	/**
	 * What the present subscription tells; an earlier one has nothing to tell any more.
	 */
	private volatile @Nullable Letters letters;

	private final AtomicLong nextCheckAt = new AtomicLong(System.nanoTime());

	private volatile long nextAttemptAt = System.nanoTime();

	private volatile long pauseNanos = FIRST_PAUSE_NANOS;

	private volatile @Nullable String lastFailure;

	private volatile @Nullable HandOverListener listener;

	/**
	 * Create an inbox that is not open yet.
	 * @param channel known to no other process
	 * @param subscriber how to subscribe to it
	 */
	Inbox(String channel, Subscriber subscriber) {
		this.channel = channel;
		this.subscriber = subscriber;
	}

	String channel() {
		return this.channel;
	}

	void listen(HandOverListener listener) {
		this.listener = listener;
	}

	/**
	 * Return whether messages arrive.
	 */
	boolean isOpen() {
		return this.state.get() == State.OPEN;
	}

	/**
	 * Begin to subscribe, unless that was done.
	 */
	void open() {
		if (System.nanoTime() - this.nextAttemptAt >= 0 && this.state.compareAndSet(State.CLOSED, State.INTERRUPTED)) {
			Thread thread = new Thread(this::subscribe, "redis-lock-connect");
			thread.setDaemon(true);
			thread.start();
		}
	}

	@Override
	public void close() {
		this.state.set(State.ENDED);
		Subscription present = this.subscription.getAndSet(null);
		if (present == null) {
			return;
		}
		try {
			// Whoever closes the client next finds it closed, and has nothing to warn of.
			present.end().toCompletableFuture().get(CLOSE_LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("The subscription to channel '" + this.channel + "' did not end in time", ex);
		}
	}

	/**
	 * Subscribe anew if the connection has died without a sign. Does something about once
	 * a second.
	 */
	void check() {
		long due = this.nextCheckAt.get();
		long now = System.nanoTime();
		Subscription present = this.subscription.get();
		if (now - due < 0 || present == null || !isOpen()
				|| !this.nextCheckAt.compareAndSet(due, now + NEXT_CHECK_NANOS)) {
			return;
		}
		present.ping().whenComplete((alive, failure) -> {
			if (failure == null) {
				this.pauseNanos = FIRST_PAUSE_NANOS;
			}
			else if (this.subscription.compareAndSet(present, null)) {
				this.letters = null;
				present.end();
				pauseBeforeNextAttempt();
				this.state.compareAndSet(State.OPEN, State.INTERRUPTED);
				this.state.compareAndSet(State.INTERRUPTED, State.CLOSED);
				changed();
			}
		});
	}

	private void pauseBeforeNextAttempt() {
		long pause = this.pauseNanos;
		this.nextAttemptAt = System.nanoTime() + pause;
		this.pauseNanos = Math.min(2 * pause, LONGEST_PAUSE_NANOS);
	}

	private void changed() {
		HandOverListener told = this.listener;
		if (told != null) {
			told.changed();
		}
	}

	private void subscribe() {
		try {
			Letters own = new Letters();
			this.letters = own;
			this.subscription.set(this.subscriber.subscribe(this.channel, own));
			this.lastFailure = null;
			if (this.state.get() == State.ENDED) {
				close();
			}
		}
		catch (Throwable ex) {
			// Errors too: an inbox that is being opened for ever never opens.
			String failure = String.valueOf(ex.getMessage());
			if (!failure.equals(this.lastFailure)) {
				logger.warn("Hand-overs of locks cannot be heard of, who waits asks Redis in short intervals instead: "
						+ "no subscription to channel '" + this.channel + "'", ex);
			}
			this.lastFailure = failure;
			pauseBeforeNextAttempt();
			this.state.compareAndSet(State.INTERRUPTED, State.CLOSED);
		}
	}

	/**
	 * Read {@code <request> <asked-at> <token>}.
	 */
	private static HandOver read(byte[] message) {
		String[] fields = new String(message, StandardCharsets.UTF_8).split(" ");
		return new HandOver(fields[0], Long.parseLong(fields[1]), Long.parseLong(fields[2]));
	}

	private enum State {

		/** Nobody tried to subscribe, or it failed. */
		CLOSED,

		/** The client is at it, for the first time or again. */
		INTERRUPTED,

		/** Messages arrive. */
		OPEN,

		/** Closed for good. */
		ENDED

	}

	/**
	 * What comes in.
	 */
	private final class Letters implements Subscriber.Events {

		@Override
		public void subscribed() {
			if (isPresent() && Inbox.this.state.compareAndSet(State.INTERRUPTED, State.OPEN)) {
				changed();
			}
		}

		@Override
		public void interrupted() {
			if (isPresent() && Inbox.this.state.compareAndSet(State.OPEN, State.INTERRUPTED)) {
				changed();
			}
		}

		@Override
		public void message(byte[] message) {
			HandOverListener told = Inbox.this.listener;
			if (told == null) {
				return;
			}
			try {
				told.handedOver(read(message));
			}
			catch (RuntimeException ex) {
				logger.warn("A message on channel '" + Inbox.this.channel + "' could not be understood", ex);
			}
		}

		private boolean isPresent() {
			return Inbox.this.letters == this;
		}

	}

}
