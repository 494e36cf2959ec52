package io.github.redislock;

import java.time.Duration;
import java.util.Objects;

import io.github.redislock.support.Durations;
import io.github.redislock.support.Lease;
import io.github.redislock.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * The options that were set, for whoever implements {@link LockOperations}; what is
 * {@code null} was not.
 *
 * @param lease how long the lock stays the holder's without renewal
 * @param retry how often to ask again
 * @param retryDelay the time between two questions
 * @param waitTime how long to wait in all
 * @param autoRenew whether the lease is renewed while the lock is held
 * @param maxHold how long the lock may be held by renewing it
 * @param atLeastFor how long the lock stays closed at least
 * @param owner the caller's own owner token
 * @param reentrant whether the holding thread may enter once more
 * @param onLost what becomes of the work when the lock is lost
 */
public record OptionSet(@Nullable Lease lease, @Nullable Integer retry, @Nullable Duration retryDelay,
		@Nullable Duration waitTime, @Nullable Boolean autoRenew, @Nullable Duration maxHold,
		@Nullable Duration atLeastFor, @Nullable String owner, @Nullable Boolean reentrant,
		@Nullable OnLost onLost) implements LockOptions {

	static final OptionSet UNSET = new OptionSet(null, null, null, null, null, null, null, null, null, null);

	static final OptionSet BUILT_IN = new OptionSet(Lease.of(Duration.ofSeconds(30)), 3, Duration.ofMillis(100), null,
			true, null, Duration.ZERO, null, true, OnLost.THROW);

	@Override
	public LockOptions withTimeout(Duration lease) {
		return new OptionSet(Lease.of(lease), this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions neverExpires() {
		return new OptionSet(Lease.ENDLESS, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions retry(int retry) {
		if (retry < 0) {
			throw new IllegalArgumentException("retry must not be negative but is " + retry);
		}
		return new OptionSet(this.lease, retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions retryDelay(Duration retryDelay) {
		Durations.requireAtLeast("retryDelay", retryDelay, Duration.ofMillis(1));
		Durations.requireAtMost("retryDelay", retryDelay, Lease.LONGEST);
		return new OptionSet(this.lease, this.retry, retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions waitTime(Duration waitTime) {
		Durations.requireAtLeast("waitTime", waitTime, Duration.ZERO);
		return new OptionSet(this.lease, this.retry, this.retryDelay, waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions autoRenew(boolean autoRenew) {
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions maxHold(Duration maxHold) {
		Lease.of(maxHold);
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, maxHold,
				this.atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions atLeastFor(Duration atLeastFor) {
		Durations.requireAtLeast("atLeastFor", atLeastFor, Duration.ZERO);
		Durations.requireAtMost("atLeastFor", atLeastFor, Lease.LONGEST);
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				atLeastFor, this.owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions owner(String owner) {
		OwnerTokens.requireUsable("owner", owner, OwnerTokens.MAX_LENGTH);
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, owner, this.reentrant, this.onLost);
	}

	@Override
	public LockOptions reentrant(boolean reentrant) {
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, reentrant, this.onLost);
	}

	@Override
	public LockOptions onLost(OnLost onLost) {
		return new OptionSet(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
				this.atLeastFor, this.owner, this.reentrant, Objects.requireNonNull(onLost));
	}

	@Override
	public LockOptions orElse(LockOptions defaults) {
		return mergedWith((OptionSet) defaults);
	}

	private OptionSet mergedWith(OptionSet defaults) {
		// An explicit retry says how long to wait; a default waiting time must not
		// overrule it.
		Duration defaultWaitTime = (this.retry != null) ? null : defaults.waitTime;
		return new OptionSet(first(this.lease, defaults.lease), first(this.retry, defaults.retry),
				first(this.retryDelay, defaults.retryDelay), first(this.waitTime, defaultWaitTime),
				first(this.autoRenew, defaults.autoRenew), first(this.maxHold, defaults.maxHold),
				first(this.atLeastFor, defaults.atLeastFor), first(this.owner, defaults.owner),
				first(this.reentrant, defaults.reentrant), first(this.onLost, defaults.onLost));
	}

	private static <T> @Nullable T first(@Nullable T preferred, @Nullable T other) {
		return (preferred != null) ? preferred : other;
	}

	/**
	 * Return all but the owner token, which proves ownership.
	 */
	@Override
	public String toString() {
		return ("LockOptions[lease=%s, retry=%s, retryDelay=%s, waitTime=%s, autoRenew=%s, maxHold=%s, atLeastFor=%s,"
				+ " reentrant=%s, onLost=%s]")
			.formatted(this.lease, this.retry, this.retryDelay, this.waitTime, this.autoRenew, this.maxHold,
					this.atLeastFor, this.reentrant, this.onLost);
	}

}
