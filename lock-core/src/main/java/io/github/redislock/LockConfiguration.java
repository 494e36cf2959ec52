package io.github.redislock;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

import org.springframework.core.task.TaskDecorator;
import org.springframework.util.Assert;

/**
 * The configuration of a template, which applies to all of its locks. Immutable; a method
 * that sets a value returns a changed copy.
 */
public final class LockConfiguration {

	private static final int MAX_INSTANCE_LENGTH = 128;

	private static final int MOST_KEYS = 1_000;

	private static final Duration MAX_SLICE = Duration.ofHours(1);

	private static final Duration LONGEST_CLOSE_WAIT = Duration.ofHours(1);

	private static final LockConfiguration DEFAULTS = new LockConfiguration(
			Map.of("options", LockOptions.defaults(), "instance", "pid-" + ProcessHandle.current().pid(), "slice",
					Duration.ofMillis(20), "warnAfter", Duration.ofMinutes(1), "closeWait", Duration.ofMillis(500),
					"maxKeys", 64, "listeners", List.of(), "commitGuard", true));

	/** By the name of the method that sets them. */
	private final Map<String, Object> values;

	private LockConfiguration(Map<String, Object> values) {
		this.values = values;
	}

	/**
	 * Return the default configuration of a template.
	 * @return a configuration with the built-in defaults
	 */
	public static LockConfiguration defaults() {
		return DEFAULTS;
	}

	/**
	 * Set the options that apply if a caller does not set them. The default waiting time
	 * does not apply to {@code tryAcquire} and {@code tryExecute}.
	 * @param options the default options. They must not have an owner token, because all
	 * callers would share it, nor a fence
	 * @return the changed configuration
	 */
	public LockConfiguration options(LockOptions options) {
		Assert.notNull(options, "default options must not be null");
		if (options.get("owner", String.class) != null) {
			throw new IllegalArgumentException(
					"default options must not have an owner: all callers would share it, and exclude no other caller");
		}
		if (options.get("fence", LockFence.class) != null) {
			throw new IllegalArgumentException(
					"default options must not have a fence: asynchronous and shared locks cannot have one");
		}
		LockOptions all = options.orElse(LockOptions.defaults());
		Duration renewEvery = options.get("renewEvery", Duration.class);
		if (renewEvery != null && Boolean.TRUE.equals(all.get("autoRenew", Boolean.class))) {
			Objects.requireNonNull(all.get("timeout", LeaseLength.class))
				.atMost(all.get("maxHold", Duration.class))
				.requireTimeToRenew("A lock", renewEvery);
		}
		return with("options", options);
	}

	/**
	 * Set the name that identifies this instance to others. Default: {@code pid-} and the
	 * process id.
	 * @param instance up to 128 characters; must not be blank, begin with {@code "shared
	 * "}, end with {@code "…"}, or contain control characters, line separators, or half
	 * of a surrogate pair
	 * @return the changed configuration
	 */
	public LockConfiguration instance(String instance) {
		OwnerTokens.requireUsable("instance", instance, MAX_INSTANCE_LENGTH);
		return with("instance", instance);
	}

	/**
	 * Set how much longer than its lease the store keeps a lock that was not released.
	 * <p>
	 * The grace period covers forward jumps of the store's wall clock up to its own
	 * length. Default: 5 % of the lease, at least 100 ms.
	 * @param grace zero to 3650 days, or {@code null} for the default
	 * @return the changed configuration
	 */
	public LockConfiguration grace(@Nullable Duration grace) {
		if (grace != null) {
			Durations.requireBetween("grace", grace, Duration.ZERO, LeaseLength.LONGEST);
		}
		return (grace != null) ? with("grace", grace) : changed((values) -> values.remove("grace"));
	}

	/**
	 * Set how long a lock may pass from caller to caller within this process, at most 32
	 * times, before other processes get their turn. Default: 20 ms.
	 * @param slice zero to 1 h; with zero, each caller requests the lock from the store
	 * @return the changed configuration
	 */
	public LockConfiguration slice(Duration slice) {
		Durations.requireBetween("slice", slice, Duration.ZERO, MAX_SLICE);
		return with("slice", slice);
	}

	/**
	 * Set how long a lock may be held before a warning is logged, once. If known, the
	 * warning shows what the lock's thread is doing. Default: 1 min.
	 * @param warnAfter not negative; zero disables the warning
	 * @return the changed configuration
	 */
	public LockConfiguration warnAfter(Duration warnAfter) {
		Durations.requireAtLeast("warnAfter", warnAfter, Duration.ZERO);
		return with("warnAfter", warnAfter);
	}

	/**
	 * Set how long closing the template waits for callers that still hold a lock.
	 * Default: 500 ms. With Spring Boot, the default is the time that one phase of the
	 * shutdown may take.
	 * <p>
	 * Waiting callers fail at once. After the given time the remaining locks are
	 * released, and count as lost for their holders. Locks of the closing thread and of
	 * threads that have ended are released without waiting.
	 * @param closeWait zero to 1 h; with zero, closing does not wait
	 * @return the changed configuration
	 */
	public LockConfiguration closeWait(Duration closeWait) {
		Durations.requireBetween("closeWait", closeWait, Duration.ZERO, LONGEST_CLOSE_WAIT);
		return with("closeWait", closeWait);
	}

	/**
	 * Set how many locks may be acquired together. Default: 64.
	 * <p>
	 * Redis may check all of them in one step, during which it serves no other request.
	 * @param maxKeys 1 to 1 000
	 * @return the changed configuration
	 * @see LockTarget#allOf(LockTarget...)
	 */
	public LockConfiguration maxKeys(int maxKeys) {
		if (maxKeys < 1 || maxKeys > MOST_KEYS) {
			throw new IllegalArgumentException("maxKeys must be 1 to %s but is %s".formatted(MOST_KEYS, maxKeys));
		}
		return with("maxKeys", maxKeys);
	}

	/**
	 * Set the clock and scheduler. Default: {@link LockTimer#system()}.
	 * @param timer closed by its owner, not by the template
	 * @return the changed configuration
	 */
	public LockConfiguration timer(LockTimer timer) {
		return with("timer", timer);
	}

	/**
	 * Set the listeners for lock events.
	 * @param listeners called in this order
	 * @return the changed configuration
	 */
	public LockConfiguration listeners(Collection<? extends LockListener> listeners) {
		Assert.notNull(listeners, "listeners must not be null");
		Assert.noNullElements(listeners, "listeners must not contain null");
		return with("listeners", List.copyOf(listeners));
	}

	/**
	 * Add a listener for lock events.
	 * @param listener called after the listeners that were added before
	 * @return the changed configuration
	 */
	public LockConfiguration listener(LockListener listener) {
		return listeners(Stream.concat(listeners().stream(), Stream.of(listener)).toList());
	}

	/**
	 * Set whether a transaction is rolled back if a lock that was acquired inside it is
	 * lost before the commit, unless the loss is ignored. Default: {@code true}.
	 * <p>
	 * A blocking caller of a {@code RedisLockTemplate} keeps its lock until its Spring
	 * transaction has ended, in either case.
	 * @param commitGuard {@code false} to commit even after a loss
	 * @return the changed configuration
	 */
	public LockConfiguration commitGuard(boolean commitGuard) {
		return with("commitGuard", commitGuard);
	}

	/**
	 * Set the executor that completes futures and begins asynchronous work.
	 * <p>
	 * Default: a virtual thread for each task on JDK 21 and later, and an unbounded
	 * thread pool on earlier versions. A bounded executor may deadlock if all of its
	 * threads wait for a lock while the work of the lock's holder waits in its queue.
	 * @param executor closed by its owner, not by the template
	 * @return the changed configuration
	 * @see AsyncLockOperations
	 */
	public LockConfiguration executor(Executor executor) {
		return with("executor", executor);
	}

	/**
	 * Set a decorator that passes the context of the caller's thread, such as security,
	 * tracing or logging data, to the thread of asynchronous work. Default: none. The
	 * context class loader is always passed.
	 * @param decorator called on the caller's thread when it requests the lock
	 * @return the changed configuration
	 */
	public LockConfiguration taskDecorator(TaskDecorator decorator) {
		return with("taskDecorator", decorator);
	}

	/**
	 * Return a value that was set, or its default. For templates and tests.
	 * @param <T> the type of the value
	 * @param setting the name of the method that sets it
	 * @param type the type of the value
	 * @return {@code null} if there is no value
	 */
	public <T> @Nullable T get(String setting, Class<T> type) {
		Assert.notNull(setting, "setting must not be null");
		Assert.notNull(type, "type must not be null");
		return type.cast(this.values.get(setting));
	}

	/**
	 * Return the listeners for lock events.
	 * @return the listeners in the order in which they are called
	 */
	@SuppressWarnings("unchecked")
	public List<LockListener> listeners() {
		return (List<LockListener>) Objects.requireNonNull(this.values.get("listeners"));
	}

	private LockConfiguration with(String setting, Object value) {
		Assert.notNull(value, () -> setting + " must not be null");
		return changed((values) -> values.put(setting, value));
	}

	private LockConfiguration changed(Consumer<Map<String, Object>> change) {
		Map<String, Object> changed = new HashMap<>(this.values);
		change.accept(changed);
		return new LockConfiguration(changed);
	}

}
