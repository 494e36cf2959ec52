package io.github.redislock.campaign.history;

import org.jspecify.annotations.Nullable;

/**
 * One attempt to have a lock, and the hold that came of it. All times are
 * {@link System#nanoTime()}, which on Linux is the same for all processes.
 *
 * @param client which process, by number and incarnation
 * @param key which lock
 * @param ownToken the owner token that the caller chose himself
 * @param waitNanos for how long he was ready to wait
 * @param invoked when he asked
 * @param replied when he was replied to
 * @param grant what he was given
 * @param outcome how it ended
 * @param ended when he had let go, or was replied to that he gets nothing
 * @param holder whose owner token he was told when he was refused
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
	 * A lock that was given.
	 *
	 * @param token its fencing token
	 * @param owner its owner token
	 * @param from when the caller had it in his hands
	 * @param until until when his handle claimed, or would have claimed, that it is held
	 */
	public record Grant(long token, String owner, long from, long until) {

		/**
		 * Return whether the handle ever claimed that it is held.
		 */
		boolean claims() {
			return this.until > this.from;
		}

	}

}
