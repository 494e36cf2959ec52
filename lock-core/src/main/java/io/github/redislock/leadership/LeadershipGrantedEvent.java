package io.github.redislock.leadership;

/**
 * Published when this instance has become the leader. <pre class="code">
 * &#64;EventListener(condition = "#granted.role == 'mailer'")
 * void on(LeadershipGrantedEvent granted) {
 *     this.mailbox.open(granted.term());
 * }
 * </pre>
 * <p>
 * The event is published on the thread that calls the {@link Leadership#onGranted}
 * listeners.
 *
 * @param role the name of the role
 * @param term the fencing token of this leadership
 */
public record LeadershipGrantedEvent(String role, long term) {
}
