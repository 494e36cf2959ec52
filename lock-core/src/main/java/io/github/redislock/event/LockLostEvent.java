package io.github.redislock.event;

import java.time.Duration;

/**
 * A lock was lost while it was held: its holder is no longer protected.
 * <pre class="code">
 * &#64;EventListener
 * void on(LockLostEvent lost) {
 *     this.alerts.raise("%s lost: %s".formatted(lost.lockName(), lost.reason()));
 * }
 * </pre>
 * <p>
 * For observers such as alerts. The holder itself gets an exception, is interrupted, or
 * asks its handle. Published on a separate thread, one event after the other.
 *
 * @param lockName the lock's name
 * @param fencingToken the token of the hold that ended
 * @param unprotected how long work may have run without protection when the loss was
 * noticed
 * @param reason how it was noticed, as text for a message
 */
public record LockLostEvent(String lockName, long fencingToken, Duration unprotected, String reason) {
}
