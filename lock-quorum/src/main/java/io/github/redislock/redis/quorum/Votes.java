package io.github.redislock.redis.quorum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Futures;
import org.jspecify.annotations.Nullable;

/**
 * The replies so far from a quorum's servers to one request. Guarded by this object's
 * monitor, which is held while a decision is made.
 *
 * @param <T> the type of one server's reply
 */
final class Votes<T> {

	private final Quorum quorum;

	private final String operation;

	private final LockTarget target;

	private final List<T> replies = new ArrayList<>();

	private final Map<QuorumNode, Throwable> failures = new LinkedHashMap<>();

	private Votes(Quorum quorum, String operation, LockTarget target) {
		this.quorum = quorum;
		this.operation = operation;
		this.target = target;
	}

	/**
	 * Ask all servers at once, and complete as soon as there is a decision.
	 * @param decision returns the decision, or {@code null} if the replies so far do not
	 * determine it. Further replies must not change a decision
	 * @return a future that fails if no server is left to reply and there is no decision
	 */
	static <T, R> CompletableFuture<R> ask(Quorum quorum, String operation, LockTarget target,
			Function<QuorumNode, CompletionStage<T>> request, Function<Votes<T>, @Nullable R> decision) {
		// Collect the replies into a list, so that all servers are asked before the first
		// reply is read.
		List<CompletionStage<T>> replies = quorum.nodes()
			.stream()
			.<CompletionStage<T>>map((node) -> Futures.attempt(() -> request.apply(node)))
			.toList();
		return collect(quorum, operation, target, replies, decision);
	}

	/**
	 * Wait for the replies, one from each server, until there is a decision.
	 * @param decision as for {@link #ask}
	 */
	static <T, R> CompletableFuture<R> collect(Quorum quorum, String operation, LockTarget target,
			List<CompletionStage<T>> replies, Function<Votes<T>, @Nullable R> decision) {
		CompletableFuture<R> outcome = new CompletableFuture<>();
		Votes<T> votes = new Votes<>(quorum, operation, target);
		for (int index = 0; index < replies.size(); index++) {
			QuorumNode node = quorum.nodes().get(index);
			replies.get(index).whenComplete((reply, failure) -> votes.add(node, reply, failure, decision, outcome));
		}
		return outcome;
	}

	/**
	 * Decide between yes and no by majority.
	 */
	static @Nullable Boolean agreed(Votes<Boolean> votes) {
		if (votes.count(Boolean.TRUE::equals) >= votes.majority()) {
			return true;
		}
		return votes.quorum.isEnoughToPrevent(votes.count(Boolean.FALSE::equals)) ? Boolean.FALSE : null;
	}

	/**
	 * Decide that a request is done once a majority has replied.
	 */
	static @Nullable Boolean done(Votes<?> votes) {
		return (votes.replies.size() >= votes.majority()) ? Boolean.TRUE : null;
	}

	List<T> received() {
		return this.replies;
	}

	int count(Predicate<T> kind) {
		return (int) this.replies.stream().filter(kind).count();
	}

	int majority() {
		return this.quorum.majority();
	}

	/**
	 * Return how many servers have neither replied nor failed.
	 */
	int missing() {
		return this.quorum.size() - this.replies.size() - this.failures.size();
	}

	/**
	 * Return how many servers have not replied yet, or have failed.
	 */
	int unknown() {
		return this.quorum.size() - this.replies.size();
	}

	private <R> void add(QuorumNode node, @Nullable T reply, @Nullable Throwable failure,
			Function<Votes<T>, @Nullable R> decision, CompletableFuture<R> outcome) {
		R result;
		Throwable reason = null;
		synchronized (this) {
			if (failure != null) {
				this.failures.put(node, failure);
			}
			else if (reply != null) {
				this.replies.add(reply);
			}
			result = decision.apply(this);
			if (result == null && missing() == 0) {
				reason = QuorumFailures.of(this.operation, this.target, this.quorum, this.replies.size(), this.failures,
						true);
			}
		}
		// Complete the future without holding the monitor.
		if (result != null) {
			outcome.complete(result);
		}
		else if (reason != null) {
			outcome.completeExceptionally(reason);
		}
	}

}
