package io.github.redislock.samples.cluster.demo.timeline;

import io.github.redislock.samples.cluster.message.Kind;

/**
 * An event.
 *
 * @param id a number greater than that of every earlier event
 * @param at the time, in milliseconds since the demonstration began
 * @param kind what happened
 * @param source the worker, or Redis
 * @param token the fencing token of the hold, or 0 if the event names no hold, as a
 * string because JavaScript cannot represent every {@code long}
 * @param text a description
 */
public record DemoEvent(long id, long at, Kind kind, String source, String token, String text) {
}
