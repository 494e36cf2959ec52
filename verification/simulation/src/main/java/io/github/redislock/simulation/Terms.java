package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.redislock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * How a caller takes and keeps a lock.
 *
 * @param lease how long it has the lock without renewal; {@code null} for ever
 * @param waitTime how long it waits
 * @param retryDelay the time between two questions where Redis does not tell by itself
 * @param autoRenew whether the lease is renewed
 * @param atLeastFor how long the lock stays closed at least
 * @param owner its own owner token, if it has one
 */
record Terms(@Nullable Duration lease, Duration waitTime, Duration retryDelay, boolean autoRenew, Duration atLeastFor,
		@Nullable String owner) {

	static Terms of(Duration lease, Duration waitTime) {
		return new Terms(lease, waitTime, Duration.ofMillis(100), true, Duration.ZERO, null);
	}

	Terms lease(Duration lease) {
		return new Terms(lease, this.waitTime, this.retryDelay, this.autoRenew, this.atLeastFor, this.owner);
	}

	Terms waitTime(Duration waitTime) {
		return new Terms(this.lease, waitTime, this.retryDelay, this.autoRenew, this.atLeastFor, this.owner);
	}

	Terms retryDelay(Duration retryDelay) {
		return new Terms(this.lease, this.waitTime, retryDelay, this.autoRenew, this.atLeastFor, this.owner);
	}

	Terms autoRenew(boolean autoRenew) {
		return new Terms(this.lease, this.waitTime, this.retryDelay, autoRenew, this.atLeastFor, this.owner);
	}

	Terms neverExpires() {
		return new Terms(null, this.waitTime, this.retryDelay, this.autoRenew, this.atLeastFor, this.owner);
	}

	Terms atLeastFor(Duration atLeastFor) {
		return new Terms(this.lease, this.waitTime, this.retryDelay, this.autoRenew, atLeastFor, this.owner);
	}

	/**
	 * Return the same for a token of the caller's own, of which each has its lease.
	 */
	Terms owner(String owner, Duration lease) {
		return new Terms(lease, this.waitTime, this.retryDelay, true, this.atLeastFor, owner);
	}

	boolean isEndless() {
		return this.lease == null;
	}

	Duration requiredLease() {
		return Objects.requireNonNull(this.lease);
	}

	/**
	 * Return what is not usual, for people.
	 */
	List<String> extras() {
		List<String> extras = new ArrayList<>();
		if (isEndless()) {
			extras.add("never expires");
		}
		if (!this.atLeastFor.isZero()) {
			extras.add("closed for a while");
		}
		if (this.owner != null) {
			extras.add("own token");
		}
		return extras;
	}

	LockOptions options() {
		LockOptions options = (this.lease != null) ? LockOptions.options().timeout(this.lease)
				: LockOptions.options().neverExpires();
		options = options.waitTime(this.waitTime)
			.retryDelay(this.retryDelay)
			.autoRenew(this.autoRenew)
			.atLeastFor(this.atLeastFor);
		return (this.owner != null) ? options.owner(this.owner) : options;
	}

	@Override
	public String toString() {
		return "%s, wait %d ms%s%s".formatted(
				(this.lease != null) ? "lease %d ms".formatted(this.lease.toMillis()) : "never expires",
				this.waitTime.toMillis(),
				this.atLeastFor.isZero() ? "" : ", at least for %d ms".formatted(this.atLeastFor.toMillis()),
				(this.owner != null) ? ", as " + this.owner : "");
	}

}
