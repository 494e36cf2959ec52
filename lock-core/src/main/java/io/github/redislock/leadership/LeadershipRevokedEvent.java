package io.github.redislock.leadership;

/**
 * This instance no longer leads: it has resigned, or lost the leadership.
 * <p>
 * Published on the role's thread, like a call of {@link Leadership#onRevoked}.
 *
 * @param role the name of the role
 * @param term the fencing token of the leadership that is over
 */
public record LeadershipRevokedEvent(String role, long term) {
}
