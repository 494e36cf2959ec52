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
 * The options that were set, for implementations of {@link LockOperations}.
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

	@Override
	public LockOptions retry(int retry) {
		requireNotNegative("retry", retry);
		return with(Option.RETRY, retry);
	}

	@Override
	public LockOptions retryDelay(Duration retryDelay) {
		Durations.requireBetween("retryDelay", retryDelay, Duration.ofMillis(1), LeaseLength.LONGEST);
		return with(Option.RETRY_DELAY, retryDelay);
	}

	@Override
	public LockOptions waitTime(Duration waitTime) {
		Durations.requireAtLeast("waitTime", waitTime, Duration.ZERO);
		return with(Option.WAIT_TIME, waitTime);
	}

	@Override
	public LockOptions maxWaiters(int maxWaiters) {
		requireNotNegative("maxWaiters", maxWaiters);
		return with(Option.MAX_WAITERS, maxWaiters);
	}

	@Override
	public LockOptions refuseIfLate(boolean refuseIfLate) {
		return with(Option.REFUSE_IF_LATE, refuseIfLate);
	}

	@Override
	public LockOptions autoRenew(boolean autoRenew) {
		return with(Option.AUTO_RENEW, autoRenew);
	}

	@Override
	public LockOptions renewEvery(Duration renewEvery) {
		Durations.requireAtLeast("renewEvery", renewEvery, Duration.ofMillis(100));
		return with(Option.RENEW_EVERY, renewEvery);
	}

	@Override
	public LockOptions maxHold(Duration maxHold) {
		Durations.requireBetween("maxHold", maxHold, LeaseLength.SHORTEST, LeaseLength.LONGEST);
		return with(Option.MAX_HOLD, maxHold);
	}

	@Override
	public LockOptions atLeastFor(Duration atLeastFor) {
		Durations.requireBetween("atLeastFor", atLeastFor, Duration.ZERO, LeaseLength.LONGEST);
		return with(Option.AT_LEAST_FOR, atLeastFor);
	}

	@Override
	public LockOptions owner(String owner) {
		OwnerTokens.requireUsable("owner", owner, OwnerTokens.MAX_LENGTH);
		return with(Option.OWNER, owner);
	}

	@Override
	public LockOptions reentrant(boolean reentrant) {
		return with(Option.REENTRANT, reentrant);
	}

	@Override
	public LockOptions onLost(OnLost onLost) {
		return with(Option.ON_LOST, onLost);
	}

	@Override
	public LockOptions warnAfter(Duration warnAfter) {
		Durations.requireAtLeast("warnAfter", warnAfter, Duration.ZERO);
		return with(Option.WARN_AFTER, warnAfter);
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

	/**
	 * Return the value of an option.
	 * @param option the option
	 * @param type the type of its value
	 * @param <T> the type of its value
	 * @return the value, or {@code null} if it was not set
	 */
	public <T> @Nullable T get(Option option, Class<T> type) {
		return type.cast(this.values.get(option));
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

	/**
	 * The options, with the names of their setters.
	 */
	public enum Option {

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
