package io.github.redislock.redis;

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
final class LimitedScriptRunner implements ScriptRunner {

	/** What a slow machine serves within a second. */
	static final int MOST_UNDER_WAY = 1_024;

	/** However long a request had to wait: one that is sent shall have a chance. */
	private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(500);

	private final ScriptRunner scripts;

	private final LongSupplier nanoTime;

	private final Lane asking = new Lane();

	private final Lane withdrawing = new Lane();

	LimitedScriptRunner(ScriptRunner scripts) {
		this(scripts, System::nanoTime);
	}

	LimitedScriptRunner(ScriptRunner scripts, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.nanoTime = nanoTime;
	}

	@Override
	public CompletableFuture<Object> run(LockScript script, List<byte[]> keys, List<byte[]> arguments, Duration timeout,
			@Nullable Predicate<Object> written) {
		Lane lane = switch (script) {
			case RENEW, RENEW_SHARED, RELEASE, RELEASE_ALL, RELEASE_SHARED, YIELD, DOWNGRADE, RAISE -> null;
			case WITHDRAW, WITHDRAW_ALL, WITHDRAW_SHARED -> this.withdrawing;
			case ACQUIRE, ACQUIRE_ALL, ACQUIRE_SHARED, INSPECT, FORCE_RELEASE -> this.asking;
		};
		if (lane == null) {
			return this.scripts.run(script, keys, arguments, timeout, written);
		}
		Request request = new Request(script, keys, arguments, timeout, written);
		if (lane.enter(request)) {
			lane.send(request);
		}
		else {
			request.limit(patience(timeout), timeouts());
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

		private final LockScript script;

		private final List<byte[]> keys;

		private final List<byte[]> arguments;

		private final Duration timeout;

		private final @Nullable Predicate<Object> written;

		private final CompletableFuture<Object> answer = new CompletableFuture<>();

		private final long enteredAt = LimitedScriptRunner.this.nanoTime.getAsLong();

		private volatile boolean queued;

		/** Whether it is sent, or never will be. */
		private final AtomicBoolean decided = new AtomicBoolean();

		Request(LockScript script, List<byte[]> keys, List<byte[]> arguments, Duration timeout,
				@Nullable Predicate<Object> written) {
			this.script = script;
			this.keys = keys;
			this.arguments = arguments;
			this.timeout = timeout;
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
		void limit(Duration patience, Timeouts timeouts) {
			this.queued = true;
			timeouts.unless(this.answer, patience, () -> {
				if (begin()) {
					this.answer.completeExceptionally(NotSentException.crowded(patience, MOST_UNDER_WAY));
				}
			});
		}

		CompletableFuture<Object> send(ScriptRunner scripts) {
			try {
				return scripts.run(this.script, this.keys, this.arguments, rest(), this.written);
			}
			catch (Throwable ex) {
				return CompletableFuture.failedFuture(ex);
			}
		}

		private Duration rest() {
			if (!this.queued) {
				return this.timeout;
			}
			Duration rest = this.timeout.minusNanos(LimitedScriptRunner.this.nanoTime.getAsLong() - this.enteredAt);
			Duration least = (this.timeout.compareTo(SHORTEST_TIMEOUT) < 0) ? this.timeout : SHORTEST_TIMEOUT;
			return (rest.compareTo(least) > 0) ? rest : least;
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
