package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.github.redislock.LockException;
import io.github.redislock.internal.redis.RedisErrors;
import io.github.redislock.internal.redis.Script;
import io.github.redislock.internal.redis.ScriptCall;
import io.github.redislock.internal.redis.ScriptRunner;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases uncontended locks with a shorter script. Thread-safe.
 * <p>
 * Requests that arrive before a script is written to the connection are sent with that
 * script. No request waits for another one, and many concurrent requests need few
 * scripts. The store decides which requests may be sent this way; this class only guesses
 * whether that is worthwhile.
 */
final class QuickLocks {

	/** The script's result for a lock that needs another script. */
	private static final Long NOT_QUICK = 0L;

	/**
	 * The maximum number of requests in a batch. Redis handles such a batch in a fraction
	 * of a millisecond.
	 */
	private static final int LARGEST_BATCH = 64;

	/**
	 * The age in nanoseconds above which a batch takes no more requests. Such a batch is
	 * still waiting for a connection, and a new request would fail together with the
	 * older ones.
	 */
	private static final long LONGEST_OPEN = Duration.ofMillis(5).toNanos();

	/**
	 * How long a lock counts as contended after a request found it contended, in
	 * nanoseconds.
	 */
	private static final long WANTED_FOR = Duration.ofSeconds(1).toNanos();

	/**
	 * The size of the table of contended locks, a power of two. If two names share an
	 * index, this only costs time.
	 */
	private static final int PLACES = 256;

	private static final Duration SHORTEST_REST = Duration.ofMillis(1);

	private final ScriptRunner scripts;

	private final LongSupplier nanoTime;

	private final AtomicReference<@Nullable Batch> open = new AtomicReference<>();

	/**
	 * The time until which a lock counts as contended, at the index of its name's hash.
	 */
	private final AtomicLongArray notBefore = new AtomicLongArray(PLACES);

	QuickLocks(ScriptRunner scripts, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		for (int place = 0; place < PLACES; place++) {
			this.notBefore.set(place, now);
		}
	}

	/**
	 * Return whether a lock is likely to be uncontended.
	 */
	boolean isLikely(String name) {
		return this.nanoTime.getAsLong() - this.notBefore.get(place(name)) >= 0;
	}

	/**
	 * Record that a lock is contended.
	 */
	void noteWanted(String name) {
		this.notBefore.set(place(name), this.nanoTime.getAsLong() + WANTED_FOR);
	}

	private static int place(String name) {
		return name.hashCode() & (PLACES - 1);
	}

	/**
	 * Send a request with the next script.
	 * @param timeout how long to wait for a reply
	 * @param patience how long the script may wait to be sent before it fails
	 * @return the request, which completes with its reply
	 */
	<T> CompletableFuture<T> ask(Question<T> question, Duration timeout, Duration patience) {
		// In a Cluster, all keys of a script have to be in one slot.
		boolean single = !this.scripts.countsReceivers();
		while (true) {
			Batch present = this.open.get();
			if (!single && present != null && present.add(question, timeout, patience)) {
				return question;
			}
			Batch begun = new Batch(question, timeout, patience);
			if (single || this.open.compareAndSet(present, begun)) {
				begun.send();
				return question;
			}
		}
	}

	/**
	 * A request for one lock, and its reply.
	 *
	 * @param <T> the type of the reply
	 */
	static final class Question<T> extends CompletableFuture<T> {

		private final byte[] lock;

		private final byte @Nullable [] fence;

		private final byte[] value;

		private final byte @Nullable [] timeToLive;

		private final Function<Object, @Nullable T> reader;

		private final Function<Duration, CompletionStage<T>> otherwise;

		private final Function<Throwable, LockException> translator;

		private @Nullable Question<?> before;

		private int count;

		/**
		 * Create a request.
		 * @param fence the key of the fence; {@code null} if the request releases the
		 * lock
		 * @param value the value of the lock key, without the fencing token if the lock
		 * is to be acquired
		 * @param timeToLive the lease in milliseconds; {@code null} if the request
		 * releases the lock
		 * @param reader reads the script's result; returns {@code null} if the script for
		 * all cases has to run
		 * @param otherwise runs the script for all cases, within the remaining time
		 * @param translator converts a failure to the exception for the caller
		 */
		Question(byte[] lock, byte @Nullable [] fence, byte[] value, byte @Nullable [] timeToLive,
				Function<Object, @Nullable T> reader, Function<Duration, CompletionStage<T>> otherwise,
				Function<Throwable, LockException> translator) {
			this.lock = lock;
			this.fence = fence;
			this.value = value;
			this.timeToLive = timeToLive;
			this.reader = reader;
			this.otherwise = otherwise;
			this.translator = translator;
		}

		private void replied(Object reply, Batch batch) {
			if (isDone()) {
				return;
			}
			try {
				T result = NOT_QUICK.equals(reply) ? null : this.reader.apply(reply);
				if (result != null) {
					complete(result);
				}
				else {
					Futures.relay(this.otherwise.apply(batch.rest()), this);
				}
			}
			catch (Throwable ex) {
				completeExceptionally(ex);
			}
		}

		private void failed(Throwable failure) {
			completeExceptionally(this.translator.apply(failure));
		}

	}

	/**
	 * The requests that are sent with one script. More can be added until the script is
	 * sent.
	 */
	private final class Batch implements ScriptCall {

		/**
		 * The request that was added last, which links to the one before it; {@code null}
		 * once the batch takes no more requests.
		 */
		private final AtomicReference<@Nullable Question<?>> last;

		private final Duration timeout;

		private final Duration patience;

		private final long begunAt = QuickLocks.this.nanoTime.getAsLong();

		private List<Question<?>> questions = List.of();

		private List<byte[]> keys = List.of();

		private List<byte[]> arguments = List.of();

		Batch(Question<?> first, Duration timeout, Duration patience) {
			// A failed attempt to add the request to another batch may have set these
			// fields.
			first.before = null;
			first.count = 1;
			this.last = new AtomicReference<>(first);
			this.timeout = timeout;
			this.patience = patience;
		}

		boolean add(Question<?> question, Duration timeout, Duration patience) {
			if (!timeout.equals(this.timeout) || !patience.equals(this.patience)
					|| QuickLocks.this.nanoTime.getAsLong() - this.begunAt > LONGEST_OPEN) {
				return false;
			}
			while (true) {
				Question<?> before = this.last.get();
				if (before == null || before.count == LARGEST_BATCH) {
					return false;
				}
				question.before = before;
				question.count = before.count + 1;
				if (this.last.compareAndSet(before, question)) {
					return true;
				}
			}
		}

		void send() {
			CompletableFuture<Object> reply;
			try {
				reply = QuickLocks.this.scripts.run(this, this.timeout, this.patience, null);
			}
			catch (RuntimeException ex) {
				reply = CompletableFuture.failedFuture(ex);
			}
			reply.whenComplete(this::settle);
		}

		@Override
		public Script script() {
			return LockScript.QUICK;
		}

		@Override
		public synchronized List<byte[]> keys() {
			Question<?> newest = this.last.getAndSet(null);
			if (newest != null) {
				seal(newest);
			}
			return this.keys;
		}

		/**
		 * Write keys and arguments in the order that the script expects: first the locks
		 * to acquire, then the locks to release.
		 */
		private void seal(Question<?> newest) {
			List<Question<?>> taken = new ArrayList<>(newest.count);
			List<Question<?>> released = new ArrayList<>(newest.count);
			for (Question<?> question = newest; question != null; question = question.before) {
				((question.fence != null) ? taken : released).add(question);
			}
			this.keys = new ArrayList<>(2 * newest.count);
			this.arguments = new ArrayList<>(1 + 2 * newest.count);
			for (Question<?> question : taken) {
				this.keys.add(question.lock);
				this.keys.add(question.fence);
				this.arguments.add(question.value);
				this.arguments.add(question.timeToLive);
			}
			for (Question<?> question : released) {
				this.keys.add(question.lock);
				this.arguments.add(question.value);
			}
			if (!taken.isEmpty()) {
				this.arguments.add(Integer.toString(taken.size()).getBytes(StandardCharsets.US_ASCII));
			}
			taken.addAll(released);
			this.questions = taken;
		}

		/**
		 * Return how much of the timeout is left for the next script, but at least 1 ms.
		 */
		private Duration rest() {
			Duration rest = this.timeout.minusNanos(QuickLocks.this.nanoTime.getAsLong() - this.begunAt);
			return Durations.max(rest, SHORTEST_REST);
		}

		@Override
		public List<byte[]> arguments() {
			return this.arguments;
		}

		private void settle(@Nullable Object reply, @Nullable Throwable failure) {
			// Close the batch, even if it was never sent: it must not take any more
			// requests.
			keys();
			if (failure == null) {
				List<?> replies = (List<?>) Objects.requireNonNull(reply);
				for (int index = 0; index < this.questions.size(); index++) {
					this.questions.get(index).replied(replies.get(index), this);
				}
			}
			else if (this.questions.size() > 1 && RedisErrors.concernsSomeKeys(failure)) {
				// Redis refused the whole batch, perhaps because of one request, so run a
				// separate script for each of them.
				this.questions.forEach((question) -> question.replied(NOT_QUICK, this));
			}
			else {
				this.questions.forEach((question) -> question.failed(failure));
			}
		}

	}

}
