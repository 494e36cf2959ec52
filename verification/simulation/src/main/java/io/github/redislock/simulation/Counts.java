package io.github.redislock.simulation;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counts the events of each kind.
 */
final class Counts {

	private final Map<String, Long> counts = new TreeMap<>();

	void count(String kind) {
		add(kind, 1);
	}

	void add(String kind, long count) {
		this.counts.merge(kind, count, Long::sum);
	}

	void addAll(Counts others) {
		others.counts.forEach(this::add);
	}

	long of(String kind) {
		return this.counts.getOrDefault(kind, 0L);
	}

	Map<String, Long> all() {
		return java.util.Collections.unmodifiableMap(this.counts);
	}

}
