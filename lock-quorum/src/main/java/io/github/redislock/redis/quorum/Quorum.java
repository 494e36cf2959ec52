package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;

/**
 * Independent servers, a majority of which decides.
 *
 * @param nodes the servers, in the configured order
 * @param patience how long to try to settle a vote that no owner has won
 */
record Quorum(List<QuorumNode> nodes, Duration patience) {

	/** With fewer servers, losing one would leave no majority. */
	private static final int LEAST_NODES = 3;

	Quorum {
		nodes = List.copyOf(nodes);
	}

	/**
	 * Refuse an unsuitable number of servers.
	 * @throws IllegalArgumentException if the number is even or less than three
	 */
	static void requireUsable(int count) {
		if (count < LEAST_NODES) {
			throw new IllegalArgumentException(
					"a quorum needs at least 3 nodes but has %s: with fewer nodes, no lock survives the loss of one"
						.formatted(count));
		}
		if (count % 2 == 0) {
			throw new IllegalArgumentException(
					"a quorum needs an odd number of nodes but has %s: like %s nodes, it tolerates the loss of only %s"
						.formatted(count, count - 1, (count - 1) / 2));
		}
	}

	int size() {
		return this.nodes.size();
	}

	int majority() {
		return size() / 2 + 1;
	}

	/**
	 * Return whether a given number of servers leaves too few others for a majority.
	 */
	boolean isEnoughToPrevent(int count) {
		return size() - count < majority();
	}

}
