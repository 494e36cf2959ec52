package io.github.redislock.event;

import java.time.Duration;

/**
 * Published when a lock was lost while it was held: its holder is no longer protected.
 * <pre class="code">
 * &#64;EventListener
 * void on(LockLostEvent lost) {
 *     this.alerts.raise("%s lost: %s".formatted(lost.lockName(), lost.reason()));
 * }
 * </pre>
 * <p>
 * The event is for observers such as alerts. The holder itself gets an exception, is
 * interrupted, or checks its handle. Events are published one at a time, on a separate
 * thread.
 *
 * @param lockName the lock's name
 * @param fencingToken the token of the hold that ended
 * @param unprotected how long work may have run without protection, at most, when the
 * loss was reported
 * @param reason how the loss was noticed, as text for a message
 */
public record LockLostEvent(String lockName, long fencingToken, Duration unprotected, String reason) {
}
