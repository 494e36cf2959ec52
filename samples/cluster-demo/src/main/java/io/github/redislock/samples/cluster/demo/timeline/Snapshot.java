package io.github.redislock.samples.cluster.demo.timeline;

import java.util.List;

/**
 * The data that a newly opened page needs.
 *
 * @param now the time, in milliseconds since the demonstration began
 * @param counters the counts of events
 * @param events the latest events, in the order in which they were reported
 */
public record Snapshot(long now, Counters counters, List<DemoEvent> events) {
}
