package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * The state of a lock in the store: held by an owner, or kept for a waiter.
 *
 * @param name the lock's name
 * @param owner the holder's token, with which the lock can be released; {@code null} in
 * an exception, so that a refused caller cannot release it
 * @param shortOwner a part of that token that is long enough to recognize it, but too
 * short to release the lock. If the holder uses this library, this is the instance and
 * the beginning of the random part. At most half of a token set by a caller is included
 * @param freeIn how long the store keeps the lock without renewal, including the grace
 * period; {@link ChronoUnit#FOREVER} if it never expires. The holder may rely on the lock
 * for a shorter time: see {@link HeldLock#remaining()}
 * @param fencingToken the fencing token of this hold. If another process is the holder,
 * this is the first token of the range that the store has reserved for that process.
 * {@code null} if the holder is a program without fencing tokens
 * @param lastFencingToken the last token of that range. The token of this hold is between
 * {@code fencingToken} and this one. Both are equal if the exact token is known.
 * {@code null} if the holder has no token, or if only the first one is known
 * @param waiters how many processes, not callers, wait for the lock. Each process counts
 * once, including the process of a caller that waited and was refused. Callers that set
 * an owner token, no expiry, or a minimum hold are counted individually. {@code null} if
 * unknown: for a lock of this process if the store was not queried, and for a lock on a
 * quorum, which has no queue
 * @param held whether the owner holds the lock; if not, the lock is free and kept for
 * that owner, which has been waiting longer than the refused caller
 * @param holders the number of holders. If several share the lock, this state describes
 * one of them
 */
public record LockState(String name, @Nullable String owner, String shortOwner, Duration freeIn,
		@Nullable Long fencingToken, @Nullable Long lastFencingToken, @Nullable Long waiters, boolean held,
		int holders) {

	/**
	 * Return a state that includes the owner token.
	 * @param name the lock's name
	 * @param owner the holder's token
	 * @param freeIn how long the store keeps the lock without renewal
	 * @param fencingToken the fencing token of this hold, or {@code null}
	 * @param lastFencingToken the last token of the range that is reserved for the
	 * holder's process, or {@code null}
	 * @param waiters how many processes wait for the lock, or {@code null}
	 * @param held whether the owner holds the lock
	 * @param holders the number of holders
	 * @return the state
	 */
	public static LockState of(String name, String owner, Duration freeIn, @Nullable Long fencingToken,
			@Nullable Long lastFencingToken, @Nullable Long waiters, boolean held, int holders) {
		return new LockState(name, owner, OwnerTokens.shortened(owner), freeIn, fencingToken, lastFencingToken, waiters,
				held, holders);
	}

	/**
	 * Return the instance that holds the lock or is next to get it.
	 * @return the readable part of the owner token, which does not prove ownership;
	 * "another client" if the holder does not use this library
	 */
	public String holder() {
		return OwnerTokens.holder(this.shortOwner);
	}

	/**
	 * Return a copy without the owner token, to be shown to other callers.
	 * @return a copy that cannot be used for a forced release
	 */
	public LockState withoutOwner() {
		return new LockState(this.name, null, this.shortOwner, this.freeIn, this.fencingToken, this.lastFencingToken,
				this.waiters, this.held, this.holders);
	}

	/**
	 * Return whether a fencing token may belong to this hold.
	 * @param token the fencing token of some hold of this lock
	 * @return whether the token is between the first and the last token of this state or,
	 * if the last one is unknown, equal to the first
	 */
	public boolean mayHave(long token) {
		Long first = this.fencingToken;
		Long last = (this.lastFencingToken != null) ? this.lastFencingToken : first;
		return first != null && last != null && first <= token && token <= last;
	}

	/**
	 * Return a copy with the exact fencing token of this hold.
	 * @param token a token that this hold {@linkplain #mayHave may have}
	 * @return a changed copy
	 */
	public LockState having(long token) {
		return new LockState(this.name, this.owner, this.shortOwner, this.freeIn, token, token, this.waiters, this.held,
				this.holders);
	}

	/**
	 * Return whether the store keeps the lock until it is released.
	 * @return whether it has no expiry
	 */
	public boolean neverExpires() {
		return this.freeIn.equals(ChronoUnit.FOREVER.getDuration());
	}

	/**
	 * Return when the lock was granted, according to the store's clock.
	 * @return the time of the grant, or {@code null} if the holder has no fencing token,
	 * or if the lock is not held
	 */
	public @Nullable Instant since() {
		return (this.held && this.fencingToken != null) ? FencingTokens.instant(this.fencingToken) : null;
	}

	/**
	 * Describe who holds the lock, since when, and how long the store will keep it. If
	 * the lock is free, describe the waiter for which it is kept.
	 * @return part of a sentence, for a message
	 */
	public String describe() {
		return this.held ? describeHold() : "free but kept for %s, which has waited longer".formatted(holder());
	}

	/**
	 * A crowd of refused callers pays for this text, and {@link String#formatted} would
	 * take ten times as long.
	 */
	private String describeHold() {
		Instant grantedAt = since();
		String since = (grantedAt != null) ? " since " + grantedAt.truncatedTo(ChronoUnit.SECONDS) : "";
		String end = neverExpires() ? "with no expiry"
				: "free in at most " + Durations.describe(this.freeIn) + " unless renewed";
		String others = (this.holders > 1) ? " and " + (this.holders - 1) + " more" : "";
		return "held by " + holder() + others + since + ", " + end;
	}

	/**
	 * Return the state without the owner token, which must not appear in a log.
	 */
	@Override
	public String toString() {
		return "LockState[name=%s, holder=%s, freeIn=%s, fencingToken=%s, waiters=%s, held=%s, holders=%d]"
			.formatted(this.name, holder(), this.freeIn, this.fencingToken, this.waiters, this.held, this.holders);
	}

}
