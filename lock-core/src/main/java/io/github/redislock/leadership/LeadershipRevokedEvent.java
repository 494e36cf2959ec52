package io.github.redislock.leadership;

/**
 * Published when this instance has resigned or lost the leadership.
 * <p>
 * The role's thread publishes it, and also calls {@link Leadership#onRevoked} listeners.
 *
 * @param role the name of the role
 * @param term the fencing token of the leadership that is over
 */
public record LeadershipRevokedEvent(String role, long term) {
}
