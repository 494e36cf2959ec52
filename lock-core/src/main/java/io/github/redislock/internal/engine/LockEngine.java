package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.store.LockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The engine behind the blocking, asynchronous and reactive operations. It acquires,
 * renews and releases locks without blocking a thread. Thread-safe.
 */
final class LockEngine {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	/** The number of cached options above which the cache is cleared. */
	private static final int MOST_SETTINGS = 256;

	/**
	 * The longest pause before a held lock is checked after an interruption, so that not
	 * all processes do so at the same moment.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofMillis(100);

	private static final Duration LONGEST_SETTLING = Duration.ofSeconds(2);

	private static final LockOptions NOT_WAITING = LockOptions.options().retry(0);

	private final LockOptions defaults;

	private final @Nullable Duration grace;

	private final Duration warnAfter;

	private final int maxKeys;

	private final OwnerTokens tokens;

	private final Map<LockOptions, KnownSettings> settings = new ConcurrentHashMap<>();

	private final JumpDetectingTimer timer;

	private final SystemResources resources;

	private final IsolatedListener listener;

	/**
	 * Cancels work after a loss, and searches for deadlocks. Separate from users'
	 * callbacks, because those may take long.
	 */
	private final CallbackThreads cancels;

	private final EngineStore store;

	private final StoreMessages messages;

	private final Renewer renewer;

	private final OpenLocks open;

	private final DeadlockDetector deadlocks;

	private final Reentrance reentrance;

	private final Shutdown shutdown;

	LockEngine(LockStore store, LockConfiguration configuration) {
		this(store, configuration, SystemResources.system());
	}

	LockEngine(LockStore store, LockConfiguration configuration, SystemResources resources) {
		Assert.notNull(store, "store must not be null");
		Assert.notNull(configuration, "configuration must not be null");
		this.resources = resources;
		this.cancels = new CallbackThreads(resources.actions().apply("redis-lock-cancels-"));
		this.defaults = required(configuration, "options", LockOptions.class);
		this.grace = configuration.get("grace", Duration.class);
		this.warnAfter = required(configuration, "warnAfter", Duration.class);
		this.maxKeys = required(configuration, "maxKeys", Integer.class);
		this.listener = new IsolatedListener(configuration.listeners());
		this.tokens = new OwnerTokens(required(configuration, "instance", String.class), resources.secrets(),
				resources.nanoTime());
		LockTimer given = configuration.get("timer", LockTimer.class);
		this.timer = new JumpDetectingTimer((given != null) ? given : LockTimer.system());
		this.store = new EngineStore(store, this.grace, this.timer);
		this.renewer = new Renewer(this.timer, this.store);
		this.timer.onJump(() -> this.renewer.forEach(Renewer.Wakeable::schedule));
		Jitter jitter = new Jitter(resources.random());
		this.messages = new StoreMessages(this::takenByForce,
				() -> this.renewer.forEach((lease) -> lease.checkIn(jitter.between(Duration.ZERO, LONGEST_PAUSE))),
				this::settle);
		CallbackThreads callbacks = new CallbackThreads(resources.actions().apply("redis-lock-callbacks-"));
		this.open = new OpenLocks(new EngineParts(this.store, this.timer, jitter, this.messages, this.renewer,
				this.tokens, required(configuration, "slice", Duration.class)), callbacks);
		this.reentrance = new Reentrance(this.open);
		this.deadlocks = new DeadlockDetector(this.timer, this.cancels);
		this.shutdown = new Shutdown(required(configuration, "closeWait", Duration.class), resources, this.open,
				this.store, this.renewer, (given != null) ? null : this.timer, List.of(callbacks, this.cancels));
		this.store.listen(this.messages);
	}

	SystemResources.Waiting callersWait() {
		return this.resources.waiting();
	}

	Executor cancels() {
		return this.cancels;
	}

	Reentrance reentrance() {
		return this.reentrance;
	}

	AcquireSettings settings(LockTarget target, LockOptions options) {
		return known(target, options).toAcquire;
	}

	/**
	 * Return the settings for {@code tryAcquire} and {@code tryExecute}, to which the
	 * default waiting time does not apply.
	 */
	AcquireSettings settingsToTry(LockTarget target, LockOptions options) {
		return known(target, options).toTry;
	}

	private static <T> T required(LockConfiguration configuration, String setting, Class<T> type) {
		return Objects.requireNonNull(configuration.get(setting, type));
	}

	/**
	 * Return the settings for the given options from the cache, or compute them. Settings
	 * with an owner token are not cached, because there may be any number of tokens.
	 */
	private KnownSettings known(LockTarget target, LockOptions options) {
		Assert.notNull(target, "lock target must not be null");
		Assert.notNull(options, "lock options must not be null");
		KnownSettings known = this.settings.get(options);
		if (known != null) {
			return known;
		}
		LockOptions defaults = this.defaults;
		AcquireSettings toAcquire = AcquireSettings.of(options, defaults, this.grace)
			.requireTimeToRenew(options, "Lock '%s'".formatted(target));
		known = new KnownSettings(toAcquire, AcquireSettings.of(options.orElse(NOT_WAITING), defaults, this.grace));
		if (toAcquire.owner() == null) {
			if (this.settings.size() >= MOST_SETTINGS) {
				this.settings.clear();
			}
			this.settings.put(options, known);
		}
		return known;
	}

	/**
	 * Begin to acquire a lock.
	 * @param thread the caller's thread, or {@code null} for asynchronous work
	 * @param handles creates the caller's handle
	 * @throws IllegalArgumentException if there are too many locks, the store does not
	 * support the target, or a shared lock would never expire
	 */
	<H> Acquisition<H> acquire(LockTarget target, AcquireSettings settings, @Nullable Thread thread,
			BiFunction<Hold, AcquireSettings, H> handles) {
		HoldMonitor monitor = new HoldMonitor(thread, Objects.requireNonNullElse(settings.warnAfter(), this.warnAfter));
		if (target.isShared() || target.isSeveral()) {
			requirePossible(target, settings);
		}
		LocalQueue queue = this.open.use(target, settings);
		List<Hold> holds = Reentrance.holds(monitor);
		HoldingWait holding = (queue == null || holds.isEmpty()) ? null
				: new HoldingWait(this.timer, monitor, holds, queue::behind);
		Acquisition<H> acquisition = new Acquisition<>(this.open, this.timer, target, settings, monitor,
				this.listener.acquiring(target), handles, holding);
		if (queue == null) {
			this.open.refuse(acquisition);
			return acquisition;
		}
		this.open.waits(acquisition, queue);
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' requested: lease %s, waiting up to %s".formatted(target, settings.lease(),
					Durations.describe(settings.waitTime())));
		}
		if (this.shutdown.isClosed()) {
			acquisition.cancel(new LockShutdownException(target));
		}
		else {
			queue.run((state) -> state.enter(acquisition));
			if (holding != null) {
				this.deadlocks.watch(holding, acquisition.outcome());
			}
		}
		return acquisition;
	}

	boolean isIdle() {
		return this.open.isEmpty() && this.messages.isEmpty() && this.renewer.isEmpty()
				&& this.store.settled().isDone();
	}

	void close() {
		this.shutdown.close();
	}

	void suspend() {
		this.shutdown.suspend();
	}

	/**
	 * Resume after a restore, perhaps as one of several copies. Has no effect unless the
	 * engine is suspended.
	 */
	void resume() {
		if (this.shutdown.resume()) {
			this.tokens.renewInstance();
			this.store.listen(this.messages);
		}
	}

	/**
	 * Return the state of a lock, with the current fencing token if this engine holds it.
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return this.store.inspect(target).thenApply((known) -> known.map(this.open::refine));
	}

	CompletionStage<Boolean> forceRelease(LockTarget target) {
		return this.store.forceRelease(target, null);
	}

	CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		if (seen == null || seen.owner() == null) {
			throw new IllegalArgumentException(
					"The state of lock '%s' has no owner token, perhaps because it is from an exception: use 'inspect'"
						.formatted(target));
		}
		return this.store.forceRelease(target, seen);
	}

	/**
	 * Wait until the queues of waiting callers have processed what they received so far.
	 * The wait is limited, because the call may come from one of their own steps.
	 */
	private void settle() {
		try {
			// The first wait may end before a reply, which is then the next step.
			this.resources.waiting()
				.await(this.open.settled().thenCompose((first) -> this.open.settled()), LONGEST_SETTLING);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private void takenByForce(String lockName) {
		this.open.takenByForce(lockName);
	}

	LocalLocks local() {
		return this.open.describe(this.tokens.instance(), this.store.trouble());
	}

	private void requirePossible(LockTarget target, AcquireSettings settings) {
		int count = target.names().size();
		if (count > this.maxKeys) {
			throw new IllegalArgumentException(
					"Target '%s' has %s locks, but at most %s can be acquired together (LockConfiguration.maxKeys)"
						.formatted(target, count, this.maxKeys));
		}
		this.store.requireSupported(target);
		if (target.isShared() && settings.fence() != null) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared and cannot have a fence, which would refuse all holders but the newest"
						.formatted(target));
		}
		if (target.isShared() && settings.lease().duration() == null) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared and needs a lease: neverExpires() is for exclusive locks".formatted(target));
		}
	}

	/**
	 * The settings computed from the options of a caller.
	 *
	 * @param toTry the settings for {@code tryAcquire} and {@code tryExecute}
	 */
	private record KnownSettings(AcquireSettings toAcquire, AcquireSettings toTry) {
	}

}
