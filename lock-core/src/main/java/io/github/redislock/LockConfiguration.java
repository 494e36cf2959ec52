package io.github.redislock;

import java.time.Duration;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * How a template works, whatever lock it takes. Immutable; every method returns a changed
 * copy.
 */
public final class LockConfiguration {

	private static final int MAX_INSTANCE_LENGTH = 128;

	private static final int MAX_PASSES = 10_000;

	private static final Duration MAX_SLICE = Duration.ofHours(1);

	private final LockOptions options;

	private final String instance;

	private final PassLimits passLimits;

	private final @Nullable Duration grace;

	private final @Nullable LockTimer timer;

	private final List<LockListener> listeners;

	private LockConfiguration(LockOptions options, String instance, PassLimits passLimits, @Nullable Duration grace,
			@Nullable LockTimer timer, List<LockListener> listeners) {
		this.options = options;
		this.instance = instance;
		this.passLimits = passLimits;
		this.grace = grace;
		this.timer = timer;
		this.listeners = listeners;
	}

	/**
	 * Return the configuration of a template about which nothing was said.
	 * @return built-in options, the process id as instance, the system's clocks
	 */
	public static LockConfiguration defaults() {
		return new LockConfiguration(LockOptions.builtIn(), "pid-" + ProcessHandle.current().pid(), PassLimits.DEFAULT,
				null, null, List.of());
	}

	/**
	 * Set the options that apply where a caller leaves some open.
	 * @param options the default options; no owner token, which belongs to one lock
	 * @return changed configuration
	 */
	public LockConfiguration options(LockOptions options) {
		if (((OptionSet) options).hasOwner()) {
			throw new IllegalArgumentException(
					"default options must not have an owner:" + " all callers would share it and exclude nobody");
		}
		return new LockConfiguration(options, this.instance, this.passLimits, this.grace, this.timer, this.listeners);
	}

	/**
	 * Set by which name other instances see who holds a lock. Default: the process id.
	 * @param instance up to 128 characters, not blank, no control characters
	 * @return changed configuration
	 */
	public LockConfiguration instance(String instance) {
		if (instance.isBlank() || instance.length() > MAX_INSTANCE_LENGTH
				|| instance.chars().anyMatch(Character::isISOControl)) {
			throw new IllegalArgumentException(
					"instance must have 1 to %d characters, not be blank and have no control characters"
						.formatted(MAX_INSTANCE_LENGTH));
		}
		return new LockConfiguration(this.options, instance, this.passLimits, this.grace, this.timer, this.listeners);
	}

	/**
	 * Set how much longer than the lease the store keeps a lock that was not released.
	 * <p>
	 * Guards against steps of the store's wall clock. Default: 5 % of the lease, at least
	 * 100 ms.
	 * @param grace not negative, or {@code null} for the default
	 * @return changed configuration
	 */
	public LockConfiguration grace(@Nullable Duration grace) {
		if (grace != null) {
			Durations.requireAtLeast("grace", grace, Duration.ZERO);
			Durations.requireAtMost("grace", grace, Lease.LONGEST);
		}
		return new LockConfiguration(this.options, this.instance, this.passLimits, grace, this.timer, this.listeners);
	}

	/**
	 * Set how often a lock may pass from caller to caller within this process, without a
	 * request to the store, before other processes have their turn. Default: 32.
	 * @param maxPasses 0 to 10 000; 0 asks the store each time
	 * @return changed configuration
	 */
	public LockConfiguration maxPasses(int maxPasses) {
		if (maxPasses < 0 || maxPasses > MAX_PASSES) {
			throw new IllegalArgumentException("passes must be 0 to %d but are %d".formatted(MAX_PASSES, maxPasses));
		}
		return new LockConfiguration(this.options, this.instance, new PassLimits(maxPasses, this.passLimits.slice()),
				this.grace, this.timer, this.listeners);
	}

	/**
	 * Set for how long a lock may pass from caller to caller within this process before
	 * other processes have their turn. Default: 20 ms.
	 * @param slice not negative, at most 1 h; zero asks the store each time
	 * @return changed configuration
	 */
	public LockConfiguration slice(Duration slice) {
		Durations.requireAtLeast("slice", slice, Duration.ZERO);
		Durations.requireAtMost("slice", slice, MAX_SLICE);
		return new LockConfiguration(this.options, this.instance, new PassLimits(this.passLimits.passes(), slice),
				this.grace, this.timer, this.listeners);
	}

	/**
	 * Set the clock and scheduler. Default: {@link LockTimer#system()}.
	 * @param timer closed by its owner, not by the template
	 * @return changed configuration
	 */
	public LockConfiguration timer(LockTimer timer) {
		return new LockConfiguration(this.options, this.instance, this.passLimits, this.grace, timer, this.listeners);
	}

	/**
	 * Set who hears what happens to the locks.
	 * @param listeners called in this order
	 * @return changed configuration
	 */
	public LockConfiguration listeners(Collection<? extends LockListener> listeners) {
		return new LockConfiguration(this.options, this.instance, this.passLimits, this.grace, this.timer,
				List.copyOf(listeners));
	}

	LockOptions options() {
		return this.options;
	}

	String instance() {
		return this.instance;
	}

	PassLimits passLimits() {
		return this.passLimits;
	}

	@Nullable Duration grace() {
		return this.grace;
	}

	@Nullable LockTimer timer() {
		return this.timer;
	}

	List<LockListener> listeners() {
		return this.listeners;
	}

}
