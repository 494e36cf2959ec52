package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.support.Durations;
import io.github.redislock.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows about a lock that is held, or that is kept for a waiter.
 *
 * @param name the lock's name
 * @param owner the holder's token, with which the lock can be released; {@code null} in
 * an exception, so that a refused caller cannot release it
 * @param shortOwner a part of that token: enough to recognize it, too little to release
 * the lock. The instance, if the holder is one of this library, and the beginning of the
 * rest; of a token set by a caller, at most half
 * @param freeIn how long the store keeps the lock without renewal, including the grace
 * period; {@link ChronoUnit#FOREVER} if it never expires. The holder may rely on the lock
 * for a shorter time, which is {@link HeldLock#remaining()}
 * @param fencingToken the fencing token of this hold. Another process sees the first
 * token of the holding process's turn. {@code null} if the holder is a program without
 * fencing tokens
 * @param lastFencingToken the last token of that turn: this hold has one of the tokens
 * from {@code fencingToken} to this one. Both are equal if the token is this hold's own.
 * {@code null} if the holder has none, or if only the first one is known
 * @param waiters how many processes wait for the lock, not how many callers: each process
 * counts once, including that of a caller that waited and was refused. Callers that set
 * an owner token, no expiry, or a minimum hold count one by one. {@code null} if it is
 * not known: for a lock of this process if the store was not asked, and for a lock on a
 * quorum, which has no queue
 * @param held whether the owner holds the lock; if not, the lock is free and kept for
 * that owner, which has waited longer than the refused caller
 * @param holders the number of holders: if several share the lock, this state is about
 * one of them
 */
public record LockState(String name, @Nullable String owner, String shortOwner, Duration freeIn,
		@Nullable Long fencingToken, @Nullable Long lastFencingToken, @Nullable Long waiters, boolean held,
		int holders) {

	/**
	 * Create a state with its owner token.
	 * @param name the lock's name
	 * @param owner the holder's token
	 * @param freeIn how long the store keeps the lock without renewal
	 * @param fencingToken the fencing token of this hold, or {@code null}
	 * @param lastFencingToken the last token of that turn, or {@code null}
	 * @param waiters how many processes wait for the lock, or {@code null}
	 * @param held whether the owner holds the lock
	 * @param holders the number of holders
	 */
	public LockState(String name, String owner, Duration freeIn, @Nullable Long fencingToken,
			@Nullable Long lastFencingToken, @Nullable Long waiters, boolean held, int holders) {
		this(name, owner, OwnerTokens.shortened(owner), freeIn, fencingToken, lastFencingToken, waiters, held, holders);
	}

	/**
	 * Return the instance that holds the lock, or that is next.
	 * @return the readable part of the owner token, which does not prove ownership;
	 * "another client" if the holder does not use this library
	 */
	public String holder() {
		return OwnerTokens.holder(this.shortOwner);
	}

	/**
	 * Return a copy without the owner token, to be shown to other callers.
	 * @return a copy that no forced release accepts
	 */
	public LockState withoutOwner() {
		return new LockState(this.name, null, this.shortOwner, this.freeIn, this.fencingToken, this.lastFencingToken,
				this.waiters, this.held, this.holders);
	}

	/**
	 * Return whether this hold may have a fencing token.
	 * @param token the fencing token of some hold of this lock
	 * @return {@code false} only if it is certainly another hold
	 */
	public boolean mayHave(long token) {
		Long first = this.fencingToken;
		Long last = (this.lastFencingToken != null) ? this.lastFencingToken : first;
		return first != null && last != null && first <= token && token <= last;
	}

	/**
	 * Return a copy with the fencing token that this hold has.
	 * @param token one that it {@linkplain #mayHave may have}
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
	 * Return since when the lock is held, by the store's clock.
	 * @return the moment of the grant, or {@code null} if the holder has no fencing
	 * token, or if the lock is not held
	 */
	public @Nullable Instant since() {
		return (this.held && this.fencingToken != null) ? FencingTokens.instant(this.fencingToken) : null;
	}

	/**
	 * Return a description of the holder, since when it has the lock, and how long the
	 * store still keeps it.
	 * @return part of a sentence, for a message
	 */
	public String describe() {
		return this.held ? describeHold() : "free but kept for %s, which has waited longer".formatted(holder());
	}

	private String describeHold() {
		Instant grantedAt = since();
		String since = (grantedAt != null) ? " since " + grantedAt.truncatedTo(ChronoUnit.SECONDS) : "";
		String end = neverExpires() ? "with no expiry"
				: "free in at most %s unless renewed".formatted(Durations.describe(this.freeIn));
		String others = (this.holders > 1) ? " and %d more".formatted(this.holders - 1) : "";
		return "held by %s%s%s, %s".formatted(holder(), others, since, end);
	}

	/**
	 * Return all but the owner token, which must not appear in a log.
	 */
	@Override
	public String toString() {
		return "LockState[name=%s, holder=%s, freeIn=%s, fencingToken=%s, waiters=%s, held=%s, holders=%d]"
			.formatted(this.name, holder(), this.freeIn, this.fencingToken, this.waiters, this.held, this.holders);
	}

}
