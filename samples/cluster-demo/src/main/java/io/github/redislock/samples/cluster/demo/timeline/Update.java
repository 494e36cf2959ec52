package io.github.redislock.samples.cluster.demo.timeline;

/**
 * A new event.
 *
 * @param event the event
 * @param counters the counters after the event
 */
public record Update(DemoEvent event, Counters counters) {
}
