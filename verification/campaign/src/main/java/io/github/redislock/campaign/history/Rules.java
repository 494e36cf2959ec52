package io.github.redislock.campaign.history;

import java.time.Duration;

/**
 * How strict to be.
 *
 * @param room how much longer than its waiting time an attempt may take
 * @param afterlife how long a lock that nobody let go may stay in the store
 * @param memory how old what a refused one is told may be
 * @param telling how long after its end a leader may be told
 * @param kept whether the store forgets no lock before its time
 * @param released whether the store forgets no release: a replica that has not heard of
 * one keeps the lock when it is promoted
 */
public record Rules(Duration room, Duration afterlife, Duration memory, Duration telling, boolean kept,
		boolean released) {
}
