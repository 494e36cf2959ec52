package io.github.redislock.campaign.history;

import java.time.Duration;

/**
 * Determines how strict the checks are.
 *
 * @param room how much longer than its waiting time an attempt may take
 * @param afterlife how long a lock may stay in the store without a release
 * @param memory how old the information in a refusal may be
 * @param telling how late a leader may be notified of the end of its leadership
 * @param kept whether the store keeps each lock for its lease
 * @param released whether the store keeps each release, unlike a promoted replica, which
 * may lack a release and still have the lock
 */
public record Rules(Duration room, Duration afterlife, Duration memory, Duration telling, boolean kept,
		boolean released) {
}
