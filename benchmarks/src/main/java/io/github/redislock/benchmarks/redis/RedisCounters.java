package io.github.redislock.benchmarks.redis;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The counters of Redis since it started, or their change between two moments.
 *
 * @param calls how many times each command was executed, including the calls inside
 * scripts
 * @param cpuSeconds the CPU time of the Redis process
 * @param wireBytes the number of bytes that Redis received and sent
 */
public record RedisCounters(Map<String, Long> calls, double cpuSeconds, long wireBytes) {

	private static final Set<String> SCRIPTS = Set.of("eval", "evalsha", "fcall");

	/** Commands that are not counted, because the runner itself sends them. */
	private static final Set<String> OURSELVES = Set.of("info", "pexpiretime", "flushall", "ping", "dbsize");

	public RedisCounters {
		calls = Map.copyOf(calls);
	}

	public RedisCounters since(RedisCounters before) {
		Map<String, Long> difference = new HashMap<>();
		this.calls.forEach((name, number) -> difference.put(name, number - before.calls.getOrDefault(name, 0L)));
		return new RedisCounters(difference, this.cpuSeconds - before.cpuSeconds, this.wireBytes - before.wireBytes);
	}

	/**
	 * Return how many commands were executed. Both scripts and the commands in them
	 * count, but not commands such as {@code INFO}, which the runner itself sends.
	 */
	public long executed() {
		return this.calls.entrySet()
			.stream()
			.filter((entry) -> !OURSELVES.contains(entry.getKey()))
			.mapToLong(Map.Entry::getValue)
			.sum();
	}

	public long scripts() {
		return SCRIPTS.stream().mapToLong((name) -> this.calls.getOrDefault(name, 0L)).sum();
	}

}
