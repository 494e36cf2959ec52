package io.github.redislock.samples.cluster.demo.timeline;

import io.github.redislock.samples.cluster.message.Kind;

/**
 * One thing that happened.
 *
 * @param id greater than that of every earlier one
 * @param at when, in milliseconds since the demonstration began
 * @param kind what
 * @param source to which worker, or to Redis
 * @param token the fencing token of the hold, or 0 without one; as text, since the
 * browser's numbers end before it
 * @param text for people
 */
public record DemoEvent(long id, long at, Kind kind, String source, String token, String text) {
}
