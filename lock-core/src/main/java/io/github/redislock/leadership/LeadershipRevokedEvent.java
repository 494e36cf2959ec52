package io.github.redislock.leadership;

/**
 * Published when this instance has resigned or lost the leadership.
 * <p>
 * The event is published on the thread that calls the {@link Leadership#onRevoked}
 * listeners.
 *
 * @param role the name of the role
 * @param term the fencing token of the leadership that is over
 */
public record LeadershipRevokedEvent(String role, long term) {
}
