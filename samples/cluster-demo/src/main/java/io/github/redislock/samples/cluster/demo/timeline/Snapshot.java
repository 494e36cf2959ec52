package io.github.redislock.samples.cluster.demo.timeline;

import java.util.List;

/**
 * All that a newly opened page needs.
 *
 * @param now the time, in milliseconds since the demonstration began
 * @param counters how often each thing happened
 * @param events the latest events, the oldest first
 */
public record Snapshot(long now, Counters counters, List<DemoEvent> events) {
}
