package io.github.redislock;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The options that were set, for implementations of {@link LockOperations}. The methods
 * that return an option return {@code null} if it was not set.
 */
public final class OptionSet implements LockOptions {

	static final LockOptions UNSET = new OptionSet(Map.of());

	static final LockOptions DEFAULTS = UNSET.timeout(Duration.ofSeconds(30))
		.retry(3)
		.retryDelay(Duration.ofMillis(100))
		.maxWaiters(10_000)
		.refuseIfLate(false)
		.autoRenew(true)
		.atLeastFor(Duration.ZERO)
		.reentrant(true)
		.onLost(OnLost.THROW);

	/** Not modified after construction. */
	private final Map<Option, Object> values;

	/** Cached because options are looked up at each acquisition. */
	private final int hashCode;

	private OptionSet(Map<Option, Object> values) {
		this.values = values;
		this.hashCode = values.hashCode();
	}

	@Override
	public LockOptions timeout(Duration lease) {
		return with(Option.LEASE, LeaseLength.of(lease));
	}

	@Override
	public LockOptions neverExpires() {
		return with(Option.LEASE, LeaseLength.ENDLESS);
	}

	/**
	 * Return how long the lock belongs to the holder without renewal.
	 */
	public @Nullable LeaseLength lease() {
		return get(Option.LEASE, LeaseLength.class);
	}

	@Override
	public LockOptions retry(int retry) {
		requireNotNegative("retry", retry);
		return with(Option.RETRY, retry);
	}

	/**
	 * Return how long to wait, in multiples of the {@linkplain #retryDelay() delay}.
	 */
	public @Nullable Integer retry() {
		return get(Option.RETRY, Integer.class);
	}

	@Override
	public LockOptions retryDelay(Duration retryDelay) {
		Durations.requireBetween("retryDelay", retryDelay, Duration.ofMillis(1), LeaseLength.LONGEST);
		return with(Option.RETRY_DELAY, retryDelay);
	}

	/**
	 * Return the time between two requests when the store is polled.
	 */
	public @Nullable Duration retryDelay() {
		return get(Option.RETRY_DELAY, Duration.class);
	}

	@Override
	public LockOptions waitTime(Duration waitTime) {
		Durations.requireAtLeast("waitTime", waitTime, Duration.ZERO);
		return with(Option.WAIT_TIME, waitTime);
	}

	/**
	 * Return how long to wait in total.
	 */
	public @Nullable Duration waitTime() {
		return get(Option.WAIT_TIME, Duration.class);
	}

	@Override
	public LockOptions maxWaiters(int maxWaiters) {
		requireNotNegative("maxWaiters", maxWaiters);
		return with(Option.MAX_WAITERS, maxWaiters);
	}

	/**
	 * Return how many callers may wait.
	 */
	public @Nullable Integer maxWaiters() {
		return get(Option.MAX_WAITERS, Integer.class);
	}

	@Override
	public LockOptions refuseIfLate(boolean refuseIfLate) {
		return with(Option.REFUSE_IF_LATE, refuseIfLate);
	}

	/**
	 * Return whether a caller is refused if its turn would probably come after its
	 * waiting time.
	 */
	public @Nullable Boolean refuseIfLate() {
		return get(Option.REFUSE_IF_LATE, Boolean.class);
	}

	@Override
	public LockOptions autoRenew(boolean autoRenew) {
		return with(Option.AUTO_RENEW, autoRenew);
	}

	/**
	 * Return whether the lease is renewed while the lock is held.
	 */
	public @Nullable Boolean autoRenew() {
		return get(Option.AUTO_RENEW, Boolean.class);
	}

	@Override
	public LockOptions renewEvery(Duration renewEvery) {
		Durations.requireAtLeast("renewEvery", renewEvery, Duration.ofMillis(100));
		return with(Option.RENEW_EVERY, renewEvery);
	}

	/**
	 * Return the time between two renewals.
	 */
	public @Nullable Duration renewEvery() {
		return get(Option.RENEW_EVERY, Duration.class);
	}

	@Override
	public LockOptions maxHold(Duration maxHold) {
		Durations.requireBetween("maxHold", maxHold, LeaseLength.SHORTEST, LeaseLength.LONGEST);
		return with(Option.MAX_HOLD, maxHold);
	}

	/**
	 * Return how long renewal may keep the lock.
	 */
	public @Nullable Duration maxHold() {
		return get(Option.MAX_HOLD, Duration.class);
	}

	@Override
	public LockOptions atLeastFor(Duration atLeastFor) {
		Durations.requireBetween("atLeastFor", atLeastFor, Duration.ZERO, LeaseLength.LONGEST);
		return with(Option.AT_LEAST_FOR, atLeastFor);
	}

	/**
	 * Return the minimum time for which the lock stays locked.
	 */
	public @Nullable Duration atLeastFor() {
		return get(Option.AT_LEAST_FOR, Duration.class);
	}

	@Override
	public LockOptions owner(String owner) {
		OwnerTokens.requireUsable("owner", owner, OwnerTokens.MAX_LENGTH);
		return with(Option.OWNER, owner);
	}

	/**
	 * Return the caller's owner token.
	 */
	public @Nullable String owner() {
		return get(Option.OWNER, String.class);
	}

	@Override
	public LockOptions reentrant(boolean reentrant) {
		return with(Option.REENTRANT, reentrant);
	}

	/**
	 * Return whether the holding thread may re-enter the lock.
	 */
	public @Nullable Boolean reentrant() {
		return get(Option.REENTRANT, Boolean.class);
	}

	@Override
	public LockOptions onLost(OnLost onLost) {
		return with(Option.ON_LOST, onLost);
	}

	/**
	 * Return what happens to the work when the lock is lost.
	 */
	public @Nullable OnLost onLost() {
		return get(Option.ON_LOST, OnLost.class);
	}

	@Override
	public LockOptions warnAfter(Duration warnAfter) {
		Durations.requireAtLeast("warnAfter", warnAfter, Duration.ZERO);
		return with(Option.WARN_AFTER, warnAfter);
	}

	/**
	 * Return how long the lock may be held before a warning is logged.
	 */
	public @Nullable Duration warnAfter() {
		return get(Option.WARN_AFTER, Duration.class);
	}

	@Override
	public LockOptions orElse(LockOptions defaults) {
		Assert.notNull(defaults, "default options must not be null");
		Map<Option, Object> merged = copy(((OptionSet) defaults).values);
		if (this.values.containsKey(Option.RETRY)) {
			// These options set the waiting time through retry, so a default waitTime
			// must not override it.
			merged.remove(Option.WAIT_TIME);
		}
		merged.putAll(this.values);
		return new OptionSet(merged);
	}

	private static void requireNotNegative(String option, int value) {
		if (value < 0) {
			throw new IllegalArgumentException("%s must not be negative but is %s".formatted(option, value));
		}
	}

	private OptionSet with(Option option, Object value) {
		Assert.notNull(value, () -> option + " must not be null");
		Map<Option, Object> changed = copy(this.values);
		changed.put(option, value);
		return new OptionSet(changed);
	}

	private <T> @Nullable T get(Option option, Class<T> type) {
		return type.cast(this.values.get(option));
	}

	private static Map<Option, Object> copy(Map<Option, Object> values) {
		Map<Option, Object> copy = new EnumMap<>(Option.class);
		copy.putAll(values);
		return copy;
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof OptionSet that && this.values.equals(that.values));
	}

	@Override
	public int hashCode() {
		return this.hashCode;
	}

	/**
	 * Return all options that are set, except for the owner token, which proves
	 * ownership.
	 */
	@Override
	public String toString() {
		Map<Option, Object> shown = copy(this.values);
		shown.remove(Option.OWNER);
		shown.replaceAll((option, value) -> (value instanceof Duration time) ? Durations.describe(time) : value);
		return "LockOptions" + shown;
	}

	private enum Option {

		LEASE("timeout"), RETRY("retry"), RETRY_DELAY("retryDelay"), WAIT_TIME("waitTime"), MAX_WAITERS("maxWaiters"),
		REFUSE_IF_LATE("refuseIfLate"), AUTO_RENEW("autoRenew"), RENEW_EVERY("renewEvery"), MAX_HOLD("maxHold"),
		AT_LEAST_FOR("atLeastFor"), OWNER("owner"), REENTRANT("reentrant"), ON_LOST("onLost"), WARN_AFTER("warnAfter");

		private final String text;

		Option(String text) {
			this.text = text;
		}

		@Override
		public String toString() {
			return this.text;
		}

	}

}
