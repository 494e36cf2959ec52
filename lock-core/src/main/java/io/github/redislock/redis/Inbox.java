package io.github.redislock.redis;

import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.github.redislock.internal.client.Closing;
import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.Subscriber;
import io.github.redislock.internal.support.DaemonThreads;
import io.github.redislock.store.HandOverListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Receives the {@linkplain InboxMessage messages} to this process and to all processes.
 * One subscription, which is opened when it may first be needed, serves all locks.
 * Thread-safe.
 * <p>
 * Messages may be lost, so a waiter still asks Redis about once a second, and a holder
 * notices a lost lock at its next renewal or release. The engine decides whether a
 * hand-over came too late, in {@code PendingRequest.accept}.
 */
final class Inbox implements AutoCloseable {

	private static final Log logger = LogFactory.getLog(Inbox.class);

	/** The pause after the first failed subscription; doubled after each further one. */
	private static final long FIRST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

	/** The pause if the subscription seems to have used the only connection. */
	private static final long STARVED_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

	private static final long NEXT_CHECK_NANOS = TimeUnit.SECONDS.toNanos(1);

	/** How long nothing may be received before the subscription counts as inactive. */
	private static final long LONGEST_SILENCE_NANOS = TimeUnit.SECONDS.toNanos(2);

	private final String channel;

	private final String news;

	private final Subscriber subscriber;

	private final LongSupplier nanoTime;

	private final Executor connector;

	private volatile @Nullable HandOverListener listener;

	private volatile boolean asksAgain;

	/** The current or last subscription. Replaced under this object's monitor. */
	private volatile InboxSubscription subscription;

	/** Whether a subscription has been open before. */
	private volatile boolean wasOpen;

	/** Guarded by this object's monitor, like all fields below. */
	private boolean closed;

	private long nextAttemptAt;

	private long pauseNanos = FIRST_PAUSE_NANOS;

	private long nextCheckAt;

	private @Nullable String lastFailure;

	/**
	 * Create an inbox that is not open yet.
	 * @param channel the channel that only this process uses
	 * @param news the channel of all processes
	 * @param subscriber subscribes to both channels
	 */
	Inbox(String channel, String news, Subscriber subscriber) {
		this(channel, news, subscriber, System::nanoTime,
				(task) -> DaemonThreads.create("redis-lock-connect", task).start());
	}

	/**
	 * Create an inbox that is not open yet, with another clock.
	 * @param connector runs the call that subscribes, which blocks
	 */
	Inbox(String channel, String news, Subscriber subscriber, LongSupplier nanoTime, Executor connector) {
		this.channel = channel;
		this.news = news;
		this.subscriber = subscriber;
		this.nanoTime = nanoTime;
		this.connector = connector;
		this.nextAttemptAt = nanoTime.getAsLong();
		this.nextCheckAt = this.nextAttemptAt;
		this.subscription = newSubscription();
		this.subscription.finish();
	}

	private InboxSubscription newSubscription() {
		return new InboxSubscription(this.nanoTime, this::read, this::changed);
	}

	String channel() {
		return this.channel;
	}

	/**
	 * Set the listener.
	 * @param asksAgain whether to pass on each hand-over as a notice to ask for the lock,
	 * because the message does not show whether replicas have received the hand-over. The
	 * reply to a request shows it
	 */
	void listen(HandOverListener listener, boolean asksAgain) {
		this.asksAgain = asksAgain;
		this.listener = listener;
	}

	boolean isOpen() {
		return this.subscription.isOpen();
	}

	/**
	 * Return, without waiting, whether the subscription seems to work. If nothing was
	 * received within the last second, check the subscription, or subscribe again.
	 */
	boolean isActive() {
		InboxSubscription present = this.subscription;
		if (!present.isActiveWithin(NEXT_CHECK_NANOS)) {
			open();
		}
		return present.isActiveWithin(LONGEST_SILENCE_NANOS);
	}

	/**
	 * Return why no messages arrive, or {@code null} if they arrive or no reason is
	 * known.
	 */
	synchronized @Nullable String trouble() {
		String reason = (this.lastFailure == null && this.subscription.isStuck())
				? "it was interrupted and is not back yet" : this.lastFailure;
		if (reason == null || this.closed || isOpen()) {
			return null;
		}
		return "no subscription to channel '%s' (%s): waiting callers poll Redis until it is back"
			.formatted(this.channel, reason);
	}

	/**
	 * Subscribe because a lock was granted, unless the subscription is open.
	 */
	void openForHolder() {
		if (!isOpen()) {
			open();
		}
	}

	/**
	 * Begin to subscribe, unless there is a subscription or the pause after a failure is
	 * not over. At most once a second, check the subscription, and end it if its
	 * connection died silently or was not restored in time. A later call then subscribes
	 * again.
	 */
	void open() {
		begin();
		check();
	}

	/**
	 * End the subscription for a while if no request has received a reply since the
	 * subscription was opened, because it may use the only connection.
	 * @param repliedAt when the last reply came, by {@link System#nanoTime()}
	 */
	void unanswered(long repliedAt) {
		InboxSubscription present = this.subscription;
		if (present.wasOpenedAfter(repliedAt)) {
			failed(present,
					new IllegalStateException("No reply since it was opened: perhaps locks need one more connection"),
					STARVED_PAUSE_NANOS);
		}
	}

	@Override
	public void close() {
		InboxSubscription last;
		synchronized (this) {
			this.closed = true;
			last = this.subscription;
		}
		if (last.finish()) {
			// Wait, because the client, which is closed next, would otherwise log a
			// warning.
			Closing.await(last.end());
		}
	}

	private void begin() {
		InboxSubscription begun;
		synchronized (this) {
			if (this.closed || !this.subscription.isOver() || this.nanoTime.getAsLong() - this.nextAttemptAt < 0) {
				return;
			}
			begun = newSubscription();
			this.subscription = begun;
		}
		begun.begin(() -> this.subscriber.subscribe(List.of(this.channel, this.news), begun), this.connector,
				(failure) -> failed(begun, failure, 0));
	}

	private void check() {
		InboxSubscription checked = this.subscription;
		synchronized (this) {
			long now = this.nanoTime.getAsLong();
			if (checked.isOver() || !checked.hasBegun() || now - this.nextCheckAt < 0) {
				return;
			}
			this.nextCheckAt = now + NEXT_CHECK_NANOS;
		}
		if (checked.isStuck()) {
			failed(checked, new IllegalStateException("The subscription was not restored in time"), 0);
		}
		else if (checked.isOpen()) {
			checked.ping((failure) -> {
				if (failure != null) {
					failed(checked, failure, 0);
				}
				else {
					alive();
				}
			});
		}
	}

	private void alive() {
		boolean back;
		synchronized (this) {
			this.pauseNanos = FIRST_PAUSE_NANOS;
			back = this.lastFailure != null;
			this.lastFailure = null;
		}
		if (back) {
			logger
				.info("Subscription to channel '%s' is back: locks are handed over by message".formatted(this.channel));
		}
	}

	/**
	 * End a failed subscription. A new one may begin after a pause.
	 */
	private void failed(InboxSubscription failed, Throwable failure, long leastPauseNanos) {
		String text = RedisErrors.innermost(failure);
		boolean known;
		synchronized (this) {
			if (!failed.finish()) {
				return;
			}
			this.nextAttemptAt = this.nanoTime.getAsLong() + Math.max(this.pauseNanos, leastPauseNanos);
			this.pauseNanos = Math.min(2 * this.pauseNanos, LONGEST_PAUSE_NANOS);
			known = text.equals(this.lastFailure);
			this.lastFailure = text;
		}
		if (!known) {
			logger.warn("No subscription to channel '%s' (%s): waiting callers poll Redis until it is back"
				.formatted(this.channel, text));
			logger.debug("Subscription to channel '%s' failed".formatted(this.channel), failure);
		}
		failed.end();
		changed();
	}

	private void changed() {
		HandOverListener present = this.listener;
		if (present != null) {
			present.changed();
			if (isOpen() && this.wasOpen) {
				present.restored();
			}
		}
		this.wasOpen = this.wasOpen || isOpen();
	}

	private void read(byte[] message) {
		HandOverListener present = this.listener;
		if (present == null) {
			return;
		}
		try {
			InboxMessage.deliver(message, present, this.asksAgain);
		}
		catch (RuntimeException ex) {
			logger.warn("A message on channel '" + this.channel + "' could not be read", ex);
		}
	}

}
