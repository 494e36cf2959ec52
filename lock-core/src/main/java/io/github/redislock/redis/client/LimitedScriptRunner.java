package io.github.redislock.redis.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * Bounds how many requests are under way: more than Redis and this machine can serve
 * within a time-out would all time out, and be sent once more. The others stay here, in
 * order, and one that cannot be sent within its time-out fails without having been. The
 * time until it is sent is part of the time within which it is answered.
 * <p>
 * What releases locks or renews them waits for nothing: there is no more of it than locks
 * are held. What withdraws has a limit of its own. Thread-safe.
 */
public final class LimitedScriptRunner implements ScriptRunner {

	/** What a slow machine serves within a second. */
	public static final int MOST_UNDER_WAY = 1_024;

	private final ScriptRunner scripts;

	private final LongSupplier nanoTime;

	private final Lane asking = new Lane();

	private final Lane withdrawing = new Lane();

	public LimitedScriptRunner(ScriptRunner scripts) {
		this(scripts, System::nanoTime);
	}

	public LimitedScriptRunner(ScriptRunner scripts, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.nanoTime = nanoTime;
	}

	@Override
	public CompletableFuture<Object> run(Script script, List<byte[]> keys, List<byte[]> arguments, Duration timeout,
			Duration patience, @Nullable Predicate<Object> written) {
		Lane lane = switch (script.turn()) {
			case AT_ONCE -> null;
			case ASKING -> this.asking;
			case WITHDRAWING -> this.withdrawing;
		};
		if (lane == null) {
			return this.scripts.run(script, keys, arguments, timeout, patience, written);
		}
		Request request = new Request(script, keys, arguments, timeout, patience, written);
		if (lane.enter(request)) {
			lane.send(request);
		}
		else {
			request.limit();
		}
		return request.answer;
	}

	@Override
	public Duration patience(Duration timeout) {
		return this.scripts.patience(timeout);
	}

	@Override
	public Timeouts timeouts() {
		return this.scripts.timeouts();
	}

	@Override
	public boolean countsReceivers() {
		return this.scripts.countsReceivers();
	}

	@Override
	public boolean mayArriveTwice() {
		return this.scripts.mayArriveTwice();
	}

	@Override
	public void close() {
		this.scripts.close();
	}

	/**
	 * Requests that are sent in the order in which they came.
	 */
	private final class Lane {

		private final Queue<Request> unsent = new ArrayDeque<>();

		private int underWay;

		/**
		 * Take a request.
		 * @return whether it may be sent at once
		 */
		synchronized boolean enter(Request request) {
			if (this.underWay < MOST_UNDER_WAY && request.begin()) {
				this.underWay++;
				return true;
			}
			this.unsent.add(request);
			return false;
		}

		/**
		 * Return the next one to be sent in the place of one that is over.
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
		 * Send a request, and the next one as soon as it is over: in a loop as long as
		 * they are over at once.
		 */
		void send(Request first) {
			for (Request request = first; request != null;) {
				Request sent = request;
				CompletableFuture<Object> reply = sent.send(LimitedScriptRunner.this.scripts);
				if (!reply.isDone()) {
					reply.whenComplete((answer, failure) -> {
						Request next = next();
						if (next != null) {
							send(next);
						}
						sent.settle(answer, failure);
					});
					return;
				}
				request = next();
				reply.whenComplete(sent::settle);
			}
		}

	}

	/**
	 * What to send, and its answer.
	 */
	private final class Request {

		private final Script script;

		private final List<byte[]> keys;

		private final List<byte[]> arguments;

		private final Duration timeout;

		private final Duration patience;

		private final @Nullable Predicate<Object> written;

		private final CompletableFuture<Object> answer = new CompletableFuture<>();

		private final long enteredAt = LimitedScriptRunner.this.nanoTime.getAsLong();

		private volatile boolean queued;

		/** Whether it is sent, or never will be. */
		private final AtomicBoolean decided = new AtomicBoolean();

		Request(Script script, List<byte[]> keys, List<byte[]> arguments, Duration timeout, Duration patience,
				@Nullable Predicate<Object> written) {
			this.script = script;
			this.keys = keys;
			this.arguments = arguments;
			this.timeout = timeout;
			this.patience = patience;
			this.written = written;
		}

		/**
		 * Decide that it is sent.
		 * @return {@code false} if it was too late
		 */
		boolean begin() {
			return this.decided.compareAndSet(false, true);
		}

		/**
		 * Fail unless it is sent in time.
		 */
		void limit() {
			this.queued = true;
			timeouts().unless(this.answer, this.patience, () -> {
				if (begin()) {
					this.answer.completeExceptionally(NotSentException.crowded(this.patience, MOST_UNDER_WAY));
				}
			});
		}

		CompletableFuture<Object> send(ScriptRunner scripts) {
			try {
				return scripts.run(this.script, this.keys, this.arguments, rest(), this.patience, this.written);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		/**
		 * Return how long an answer may take: what is left of the time-out, or of the
		 * time for which the answer is waited for if that is longer.
		 */
		private Duration rest() {
			if (!this.queued) {
				return this.timeout;
			}
			Duration whole = (this.patience.compareTo(this.timeout) > 0) ? this.patience.plus(LAST_ANSWER)
					: this.timeout;
			Duration rest = whole.minusNanos(LimitedScriptRunner.this.nanoTime.getAsLong() - this.enteredAt);
			Duration longest = (rest.compareTo(LAST_ANSWER) > 0) ? rest : LAST_ANSWER;
			return (longest.compareTo(this.timeout) < 0) ? longest : this.timeout;
		}

		void settle(@Nullable Object reply, @Nullable Throwable failure) {
			if (failure != null) {
				this.answer.completeExceptionally(failure);
			}
			else {
				this.answer.complete(reply);
			}
		}

	}

}
