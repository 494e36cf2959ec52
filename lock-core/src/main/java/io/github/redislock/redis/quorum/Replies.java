package io.github.redislock.redis.quorum;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * What servers have replied to one question so far. Guarded by its own monitor; a verdict
 * is asked for while it is held.
 *
 * @param <T> what one server replies
 */
final class Replies<T> {

	private final Quorum quorum;

	private final List<T> replies = new ArrayList<>();

	private final Map<QuorumNode, Throwable> failures = new LinkedHashMap<>();

	private boolean decided;

	Replies(Quorum quorum) {
		this.quorum = quorum;
	}

	Quorum quorum() {
		return this.quorum;
	}

	/**
	 * Return what was replied.
	 */
	List<T> received() {
		return this.replies;
	}

	int count(Predicate<T> kind) {
		return (int) this.replies.stream().filter(kind).count();
	}

	/**
	 * Return how many have neither replied nor failed.
	 */
	int missing() {
		return this.quorum.size() - this.replies.size() - this.failures.size();
	}

	/**
	 * Return of how many it is not known what they would reply.
	 */
	int unknown() {
		return this.quorum.size() - this.replies.size();
	}

	/**
	 * Take note of a reply, and settle the outcome if that makes it clear.
	 */
	<R> void add(QuorumNode node, @Nullable T reply, @Nullable Throwable failure, String operation, LockTarget target,
			Verdict<T, R> verdict, CompletableFuture<R> outcome) {
		R answer;
		Throwable reason = null;
		synchronized (this) {
			if (failure != null) {
				this.failures.put(node, failure);
			}
			else if (reply != null) {
				this.replies.add(reply);
			}
			answer = this.decided ? null : verdict.of(this);
			if (answer == null && !this.decided && missing() == 0) {
				reason = QuorumFailures.of(operation, target, this.quorum, this.replies.size(), this.failures, true);
			}
			this.decided |= answer != null || reason != null;
		}
		// Whoever waits goes on without the monitor.
		if (answer != null) {
			outcome.complete(answer);
		}
		else if (reason != null) {
			outcome.completeExceptionally(reason);
		}
	}

}
