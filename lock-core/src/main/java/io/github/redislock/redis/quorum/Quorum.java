package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * Several independent servers, of which more than half decide.
 *
 * @param nodes the servers, in the order in which they were named
 * @param patience how long to try to settle a vote that nobody has won
 */
record Quorum(List<QuorumNode> nodes, Duration patience) {

	/** Fewer cannot lose one and still have more than half. */
	private static final int LEAST_NODES = 3;

	Quorum {
		nodes = List.copyOf(nodes);
	}

	/**
	 * Refuse a number of servers that is no good.
	 * @throws IllegalArgumentException with the reason
	 */
	static void requireUsable(int count) {
		if (count < LEAST_NODES) {
			throw new IllegalArgumentException(
					"a quorum needs at least 3 nodes but has %d: with fewer, no lock outlives the loss of one"
						.formatted(count));
		}
		if (count % 2 == 0) {
			throw new IllegalArgumentException(
					"a quorum needs an odd number of nodes but has %d: %d of them may be lost, no more than of %d"
						.formatted(count, (count - 1) / 2, count - 1));
		}
	}

	int size() {
		return this.nodes.size();
	}

	/**
	 * Return how many decide.
	 */
	int majority() {
		return size() / 2 + 1;
	}

	/**
	 * Return whether that many are so many that the others are no majority any more.
	 */
	boolean isEnoughToPrevent(int count) {
		return size() - count < majority();
	}

	/**
	 * Ask all at once, and answer as soon as the verdict is clear.
	 * @param verdict from what has come so far to an answer, or {@code null} as long as
	 * there is none
	 * @return fails if all have replied and there still is no answer
	 */
	<T, R> CompletableFuture<R> ask(String operation, LockTarget target,
			Function<QuorumNode, CompletionStage<T>> question, Verdict<T, R> verdict) {
		// A list first, so that all are asked before the first reply is looked at.
		List<CompletionStage<T>> replies = this.nodes.stream()
			.map((node) -> answerOf(() -> question.apply(node)))
			.toList();
		return collect(operation, target, replies, verdict);
	}

	/**
	 * Return the answer to a request, also if it could not even be made.
	 */
	static <T> CompletionStage<T> answerOf(Supplier<CompletionStage<T>> request) {
		try {
			return request.get();
		}
		catch (RuntimeException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Wait for replies, one of each node, until the verdict is clear.
	 */
	<T, R> CompletableFuture<R> collect(String operation, LockTarget target, List<CompletionStage<T>> replies,
			Verdict<T, R> verdict) {
		CompletableFuture<R> outcome = new CompletableFuture<>();
		Replies<T> received = new Replies<>(this);
		for (int index = 0; index < replies.size(); index++) {
			QuorumNode node = this.nodes.get(index);
			replies.get(index)
				.whenComplete(
						(reply, failure) -> received.add(node, reply, failure, operation, target, verdict, outcome));
		}
		return outcome;
	}

	/**
	 * Is told what came of a request.
	 *
	 * @param <T> the answer
	 */
	@FunctionalInterface
	interface Reply<T> {

		void received(@Nullable T answer, @Nullable Throwable failure);

	}

}
