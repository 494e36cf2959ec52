package io.github.redislock.samples.cluster.demo.timeline;

/**
 * One thing more that happened.
 *
 * @param event what
 * @param counters how often such things happened until then
 */
public record Update(DemoEvent event, Counters counters) {
}
