package io.github.redislock.internal.redis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many requests are under way. If there were more than Redis and this machine
 * can handle within a timeout, all of them could time out and be sent again. Further
 * requests wait here, in order. A request that cannot be sent in time fails without being
 * sent. The wait counts towards the timeout of the reply.
 * <p>
 * Releases and renewals bypass the limit, because the number of held locks already limits
 * them. So does the script for uncontended locks, which also releases locks, and handles
 * many requests at once. Withdrawals have a separate limit. Thread-safe.
 */
public final class LimitedScriptRunner {

	/** The maximum number of limited requests under way, apart from withdrawals. */
	public static final int MOST_UNDER_WAY = 1_024;

	private final ScriptRunner scripts;

	private final LongSupplier nanoTime;

	private final Limiter acquisitions = new Limiter();

	private final Limiter withdrawals = new Limiter();

	/**
	 * Create a runner.
	 * @param scripts sends the requests
	 */
	public LimitedScriptRunner(ScriptRunner scripts, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.nanoTime = nanoTime;
	}

	/**
	 * Run a script as {@link ScriptRunner#run} does. A failure to send it fails the
	 * reply.
	 */
	public CompletableFuture<Object> run(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		Limiter limiter = switch (call.script().priority()) {
			case AT_ONCE -> null;
			case ACQUISITION -> this.acquisitions;
			case WITHDRAWAL -> this.withdrawals;
		};
		Sending sending = new Sending(call, timeout, sendTimeout, written);
		if (limiter == null) {
			return send(sending, timeout);
		}
		Request queued = limiter.enter(sending);
		if (queued == null) {
			return send(sending, timeout).whenComplete(limiter.over);
		}
		queued.limit();
		return queued.reply;
	}

	private CompletableFuture<Object> send(Sending sending, Duration timeout) {
		return Futures
			.attempt(() -> this.scripts.run(sending.call(), timeout, sending.sendTimeout(), sending.written()));
	}

	/**
	 * Sends requests of one kind in order of arrival, up to the limit.
	 */
	private final class Limiter {

		private final Queue<Request> unsent = new ArrayDeque<>();

		/** Sends the next request when another one has completed. */
		private final BiConsumer<Object, Throwable> over = (reply, failure) -> sendNext();

		private int underWay;

		/**
		 * Queue a request, unless it can be sent at once.
		 * @return the queued request; {@code null} if the caller has to send it at once
		 */
		synchronized @Nullable Request enter(Sending sending) {
			if (this.underWay < MOST_UNDER_WAY) {
				this.underWay++;
				return null;
			}
			Request request = new Request(sending);
			this.unsent.add(request);
			return request;
		}

		/**
		 * Return the next request to send after another one has completed, or
		 * {@code null} if none is left.
		 */
		private synchronized @Nullable Request next() {
			for (Request request = this.unsent.poll(); request != null; request = this.unsent.poll()) {
				if (request.begin()) {
					return request;
				}
			}
			this.underWay--;
			return null;
		}

		/**
		 * Send the next request, and those after it as long as each one completes at
		 * once.
		 */
		private void sendNext() {
			for (Request request = next(); request != null; request = next()) {
				Request sent = request;
				CompletableFuture<Object> reply = send(sent.sending, sent.rest());
				if (!reply.isDone()) {
					Futures.relay(reply.whenComplete(this.over), sent.reply);
					return;
				}
				Futures.relay(reply, sent.reply);
			}
		}

	}

	/**
	 * The parameters of {@link #run}.
	 */
	private record Sending(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
	}

	/**
	 * A waiting request, and its reply.
	 */
	private final class Request {

		private final Sending sending;

		private final CompletableFuture<Object> reply = new CompletableFuture<>();

		private final long enteredAt = LimitedScriptRunner.this.nanoTime.getAsLong();

		/** Whether the request was sent, or has failed without being sent. */
		private final AtomicBoolean decided = new AtomicBoolean();

		Request(Sending sending) {
			this.sending = sending;
		}

		/**
		 * Claim the request, either to send it or to fail it.
		 * @return {@code false} if the request was claimed before
		 */
		boolean begin() {
			return this.decided.compareAndSet(false, true);
		}

		void limit() {
			Duration sendTimeout = this.sending.sendTimeout();
			LimitedScriptRunner.this.scripts.timeouts().unless(this.reply, sendTimeout, () -> {
				if (begin()) {
					this.reply.completeExceptionally(NotSentException.crowded(sendTimeout, MOST_UNDER_WAY));
				}
			});
		}

		/**
		 * Return how long the reply may take: what is left of the timeout or, if the send
		 * timeout is longer, of the send timeout plus 500 ms. The result is at least 500
		 * ms, but never more than the timeout.
		 */
		private Duration rest() {
			Duration timeout = this.sending.timeout();
			Duration sendTimeout = this.sending.sendTimeout();
			Duration whole = (sendTimeout.compareTo(timeout) > 0) ? sendTimeout.plus(ScriptRunner.LAST_REPLY) : timeout;
			Duration rest = whole.minusNanos(LimitedScriptRunner.this.nanoTime.getAsLong() - this.enteredAt);
			return Durations.min(Durations.max(rest, ScriptRunner.LAST_REPLY), timeout);
		}

	}

}
