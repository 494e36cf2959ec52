package io.github.redislock.campaign.history;

import java.time.Duration;

/**
 * How strict to be.
 *
 * @param room how much longer than its waiting time an attempt may take
 * @param afterlife how long a lock may stay in the store without a release
 * @param memory how old the information in a refusal may be
 * @param telling how long after its end a leader may be notified
 * @param kept whether the store keeps each lock for its time
 * @param released whether the store keeps each release: a promoted replica without it
 * still has the lock
 */
public record Rules(Duration room, Duration afterlife, Duration memory, Duration telling, boolean kept,
		boolean released) {
}
