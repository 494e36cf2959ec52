package io.github.redislock.samples.cluster.demo.timeline;

import java.util.List;

/**
 * All that a page needs that has just been opened.
 *
 * @param now the time, in milliseconds since the demonstration began
 * @param counters how often it happened
 * @param events what happened last, the oldest first
 */
public record Snapshot(long now, Counters counters, List<DemoEvent> events) {
}
