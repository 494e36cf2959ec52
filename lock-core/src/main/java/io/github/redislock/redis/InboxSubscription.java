package io.github.redislock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

import io.github.redislock.internal.client.Subscriber;
import io.github.redislock.internal.client.Subscriber.Subscription;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of an {@link Inbox}, from its beginning until it fails or is ended.
 * Thread-safe.
 */
final class InboxSubscription implements Subscriber.Events {

	private static final long LONGEST_INTERRUPTION_NANOS = TimeUnit.SECONDS.toNanos(5);

	private final LongSupplier nanoTime;

	private final Consumer<byte[]> messages;

	private final Runnable changed;

	/** The client's subscription, which fails if the client cannot subscribe. */
	private final CompletableFuture<Subscription> subscription = new CompletableFuture<>();

	/** Changed under this object's monitor. */
	private volatile State state = State.INTERRUPTED;

	private volatile long since;

	private volatile long receivedAt;

	/**
	 * Create a subscription that has not begun yet.
	 * @param messages receives the messages
	 * @param changed called when messages begin or stop arriving
	 */
	InboxSubscription(LongSupplier nanoTime, Consumer<byte[]> messages, Runnable changed) {
		this.nanoTime = nanoTime;
		this.messages = messages;
		this.changed = changed;
		this.since = nanoTime.getAsLong();
	}

	/**
	 * Begin to subscribe.
	 * @param connector runs the client's call that subscribes, which blocks
	 * @param failed called if the client cannot subscribe
	 */
	void begin(Supplier<Subscription> client, Executor connector, Consumer<Throwable> failed) {
		this.subscription.whenComplete((begun, failure) -> {
			if (failure != null) {
				failed.accept(failure);
			}
		});
		// The attempt fails, for example, if no thread can be started.
		Futures.relay(Futures.attempt(() -> CompletableFuture.supplyAsync(client, connector)), this.subscription);
	}

	/**
	 * Return whether the client has subscribed, or has failed to do so.
	 */
	boolean hasBegun() {
		return this.subscription.isDone();
	}

	boolean isOpen() {
		return this.state == State.OPEN;
	}

	boolean isOver() {
		return this.state == State.OVER;
	}

	/**
	 * Return whether the client has been subscribing for too long, for the first time or
	 * again.
	 */
	boolean isStuck() {
		return this.state == State.INTERRUPTED && this.nanoTime.getAsLong() - this.since > LONGEST_INTERRUPTION_NANOS;
	}

	/**
	 * Return whether the subscription is open, and was opened or restored after the given
	 * time.
	 */
	boolean wasOpenedAfter(long time) {
		return this.state == State.OPEN && this.since - time >= 0;
	}

	boolean isActiveWithin(long nanos) {
		return this.state == State.OPEN && this.nanoTime.getAsLong() - this.receivedAt < nanos;
	}

	/**
	 * Check that the connection is alive.
	 * @param replied called with {@code null} if there is a reply, otherwise with the
	 * failure
	 */
	void ping(Consumer<@Nullable Throwable> replied) {
		this.subscription.thenAccept((client) -> client.ping().whenComplete((pong, failure) -> {
			if (failure == null) {
				this.receivedAt = this.nanoTime.getAsLong();
			}
			replied.accept(failure);
		}));
	}

	/**
	 * Mark the subscription as over, so that no later event opens it again.
	 * @return {@code false} if the subscription was already over
	 */
	synchronized boolean finish() {
		boolean first = this.state != State.OVER;
		this.state = State.OVER;
		return first;
	}

	/**
	 * Unsubscribe, now or as soon as the client has subscribed.
	 */
	CompletionStage<Void> end() {
		return this.subscription.thenCompose(Subscription::end);
	}

	@Override
	public void subscribed() {
		change(State.INTERRUPTED, State.OPEN);
	}

	@Override
	public void interrupted() {
		change(State.OPEN, State.INTERRUPTED);
	}

	private void change(State from, State to) {
		synchronized (this) {
			if (this.state != from) {
				return;
			}
			this.since = this.nanoTime.getAsLong();
			this.receivedAt = this.since;
			this.state = to;
		}
		this.changed.run();
	}

	@Override
	public void message(byte[] message) {
		this.receivedAt = this.nanoTime.getAsLong();
		this.messages.accept(message);
	}

	private enum State {

		/** The client is subscribing, for the first time or again. */
		INTERRUPTED,

		/** Messages arrive. */
		OPEN,

		/** The subscription failed, or the inbox was closed. */
		OVER

	}

}
