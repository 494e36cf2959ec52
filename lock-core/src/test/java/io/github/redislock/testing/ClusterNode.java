package io.github.redislock.testing;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A node of a Redis Cluster, as another node reports it.
 *
 * @param id the name of the node
 * @param flags as {@code master} or {@code fail}
 * @param masterId the master of which the node is a replica, or a dash
 * @param epoch the epoch of its slots: if two nodes claim a slot, the one with the
 * greater epoch has it
 * @param slots ranges of numbers
 */
record ClusterNode(String id, List<String> flags, String masterId, long epoch, List<String> slots) {

	/**
	 * Return all nodes that a node knows.
	 */
	static Stream<ClusterNode> knownTo(RedisProcess node) {
		return String.valueOf(node.command("CLUSTER", "NODES")).lines().map(ClusterNode::read);
	}

	private static ClusterNode read(String line) {
		String[] words = line.split(" ");
		List<String> slots = Arrays.stream(words).skip(8).filter((range) -> !range.startsWith("[")).toList();
		return new ClusterNode(words[0], List.of(words[2].split(",")), words[3], Long.parseLong(words[6]), slots);
	}

	boolean isMaster() {
		return this.flags.contains("master") && this.flags.stream().noneMatch((flag) -> flag.startsWith("fail"));
	}

	boolean isHealthy() {
		return this.flags.stream().noneMatch((flag) -> flag.startsWith("fail") || flag.equals("handshake"));
	}

	boolean has(long slot) {
		return this.slots.stream().map((range) -> range.split("-")).anyMatch((ends) -> {
			long first = Long.parseLong(ends[0]);
			return slot >= first && slot <= Long.parseLong(ends[ends.length - 1]);
		});
	}

}
