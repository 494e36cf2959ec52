package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;

import io.github.redislock.internal.client.RedisErrors;
import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.ScriptCall;
import io.github.redislock.internal.client.ScriptRunner;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases uncontended locks with two short scripts. Thread-safe.
 * <p>
 * Outside a Cluster, requests that arrive before a script is written to the connection
 * are sent with that script, up to a limit. The store decides which requests may be sent
 * this way; this class only guesses whether that is worthwhile.
 */
final class QuickLocks {

	/** The script's result for a lock that needs another script. */
	private static final Long NOT_QUICK = 0L;

	/** The maximum size, because all other commands wait while Redis runs a batch. */
	private static final int LARGEST_BATCH = 64;

	/**
	 * The age in nanoseconds above which a batch takes no more requests. Such a batch may
	 * be waiting for a connection, and a new request would fail together with the older
	 * ones.
	 */
	private static final long LONGEST_OPEN = Duration.ofMillis(5).toNanos();

	/**
	 * How long a lock counts as contended after a request found it contended, in
	 * nanoseconds.
	 */
	private static final long CONTENDED_FOR = Duration.ofSeconds(1).toNanos();

	/**
	 * The size of the table of contended locks, a power of two. If two names share an
	 * index, this only costs time.
	 */
	private static final int BUCKETS = 256;

	private static final Duration SHORTEST_REST = Duration.ofMillis(1);

	private final ScriptRunner scripts;

	private final LongSupplier nanoTime;

	private final AtomicReference<@Nullable Batch> takes = new AtomicReference<>();

	private final AtomicReference<@Nullable Batch> frees = new AtomicReference<>();

	/**
	 * The time until which a lock counts as contended, at the index of its name's hash.
	 */
	private final AtomicLongArray notBefore = new AtomicLongArray(BUCKETS);

	/** The last release under way of each lock, by the lock's name. */
	private final Map<String, Request<?>> releases = new ConcurrentHashMap<>();

	QuickLocks(ScriptRunner scripts, LongSupplier nanoTime) {
		this.scripts = scripts;
		this.nanoTime = nanoTime;
		long now = nanoTime.getAsLong();
		for (int bucket = 0; bucket < BUCKETS; bucket++) {
			this.notBefore.set(bucket, now);
		}
	}

	/**
	 * Return whether a lock is likely to be uncontended.
	 */
	boolean isLikely(String name) {
		return this.nanoTime.getAsLong() - this.notBefore.get(bucket(name)) >= 0;
	}

	void noteContended(String name) {
		this.notBefore.set(bucket(name), this.nanoTime.getAsLong() + CONTENDED_FOR);
	}

	private static int bucket(String name) {
		return name.hashCode() & (BUCKETS - 1);
	}

	/**
	 * Send a request, if possible with a script that has not been written yet.
	 * @param sendTimeout how long the script may wait to be sent before it fails
	 * @return the request, which completes with its reply
	 */
	<T> CompletableFuture<T> send(Request<T> request, Duration sendTimeout) {
		if (!request.takes()) {
			String name = request.operation.target().name();
			this.releases.put(name, request);
			request.whenComplete((released, failure) -> this.releases.remove(name, request));
		}
		// In a Cluster, all keys of a script have to be in one slot.
		boolean single = !this.scripts.countsReceivers();
		AtomicReference<@Nullable Batch> open = request.takes() ? this.takes : this.frees;
		while (true) {
			Batch present = open.get();
			if (!single && present != null && present.add(request, sendTimeout)) {
				return request;
			}
			Batch begun = new Batch(request, request.operation.timeout(), sendTimeout);
			if (single || open.compareAndSet(present, begun)) {
				begun.send();
				if (!request.takes()) {
					// A later request for the same lock must not be sent earlier.
					this.takes.set(null);
				}
				return request;
			}
		}
	}

	/**
	 * The keys and arguments of a request for one lock.
	 *
	 * @param fence the key of the fence; {@code null} if the request releases the lock
	 * @param value the value of the lock key, without the fencing token if the lock is to
	 * be acquired
	 * @param timeToLive the lease in milliseconds; {@code null} if the request releases
	 * the lock
	 */
	record Entry(byte[] lock, byte @Nullable [] fence, byte[] value, byte @Nullable [] timeToLive) {
	}

	/**
	 * A request for one lock, and its reply.
	 *
	 * @param <T> the type of the reply
	 */
	static final class Request<T> extends CompletableFuture<T> {

		private final Operation operation;

		private final Entry entry;

		private final Function<Object, @Nullable T> reader;

		private final Function<Duration, CompletionStage<T>> otherwise;

		/**
		 * Create a request.
		 * @param reader reads the script's result; returns {@code null} if the script for
		 * all cases has to run
		 * @param otherwise runs the script for all cases, within the remaining time
		 */
		Request(Operation operation, Entry entry, Function<Object, @Nullable T> reader,
				Function<Duration, CompletionStage<T>> otherwise) {
			this.operation = operation;
			this.entry = entry;
			this.reader = reader;
			this.otherwise = otherwise;
		}

		private boolean takes() {
			return this.entry.fence() != null;
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
			completeExceptionally(this.operation.translate(this.entry.lock(), failure));
		}

	}

	/**
	 * The requests that are sent with one script.
	 */
	private final class Batch implements ScriptCall {

		private final boolean takes;

		private final Duration timeout;

		private final Duration sendTimeout;

		private final long begunAt = QuickLocks.this.nanoTime.getAsLong();

		private final List<Request<?>> requests = new ArrayList<>(1);

		private @Nullable Input input;

		Batch(Request<?> first, Duration timeout, Duration sendTimeout) {
			this.requests.add(first);
			this.takes = first.takes();
			this.timeout = timeout;
			this.sendTimeout = sendTimeout;
		}

		synchronized boolean add(Request<?> request, Duration sendTimeout) {
			if (this.input != null || this.requests.size() == LARGEST_BATCH
					|| !request.operation.timeout().equals(this.timeout) || !sendTimeout.equals(this.sendTimeout)
					|| QuickLocks.this.nanoTime.getAsLong() - this.begunAt > LONGEST_OPEN) {
				return false;
			}
			return this.requests.add(request);
		}

		void send() {
			Futures.attempt(() -> QuickLocks.this.scripts.run(this, this.timeout, this.sendTimeout, null))
				.whenComplete(this::settle);
		}

		@Override
		public Script script() {
			return this.takes ? LockScript.TAKE : LockScript.FREE;
		}

		@Override
		public boolean deletesIfEqual() {
			return !this.takes && this.requests.size() == 1;
		}

		/**
		 * Close the batch, and write keys and arguments in the order that the script
		 * expects.
		 */
		@Override
		public synchronized Input seal() {
			if (this.input == null) {
				List<byte[]> keys = new ArrayList<>(2 * this.requests.size());
				List<byte[]> arguments = new ArrayList<>(2 * this.requests.size());
				for (Request<?> request : this.requests) {
					keys.add(request.entry.lock());
					arguments.add(request.entry.value());
					if (request.entry.timeToLive() != null) {
						arguments.add(request.entry.timeToLive());
					}
				}
				if (this.takes) {
					this.requests.forEach((request) -> keys.add(request.entry.fence()));
				}
				this.input = new Input(keys, arguments);
			}
			return this.input;
		}

		/**
		 * Return how much of the timeout is left for the next script, but at least 1 ms.
		 */
		private Duration rest() {
			Duration rest = this.timeout.minusNanos(QuickLocks.this.nanoTime.getAsLong() - this.begunAt);
			return Durations.max(rest, SHORTEST_REST);
		}

		private void settle(@Nullable Object reply, @Nullable Throwable failure) {
			// Close the batch, even if it was never sent: it must not take any more
			// requests.
			seal();
			if (failure == null) {
				List<?> replies = (reply instanceof List<?> all) ? all : List.of(Objects.requireNonNull(reply));
				for (int index = 0; index < this.requests.size(); index++) {
					settle(this.requests.get(index), replies.get(index));
				}
			}
			else if (this.requests.size() > 1 && RedisErrors.concernsSomeKeys(failure)) {
				// Redis refused the whole batch, perhaps because of one request, so run a
				// separate script for each of them.
				this.requests.forEach((request) -> request.replied(NOT_QUICK, this));
			}
			else {
				this.requests.forEach((request) -> request.failed(failure));
			}
		}

		/**
		 * Pass a reply to its request. If the request has overtaken the release by its
		 * own instance, send it again after that release.
		 */
		private void settle(Request<?> request, Object reply) {
			String name = request.operation.target().name();
			Request<?> release = QuickLocks.this.releases.get(name);
			// The reply for a held lock is the value of its key, and the remaining time.
			if (release != null && reply instanceof byte[] held
					&& Arrays.mismatch(release.entry.value(), held) == release.entry.value().length) {
				release.whenComplete((released, failure) -> {
					// The request must not find it again.
					QuickLocks.this.releases.remove(name, release);
					new Batch(request, rest(), rest()).send();
				});
			}
			else {
				request.replied(reply, this);
			}
		}

	}

}
