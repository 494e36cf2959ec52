package io.github.redislock;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * How to acquire and keep a lock. Immutable; a method that sets an option returns a
 * changed copy. <pre class="code">
 * LockOptions.options().timeout(Duration.ofMinutes(1)).waitTime(Duration.ofSeconds(5))
 * </pre>
 * <p>
 * Options that are not set come from the template's defaults, and otherwise from
 * {@link #defaults()}. Most of them have the same names in
 * {@link io.github.redislock.annotation.DistributedLock} and in the configuration. A
 * value outside its limits causes an {@link IllegalArgumentException}; no lease may be
 * longer than 3650 days.
 */
public final class LockOptions {

	private static final LockOptions UNSET = new LockOptions(Map.of());

	private static final LockOptions DEFAULTS = UNSET.timeout(Duration.ofSeconds(30))
		.retry(3)
		.retryDelay(Duration.ofMillis(100))
		.maxWaiters(10_000)
		.autoRenew(true)
		.atLeastFor(Duration.ZERO)
		.reentrant(true)
		.onLost(OnLost.THROW);

	/** By the names of their setters. Not modified after construction. */
	private final Map<String, Object> values;

	/** Cached because options are looked up at each acquisition. */
	private final int hashCode;

	private LockOptions(Map<String, Object> values) {
		this.values = values;
		this.hashCode = values.hashCode();
	}

	/**
	 * Return empty options, as the starting point for others.
	 * @return options that leave all values to the template's defaults
	 */
	public static LockOptions options() {
		return UNSET;
	}

	/**
	 * Return the default options: a lease of 30 s, renewed automatically; a waiting time
	 * of 3 × 100 ms; at most 10000 callers that wait; no minimum hold; re-entrant.
	 * @return the built-in defaults
	 */
	public static LockOptions defaults() {
		return DEFAULTS;
	}

	/**
	 * Set the lease: how long the lock stays held without renewal.
	 * <p>
	 * If the holder dies, the lock expires when the lease and its grace period are over.
	 * Default: 30 s.
	 * @param lease at least 10 ms
	 * @return the changed options
	 */
	public LockOptions timeout(Duration lease) {
		return with("timeout", LeaseLength.of(lease));
	}

	/**
	 * Acquire the lock without an expiry: it stays locked until it is released, even if
	 * its holder dies.
	 * <p>
	 * After a crash, free the lock with {@link LockOperations#forceRelease}, or let a
	 * program resume it with its {@link #owner} token; so set such a token. If the
	 * program resumes it with a lease, the lock then has that lease and expires like any
	 * other lock. A lock without an expiry is not renewed, but checked about every 30 s,
	 * so that its holder learns of a loss. A process that shuts down in an orderly way
	 * releases it like any other lock.
	 * @return the changed options
	 */
	public LockOptions neverExpires() {
		return with("timeout", LeaseLength.ENDLESS);
	}

	/**
	 * Set how long to wait for a lock that is not free, in multiples of
	 * {@link #retryDelay}.
	 * <p>
	 * 0 means a single attempt without waiting. Default: 3, and 0 for
	 * {@link LockOperations#tryAcquire(LockTarget, LockOptions) tryAcquire}. Prefer
	 * {@link #waitTime}, which says the same in units of time. This value overrides a
	 * default {@link #waitTime}, but a {@code waitTime} in the same options takes
	 * precedence.
	 * @param retry not negative
	 * @return the changed options
	 */
	public LockOptions retry(int retry) {
		requireNotNegative("retry", retry);
		return with("retry", retry);
	}

	/**
	 * Set the time between two requests when the store has to be polled. Default: 100 ms.
	 * <p>
	 * The store is polled after an error. It is also polled while the lock is held by a
	 * program that does not announce its release (the time then grows to 100 ms), while
	 * the store cannot announce releases (up to 250 ms), and if the store has no queue
	 * (up to 1 s). In all other cases the store notifies the next waiter as soon as the
	 * lock is released, and a waiter sends a request about once a second, regardless of
	 * this setting.
	 * @param retryDelay at least 1 ms
	 * @return the changed options
	 */
	public LockOptions retryDelay(Duration retryDelay) {
		Durations.requireBetween("retryDelay", retryDelay, Duration.ofMillis(1), LeaseLength.LONGEST);
		return with("retryDelay", retryDelay);
	}

	/**
	 * Set how long to wait for the lock in total.
	 * <p>
	 * If the store does not reply, a call may take as long as the store's command timeout
	 * (2 s by default for Redis) or, before the first connection is open, its connect
	 * timeout, even if the waiting time is shorter. A call may exceed the longer of the
	 * two by half a second. This value takes precedence over {@link #retry} in the same
	 * options. Default: {@code retry × retryDelay}, and zero for {@code tryAcquire} and
	 * {@code tryExecute}.
	 * @param waitTime not negative; zero means that the caller does not wait
	 * @return the changed options
	 */
	public LockOptions waitTime(Duration waitTime) {
		Durations.requireAtLeast("waitTime", waitTime, Duration.ZERO);
		return with("waitTime", waitTime);
	}

	/**
	 * Wait until the lock is acquired, however long that takes.
	 * <p>
	 * The wait still ends if the thread is interrupted, the future is cancelled, the
	 * template is closed, or the store fails permanently, for example because a
	 * permission is missing. It does not end because the store does not reply. In the
	 * annotation and in the configuration, use the waiting time {@code forever}.
	 * @return the changed options
	 */
	public LockOptions waitForever() {
		return waitTime(ChronoUnit.FOREVER.getDuration());
	}

	/**
	 * Set how many callers of this instance may wait for the lock at the same time.
	 * Default: 10000.
	 * <p>
	 * The next caller is refused at once, usually without a request to the store: see
	 * {@link LockNotAcquiredException#getWaitingCallers()}. Holders do not count, and
	 * neither does a caller whose request for the lock has no reply yet. A caller that
	 * re-enters a lock is never refused. Callers that wait for a shared lock are counted
	 * for each mode and number of permits, and those that wait for several locks together
	 * for each combination. Callers with an {@link #owner} token, {@link #neverExpires}
	 * or {@link #atLeastFor} are counted separately.
	 * @param maxWaiters not negative; zero means that the caller does not wait, like a
	 * {@link #waitTime} of zero
	 * @return the changed options
	 */
	public LockOptions maxWaiters(int maxWaiters) {
		requireNotNegative("maxWaiters", maxWaiters);
		return with("maxWaiters", maxWaiters);
	}

	/**
	 * Set whether the lease is renewed while the lock is held. Default: {@code true}.
	 * <p>
	 * A lock that was handed over gets its full lease, counted from the grant, in either
	 * case.
	 * @param autoRenew {@code false} to let the lock expire after its lease
	 * @return the changed options
	 */
	public LockOptions autoRenew(boolean autoRenew) {
		return with("autoRenew", autoRenew);
	}

	/**
	 * Set the time between two renewals of the lease. Default: a third of the lease.
	 * <p>
	 * After a lost renewal, there must be time for a second one before the lease is over.
	 * So these options may not set an interval longer than half of the lease. If the
	 * default interval of the template is too long for a lease, the lock is renewed after
	 * a third of that lease. A renewal may be sent up to a tenth of the interval early
	 * (at most 1 s), together with others. The interval has no effect without
	 * {@link #autoRenew} or with {@link #neverExpires}.
	 * @param renewEvery at least 100 ms, at most half of the lease
	 * @return the changed options
	 */
	public LockOptions renewEvery(Duration renewEvery) {
		Durations.requireAtLeast("renewEvery", renewEvery, Duration.ofMillis(100));
		return with("renewEvery", renewEvery);
	}

	/**
	 * Set how long renewal may keep the lock, so that a holder that hangs cannot keep it
	 * forever. Default: no limit.
	 * <p>
	 * After that time the lock counts as lost, and its holder is notified. A longer lease
	 * is shortened to this limit. A holder that calls {@link LockHandle#extend} or
	 * {@link LockHandle#renew(Duration)} may exceed the limit. The limit has no effect
	 * with {@link #neverExpires}.
	 * @param maxHold at least 10 ms
	 * @return the changed options
	 */
	public LockOptions maxHold(Duration maxHold) {
		Durations.requireBetween("maxHold", maxHold, LeaseLength.SHORTEST, LeaseLength.LONGEST);
		return with("maxHold", maxHold);
	}

	/**
	 * Keep the lock locked for at least this time, counted from its grant, even if it is
	 * released earlier. Default: zero.
	 * @param atLeastFor not negative
	 * @return the changed options
	 */
	public LockOptions atLeastFor(Duration atLeastFor) {
		Durations.requireBetween("atLeastFor", atLeastFor, Duration.ZERO, LeaseLength.LONGEST);
		return with("atLeastFor", atLeastFor);
	}

	/**
	 * Use the caller's owner token instead of a random one.
	 * <p>
	 * A request with the token of the current holder succeeds at once, before all
	 * waiters, so a process that knows the token can resume the lock of one that died. It
	 * gets the same grant with the same fencing token. Its first lease is the longer of
	 * the requested one and the remaining one; the next renewal sets the requested one.
	 * <p>
	 * Two callers with the same token therefore do <em>not</em> exclude each other, and a
	 * fence at the resource cannot distinguish them. The first release releases the lock
	 * for both: the other caller notices at its next renewal, or when it calls
	 * {@link LockHandle#verify()}. A release that is repeated in the background, because
	 * its reply was lost, has the same effect. So does a call that failed because the
	 * store did not reply: its grant is taken back in the background. Before another call
	 * uses a token, stop using it, or make sure that its holder is dead. Always use the
	 * same lease with a token, because a late renewal changes the expiry of the hold that
	 * has the token at that time.
	 * @param owner the token; 1 to 256 characters, unique for each piece of work
	 * @return the changed options
	 */
	public LockOptions owner(String owner) {
		OwnerTokens.requireUsable("owner", owner, OwnerTokens.MAX_LENGTH);
		return with("owner", owner);
	}

	/**
	 * Set whether a thread that holds the lock may re-enter it. Default: {@code true}.
	 * <p>
	 * Re-entries are counted in this process only; except for {@link #onLost} and
	 * {@link #fence}, the options of the outermost hold apply. A lost hold cannot be
	 * re-entered: the lock is requested again, and the outer hold reports its loss when
	 * it ends. A handle that is passed to another thread should not be re-entrant,
	 * because otherwise the first thread could still re-enter the lock.
	 * @param reentrant {@code false} to make the thread wait even for its own lock
	 * @return the changed options
	 */
	public LockOptions reentrant(boolean reentrant) {
		return with("reentrant", reentrant);
	}

	/**
	 * Set what happens to the work when its lock is lost. Default: {@link OnLost#THROW}.
	 * <p>
	 * All values apply to {@link LockOperations#execute}. A handle does not interrupt a
	 * thread, because any thread may use it: for a handle, {@link OnLost#INTERRUPT} is
	 * the same as {@link OnLost#THROW}. Use {@link LockHandle#onLost(Runnable)} to run an
	 * action instead. {@link OnLost#IGNORE} prevents {@link LockHandle#close()} from
	 * throwing.
	 * @param onLost what to do
	 * @return the changed options
	 */
	public LockOptions onLost(OnLost onLost) {
		return with("onLost", onLost);
	}

	/**
	 * Set how long the lock may be held before a warning is logged, once. Default: the
	 * time set for the template.
	 * <p>
	 * Use this for a lock that is normally held much longer than others.
	 * @param warnAfter not negative; zero disables the warning
	 * @return the changed options
	 * @see io.github.redislock.LockConfiguration#warnAfter(Duration)
	 */
	public LockOptions warnAfter(Duration warnAfter) {
		Durations.requireAtLeast("warnAfter", warnAfter, Duration.ZERO);
		return with("warnAfter", warnAfter);
	}

	/**
	 * Set the fence that admits the holder in its transactions. Default: none.
	 * <p>
	 * Whenever a transaction begins on the thread that holds the lock, the fence admits
	 * the lock's fencing token in it, before the first statement. If the lock is acquired
	 * inside a transaction, the fence does so in that one. A transaction is refused, and
	 * nothing of it commits, if a later holder's transaction was admitted before. Work
	 * that ends without a transaction in which the fence could admit it causes a warning.
	 * This option is for blocking callers and exclusive locks: futures, reactive code and
	 * shared locks are refused with an {@link IllegalArgumentException}. Handles that are
	 * {@linkplain LockHandle#detach detached} or not {@link #reentrant} are not fenced in
	 * transactions that begin later.
	 * @param fence admits or refuses the holder
	 * @return the changed options
	 */
	public LockOptions fence(LockFence fence) {
		return with("fence", fence);
	}

	/**
	 * Return these options, with missing values taken from other options. If these
	 * options set {@link #retry}, the other {@link #waitTime} is not taken.
	 * @param defaults provides the values that these options do not set
	 * @return the merged options
	 */
	public LockOptions orElse(LockOptions defaults) {
		Assert.notNull(defaults, "default options must not be null");
		Map<String, Object> merged = new HashMap<>(defaults.values);
		if (this.values.containsKey("retry")) {
			// These options set the waiting time through retry, so a default waitTime
			// must not override it.
			merged.remove("waitTime");
		}
		merged.putAll(this.values);
		return new LockOptions(merged);
	}

	/**
	 * Return the value of an option.
	 * @param option the name of the method that sets it, {@code timeout} for
	 * {@link #neverExpires} as well
	 * @param type the type of its value
	 * @param <T> the type of its value
	 * @return the value, or {@code null} if it was not set
	 */
	public <T> @Nullable T get(String option, Class<T> type) {
		Assert.notNull(option, "option must not be null");
		Assert.notNull(type, "type must not be null");
		return type.cast(this.values.get(option));
	}

	private static void requireNotNegative(String option, int value) {
		if (value < 0) {
			throw new IllegalArgumentException("%s must not be negative but is %s".formatted(option, value));
		}
	}

	private LockOptions with(String option, Object value) {
		Assert.notNull(value, () -> option + " must not be null");
		Map<String, Object> changed = new HashMap<>(this.values);
		changed.put(option, value);
		return new LockOptions(changed);
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return this == other || (other instanceof LockOptions that && this.values.equals(that.values));
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
		Map<String, Object> shown = new TreeMap<>(this.values);
		shown.remove("owner");
		shown.replaceAll((option, value) -> (value instanceof Duration time) ? Durations.describe(time) : value);
		return "LockOptions" + shown;
	}

}
