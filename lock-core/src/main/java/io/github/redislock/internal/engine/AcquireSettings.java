package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Objects;

import io.github.redislock.LockFence;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.internal.support.LeaseLength;
import org.jspecify.annotations.Nullable;

/**
 * The complete settings of one acquisition.
 *
 * @param lease how long the lock stays ours without renewal
 * @param waitTime how long to wait for the lock in total
 * @param maxWaiters how many callers of this engine may wait for the lock
 * @param retryDelay the first pause between two requests if the store has to be polled
 * @param autoRenew whether the lease is renewed while the lock is held
 * @param renewEvery the wanted time between two renewals. If this is more than half of
 * the lease (the default), the lock is renewed after a third of the lease
 * @param maxHold how long renewal may keep the lock; {@code null} means no limit
 * @param atLeastFor the minimum time for which the lock stays locked
 * @param owner the caller's own owner token, or {@code null} for a random one
 * @param reentrant whether the holder may re-enter the lock
 * @param onLost what happens to the work when the lock is lost
 * @param warnAfter how long the lock may be held before a warning is logged, or
 * {@code null} for the template's time
 * @param fence admits the holder in its transactions, or {@code null} for none
 * @param timeToLive how long the store keeps a granted lock; {@code null} means forever
 * @param claim how long the store keeps a lock that is handed over; {@code null} if the
 * caller does not wait
 */
record AcquireSettings(LeaseLength lease, Duration waitTime, int maxWaiters, Duration retryDelay, boolean autoRenew,
		Duration renewEvery, @Nullable Duration maxHold, Duration atLeastFor, @Nullable String owner, boolean reentrant,
		OnLost onLost, @Nullable Duration warnAfter, @Nullable LockFence fence, @Nullable Duration timeToLive,
		@Nullable Duration claim) {

	boolean waits() {
		return !this.waitTime.isZero();
	}

	boolean mayBePassedOn() {
		return waits() && this.owner == null && this.lease.duration() != null && this.atLeastFor.isZero();
	}

	/**
	 * Return whether callers may pass the lock on to each other. They do not pass on a
	 * shared lock, because several of them may hold it at once.
	 */
	boolean passes(LockTarget target) {
		return mayBePassedOn() && !target.isShared();
	}

	/**
	 * Return the settings for the given options, completed with the given defaults, and
	 * then with the built-in ones.
	 * @param grace how much longer than its lease the store keeps a lock, or {@code null}
	 * for the default
	 */
	static AcquireSettings of(LockOptions options, LockOptions defaults, @Nullable Duration grace) {
		LockOptions set = options.orElse(defaults).orElse(LockOptions.defaults());
		Duration retryDelay = required(set, "retryDelay", Duration.class);
		int retry = required(set, "retry", Integer.class);
		int maxWaiters = required(set, "maxWaiters", Integer.class);
		Duration declared = set.get("waitTime", Duration.class);
		Duration waitTime = (declared != null) ? declared : retryDelay.multipliedBy(retry);
		boolean waits = maxWaiters > 0 && !waitTime.isZero();
		LeaseLength lease = required(set, "timeout", LeaseLength.class).atMost(set.get("maxHold", Duration.class));
		Duration length = lease.duration();
		Duration atLeastFor = required(set, "atLeastFor", Duration.class);
		Duration renewEvery = set.get("renewEvery", Duration.class);
		return new AcquireSettings(lease, waits ? waitTime : Duration.ZERO, maxWaiters, retryDelay,
				required(set, "autoRenew", Boolean.class),
				Objects.requireNonNullElse(renewEvery, ChronoUnit.FOREVER.getDuration()),
				set.get("maxHold", Duration.class), atLeastFor, set.get("owner", String.class),
				required(set, "reentrant", Boolean.class), required(set, "onLost", OnLost.class),
				set.get("warnAfter", Duration.class), set.get("fence", LockFence.class),
				(length != null) ? LeaseLength.timeToLive(length, grace, atLeastFor) : null,
				waits ? LeaseLength.timeToLive(lease.claim(), grace, Duration.ZERO) : null);
	}

	private static <T> T required(LockOptions set, String option, Class<T> type) {
		return Objects.requireNonNull(set.get(option, type));
	}

	/**
	 * Fail if the lease is renewed automatically, and the given options themselves set an
	 * interval of more than half of it.
	 * @param options the options from which these settings were made
	 * @param subject names the lock in the message
	 * @return these settings
	 */
	AcquireSettings requireTimeToRenew(LockOptions options, String subject) {
		Duration own = options.get("renewEvery", Duration.class);
		if (own != null && this.autoRenew) {
			this.lease.requireTimeToRenew(subject, own);
		}
		return this;
	}

}
