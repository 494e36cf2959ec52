package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.github.redislock.support.Durations;
import io.github.redislock.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * What a store knows of a lock that somebody holds, or that is kept for somebody.
 *
 * @param name the lock's name
 * @param owner the holder's token, by which the lock can be released: whole where an
 * operator has inspected the lock, and shortened where a caller was refused
 * @param freeIn how long the store keeps the lock if nobody extends it, grace included;
 * {@link ChronoUnit#FOREVER} if it never expires. Longer than its holder may rely on it:
 * that is {@link HeldLock#remaining()}
 * @param fencingToken the fencing token of this hold; seen from another process, the
 * first one of the holding process's turn; {@code null} if the holder is a program that
 * has none
 * @param lastFencingToken the last one of that turn: this hold has one of those from
 * {@code fencingToken} to here. The same if that is this hold's own; {@code null} if the
 * holder has none, or where only the first one is known
 * @param waiters how many processes wait for the lock, each counted once however many of
 * its callers wait; among them that of a caller who waited and was refused. Callers with
 * an own owner token, without expiry, or with a minimum hold count by themselves.
 * {@code null} where that is not known: of a lock that this process itself holds, to who
 * did not ask the store, and of one on a quorum, which has no queue
 * @param held whether the owner holds the lock; if not, it is free and kept for that one,
 * who waits longer than whoever was refused
 * @param holders how many hold the lock: more than one if they share it, and then this
 * state is about one of them
 */
public record LockState(String name, String owner, Duration freeIn, @Nullable Long fencingToken,
		@Nullable Long lastFencingToken, @Nullable Long waiters, boolean held, int holders) {

	/**
	 * Create the state of a lock that nobody shares.
	 * @param name the lock's name
	 * @param owner the holder's token
	 * @param freeIn how long the store keeps the lock
	 * @param fencingToken the fencing token, or {@code null} if the holder has none
	 * @param waiters how many processes wait
	 * @param held whether the owner holds the lock, or it is free and kept for that one
	 */
	public LockState(String name, String owner, Duration freeIn, @Nullable Long fencingToken, long waiters,
			boolean held) {
		this(name, owner, freeIn, fencingToken, null, waiters, held, 1);
	}

	/**
	 * Create the state of a lock that is held.
	 * @param name the lock's name
	 * @param owner the holder's token
	 * @param freeIn how long the store keeps the lock
	 * @param fencingToken the fencing token, or {@code null} if the holder has none
	 * @param waiters how many processes wait
	 */
	public LockState(String name, String owner, Duration freeIn, @Nullable Long fencingToken, long waiters) {
		this(name, owner, freeIn, fencingToken, waiters, true);
	}

	/**
	 * Return which instance holds the lock, or is next.
	 * @return the readable part of the owner token, which proves nothing, or "another
	 * client" if the holder is not one of ours
	 */
	public String holder() {
		return OwnerTokens.holder(this.owner);
	}

	/**
	 * Return enough of the owner token to recognize it, and too little to release the
	 * lock with it.
	 * @return the instance, if the holder is one of ours, and the beginning of the rest;
	 * of a token that a caller has set itself, at most half
	 */
	public String shortOwner() {
		return OwnerTokens.shortened(this.owner);
	}

	/**
	 * Return the same without the part of the owner token that is secret, for callers of
	 * other processes. It does not name a holder to
	 * {@link io.github.redislock.engine.LockTemplate#forceRelease(LockTarget, LockState)}
	 * any more.
	 * @return a copy with {@link #shortOwner()} as its owner
	 */
	public LockState withShortOwner() {
		return new LockState(this.name, shortOwner(), this.freeIn, this.fencingToken, this.lastFencingToken,
				this.waiters, this.held, this.holders);
	}

	/**
	 * Return whether this hold may be the one of a fencing token.
	 * @param token the fencing token of some hold of this lock
	 * @return {@code false} only if that is another one
	 */
	public boolean mayHave(long token) {
		Long first = this.fencingToken;
		Long last = (this.lastFencingToken != null) ? this.lastFencingToken : first;
		return first != null && last != null && first <= token && token <= last;
	}

	/**
	 * Return the same with the fencing token that this hold has.
	 * @param token one that it {@linkplain #mayHave may have}
	 * @return a changed copy
	 */
	public LockState having(long token) {
		return new LockState(this.name, this.owner, this.freeIn, token, token, this.waiters, this.held, this.holders);
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
	 * token, or nobody holds the lock
	 */
	public @Nullable Instant since() {
		return (this.held && this.fencingToken != null) ? FencingTokens.instant(this.fencingToken) : null;
	}

	/**
	 * Return who has the lock, since when and for how long still.
	 * @return a part of a sentence, for people
	 */
	public String describe() {
		return this.held ? describeHold() : "free but kept for %s, who waits longer".formatted(holder());
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
	 * Return all but the owner token, which nobody shall read in a log.
	 */
	@Override
	public String toString() {
		return "LockState[name=%s, holder=%s, freeIn=%s, fencingToken=%s, waiters=%s, held=%s, holders=%d]"
			.formatted(this.name, holder(), this.freeIn, this.fencingToken, this.waiters, this.held, this.holders);
	}

}
