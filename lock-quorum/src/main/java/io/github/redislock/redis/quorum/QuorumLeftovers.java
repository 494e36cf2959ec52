package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.redislock.LockStoreException;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * Repeats, in the background, releases and withdrawals that a server has not confirmed,
 * until the server replies, a repetition is useless, or the store is closed.
 * <p>
 * A server that does not reply gets only one such request at a time, however many there
 * are. Thread-safe.
 */
final class QuorumLeftovers implements AutoCloseable {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);

	/** The longest time to repeat a request, even for a lock that does not expire. */
	private static final Duration LONGEST = Duration.ofDays(1);

	/**
	 * The maximum number of waiting requests for one server. If another one comes, the
	 * request that would be repeated next is dropped, and its lock may stay held until it
	 * expires, if it ever does.
	 */
	private static final int MOST = 10_000;

	private final Map<QuorumNode, Backlog> backlogs;

	private final QuorumPauses pauses;

	private volatile boolean closed;

	QuorumLeftovers(List<QuorumNode> nodes, QuorumPauses pauses) {
		this.pauses = pauses;
		this.backlogs = nodes.stream().collect(Collectors.toMap(Function.identity(), (node) -> new Backlog()));
	}

	/**
	 * Repeat a failed request to a server.
	 * @param timeToLive how long the server keeps the lock; {@code null} means forever
	 */
	void add(QuorumNode node, @Nullable Duration timeToLive, Supplier<CompletionStage<Void>> request) {
		Duration limit = (timeToLive != null) ? Durations.min(timeToLive, LONGEST) : LONGEST;
		Objects.requireNonNull(this.backlogs.get(node))
			.add(new Leftover(request, this.pauses.nanoTime() + limit.toNanos()));
	}

	@Override
	public void close() {
		this.closed = true;
	}

	/**
	 * A request to repeat.
	 *
	 * @param until the time after which the request no longer matters, by
	 * {@link QuorumPauses#nanoTime()}
	 */
	private record Leftover(Supplier<CompletionStage<Void>> request, long until) {
	}

	/**
	 * The requests that one server has not confirmed. Guarded by this object's monitor.
	 */
	private final class Backlog {

		private final Deque<Leftover> leftovers = new ArrayDeque<>();

		private Duration pause = FIRST_PAUSE;

		private boolean busy;

		void add(Leftover leftover) {
			synchronized (this) {
				if (this.leftovers.size() >= MOST) {
					this.leftovers.remove();
				}
				this.leftovers.add(leftover);
				if (this.busy) {
					return;
				}
				this.busy = true;
			}
			QuorumLeftovers.this.pauses.after(FIRST_PAUSE, this::repeat);
		}

		private void repeat() {
			Leftover next = next();
			if (next != null) {
				Futures.attempt(next.request()).whenComplete((reply, failure) -> repeated(next, failure));
			}
		}

		private synchronized @Nullable Leftover next() {
			long now = QuorumLeftovers.this.pauses.nanoTime();
			this.leftovers.removeIf((leftover) -> leftover.until() - now < 0);
			this.busy = !this.leftovers.isEmpty() && !QuorumLeftovers.this.closed;
			return this.busy ? this.leftovers.remove() : null;
		}

		private void repeated(Leftover leftover, @Nullable Throwable failure) {
			QuorumLeftovers.this.pauses.after(note(leftover, failure), this::repeat);
		}

		/**
		 * Return the pause before the next request. A request that always fails must not
		 * block the others.
		 */
		private synchronized Duration note(Leftover leftover, @Nullable Throwable failure) {
			if (failure == null || !(Futures.unwrap(failure) instanceof LockStoreException outage)
					|| !outage.isRetryable()) {
				this.pause = FIRST_PAUSE;
				return Duration.ZERO;
			}
			this.leftovers.add(leftover);
			Duration present = this.pause;
			this.pause = Durations.min(present.multipliedBy(2), LONGEST_PAUSE);
			return present;
		}

	}

}
