package io.github.redislock.leadership;

/**
 * This instance has become the leader. <pre class="code">
 * &#64;EventListener(condition = "#granted.role == 'mailer'")
 * void on(LeadershipGrantedEvent granted) {
 *     this.mailbox.open(granted.term());
 * }
 * </pre>
 * <p>
 * Published on the role's thread, like a call of {@link Leadership#onGranted}.
 *
 * @param role the name of the role
 * @param term the fencing token of this leadership
 */
public record LeadershipGrantedEvent(String role, long term) {
}
