package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
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
		if (limiter == null) {
			return send(call, timeout, sendTimeout, written);
		}
		Request request = new Request(call, timeout, sendTimeout, written, this.nanoTime.getAsLong(),
				new CompletableFuture<>());
		if (limiter.enter(request)) {
			return send(call, timeout, sendTimeout, written).whenComplete(limiter.over);
		}
		this.scripts.timeouts().unless(request.reply(), sendTimeout, () -> limiter.expire(request));
		return request.reply();
	}

	private CompletableFuture<Object> send(ScriptCall call, Duration timeout, Duration sendTimeout,
			@Nullable Predicate<Object> written) {
		return Futures.attempt(() -> this.scripts.run(call, timeout, sendTimeout, written));
	}

	/**
	 * Return how long the reply to a queued request may take: what is left of the timeout
	 * or, if the send timeout is longer, of the send timeout plus 500 ms. The result is
	 * at least 500 ms, but never more than the timeout.
	 */
	private Duration rest(Request request) {
		Duration timeout = request.timeout();
		Duration sendTimeout = request.sendTimeout();
		Duration whole = (sendTimeout.compareTo(timeout) > 0) ? sendTimeout.plus(ScriptRunner.LAST_REPLY) : timeout;
		Duration rest = whole.minusNanos(this.nanoTime.getAsLong() - request.enteredAt());
		return Durations.min(Durations.max(rest, ScriptRunner.LAST_REPLY), timeout);
	}

	/**
	 * Sends requests of one kind in order of arrival, up to the limit.
	 */
	private final class Limiter {

		/** Guarded by this object's monitor, like the number under way. */
		private final Queue<Request> unsent = new ArrayDeque<>();

		/** Sends the next request when another one has completed. */
		private final BiConsumer<Object, Throwable> over = (reply, failure) -> sendNext();

		private int underWay;

		/**
		 * Queue a request, unless it can be sent at once.
		 * @return {@code true} if the caller has to send it at once
		 */
		synchronized boolean enter(Request request) {
			if (this.underWay < MOST_UNDER_WAY) {
				this.underWay++;
				return true;
			}
			this.unsent.add(request);
			return false;
		}

		/**
		 * Return the next request to send after another one has completed, or
		 * {@code null} if none is left.
		 */
		private synchronized @Nullable Request next() {
			Request next = this.unsent.poll();
			if (next == null) {
				this.underWay--;
			}
			return next;
		}

		/**
		 * Send the next request, and those after it as long as each one completes at
		 * once.
		 */
		private void sendNext() {
			for (Request next = next(); next != null; next = next()) {
				CompletableFuture<Object> reply = send(next.call(), rest(next), next.sendTimeout(), next.written());
				if (!reply.isDone()) {
					Futures.relay(reply.whenComplete(this.over), next.reply());
					return;
				}
				Futures.relay(reply, next.reply());
			}
		}

		/**
		 * Fail a request that was not sent in time.
		 */
		void expire(Request request) {
			if (leave(request)) {
				request.reply().completeExceptionally(NotSentException.crowded(request.sendTimeout(), MOST_UNDER_WAY));
			}
		}

		private synchronized boolean leave(Request request) {
			return this.unsent.remove(request);
		}

	}

	/**
	 * A request that may have to wait: the parameters of {@link #run}, and the reply if
	 * it waits.
	 */
	private record Request(ScriptCall call, Duration timeout, Duration sendTimeout, @Nullable Predicate<Object> written,
			long enteredAt, CompletableFuture<Object> reply) {
	}

}
