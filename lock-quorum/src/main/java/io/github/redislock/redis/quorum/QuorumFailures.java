package io.github.redislock.redis.quorum;

import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.redislock.LockException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.Futures;

/**
 * Decides what failures of servers mean for a lock.
 */
final class QuorumFailures {

	private QuorumFailures() {
	}

	/**
	 * Return the exception for the caller if too few servers replied, or their replies do
	 * not lead to a decision.
	 * @param replied how many servers have replied
	 * @param failures the failures of other servers
	 * @param done whether some servers may have carried out the request
	 */
	static LockException of(String operation, LockTarget target, Quorum quorum, int replied,
			Map<QuorumNode, Throwable> failures, boolean done) {
		for (Throwable failure : failures.values()) {
			if (Futures.unwrap(failure) instanceof LockKeyConflictException conflict
					&& (quorum.isEnoughToPrevent(replied) || !isRetryable(quorum, replied, failures.values()))) {
				return conflict;
			}
		}
		boolean enough = replied >= quorum.majority();
		String message = "Lock '%s': %s failed: %s of %s Redis nodes replied%s: %s".formatted(target, operation,
				replied, quorum.size(),
				enough ? ", which is not enough to decide" : ", and %s are needed".formatted(quorum.majority()),
				reasons(operation, target, quorum, failures));
		LockStoreException failure = new LockStoreException(target, message,
				failures.values().stream().map(Futures::unwrap).findFirst().orElse(null),
				isRetryable(quorum, replied, failures.values()),
				done || failures.values().stream().anyMatch(QuorumFailures::isOutcomeUnknown));
		failures.values().stream().skip(1).map(Futures::unwrap).forEach(failure::addSuppressed);
		return failure;
	}

	/**
	 * Return whether a server may have carried out a request that failed.
	 */
	static boolean isOutcomeUnknown(Throwable failure) {
		return !(Futures.unwrap(failure) instanceof LockKeyConflictException)
				&& (!(Futures.unwrap(failure) instanceof LockStoreException outage) || outage.isOutcomeUnknown());
	}

	/**
	 * Return whether a majority could reply if the request were repeated.
	 */
	private static boolean isRetryable(Quorum quorum, int replied, Collection<Throwable> failures) {
		long hopeful = failures.stream()
			.filter((failure) -> Futures.unwrap(failure) instanceof LockStoreException outage && outage.isRetryable())
			.count();
		return replied + hopeful >= quorum.majority();
	}

	private static String reasons(String operation, LockTarget target, Quorum quorum,
			Map<QuorumNode, Throwable> failures) {
		// The exception's message already begins with this text.
		String begin = "Lock '%s': %s failed: ".formatted(target, operation);
		return quorum.nodes().stream().filter(failures::containsKey).map((node) -> {
			String message = String.valueOf(Futures.unwrap(Objects.requireNonNull(failures.get(node))).getMessage());
			return "%s (%s)".formatted(node, message.startsWith(begin) ? message.substring(begin.length()) : message);
		}).collect(Collectors.joining(", "));
	}

}
