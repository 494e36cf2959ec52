package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.redislock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * The options with which a caller acquires and keeps a lock.
 *
 * @param lease how long the caller has the lock without renewal, or {@code null} if the
 * lock never expires
 * @param waitTime how long the caller waits
 * @param retryDelay the time between two requests if Redis sends no messages
 * @param autoRenew whether the lease is renewed
 * @param atLeastFor the minimum time for which the lock stays locked
 * @param owner an explicit owner token, or {@code null}
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
	 * Return these terms with an explicit owner token and the given lease, which is
	 * renewed.
	 */
	Terms owner(String owner, Duration lease) {
		return new Terms(lease, this.waitTime, this.retryDelay, true, this.atLeastFor, owner);
	}

	boolean isEndless() {
		return this.lease == null;
	}

	/**
	 * Return whether a caller with these terms does not share a request with others.
	 */
	boolean isSeparate() {
		return isEndless() || this.owner != null || !this.atLeastFor.isZero();
	}

	Duration requiredLease() {
		return Objects.requireNonNull(this.lease);
	}

	/**
	 * Return descriptions of the unusual options, for the counts.
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
