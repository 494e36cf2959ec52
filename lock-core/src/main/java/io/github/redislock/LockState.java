package io.github.redislock;

import java.time.Duration;
import java.time.Instant;

import org.jspecify.annotations.Nullable;

/**
 * What a store knows of a lock that somebody holds.
 *
 * @param name the lock's name
 * @param owner the holder's token
 * @param remaining how long the store keeps the lock if nobody extends it, grace
 * included, or {@code null} if it never expires
 * @param fencingToken the fencing token of this hold, or {@code null} if the holder is a
 * program that has none
 * @param waiters how many instances wait for the lock; 0 also where the store keeps no
 * queue, as those of this version
 */
public record LockState(String name, String owner, @Nullable Duration remaining, @Nullable Long fencingToken,
		long waiters) {

	/**
	 * Return which instance holds the lock.
	 * @return the readable part of the owner token, which proves nothing, or "another
	 * client" if the holder is not one of ours
	 */
	public String holder() {
		return OwnerTokens.holder(this.owner);
	}

	/**
	 * Return since when the lock is held, by the store's clock.
	 * @return the moment of the grant, or {@code null} if the holder has no fencing token
	 */
	public @Nullable Instant since() {
		return (this.fencingToken != null) ? FencingTokens.instant(this.fencingToken) : null;
	}

	/**
	 * Return all but the owner token, which nobody shall read in a log.
	 */
	@Override
	public String toString() {
		return "LockState[name=%s, holder=%s, remaining=%s, fencingToken=%s, waiters=%d]".formatted(this.name, holder(),
				this.remaining, this.fencingToken, this.waiters);
	}

}
