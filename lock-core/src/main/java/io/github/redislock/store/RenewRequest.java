package io.github.redislock.store;

import java.time.Duration;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A question for another lease of a lock.
 *
 * @param target the lock
 * @param owner the owner token
 * @param timeToLive its new life, counted from the answer; {@code null} to leave it as it
 * is, and only tell whether the lock is the owner's
 */
public record RenewRequest(LockTarget target, String owner, @Nullable Duration timeToLive) {
}
