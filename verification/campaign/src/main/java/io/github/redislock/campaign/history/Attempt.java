package io.github.redislock.campaign.history;

import org.jspecify.annotations.Nullable;

/**
 * One attempt to acquire a lock, and its hold, if any. All times are
 * {@link System#nanoTime()}, which on Linux is the same for all processes.
 *
 * @param client the process, identified by its number and the count of its restarts
 * @param key the lock
 * @param ownToken an owner token chosen by the caller, if any
 * @param waitNanos the caller's waiting time
 * @param invoked when the attempt began
 * @param replied when the caller received the result
 * @param grant the grant, if any
 * @param outcome how the attempt ended
 * @param ended when the lock was released, or the attempt was refused
 * @param holder the owner token in the refusal, if any
 */
public record Attempt(String client, String key, @Nullable String ownToken, long waitNanos, long invoked, long replied,
		@Nullable Grant grant, Outcome outcome, long ended, @Nullable String holder) {

	@Override
	public String toString() {
		return "%s %s [asked %d, replied %d, ended %d] %s%s%s".formatted(this.client, this.key, this.invoked,
				this.replied, this.ended, this.outcome, (this.grant != null) ? " " + this.grant : "",
				(this.holder != null) ? " holder " + this.holder : "");
	}

	/**
	 * A granted lock.
	 *
	 * @param token the fencing token
	 * @param owner the owner token
	 * @param from when the caller received the lock
	 * @param until the time until which the handle claimed, or would have claimed, that
	 * the lock is held
	 */
	public record Grant(long token, String owner, long from, long until) {

		/**
		 * Return whether the handle ever claimed that the lock is held.
		 */
		boolean claims() {
			return this.until > this.from;
		}

	}

}
