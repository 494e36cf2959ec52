package io.github.redislock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.CallersLock;
import io.github.redislock.HeldLock;
import io.github.redislock.LocalLocks;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.ThreadLocks;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.internal.support.LeaseLength;
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

	private static final String NO_TARGET = "lock target must not be null: name the lock to acquire";

	/** The maximum number of cached options. */
	private static final int MOST_SETTINGS = 256;

	/** The maximum number of lock names in one log line. */
	private static final int MOST_NAMES = 10;

	private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

	/** How often closing checks whether a holder's thread has ended without a release. */
	private static final Duration LOOK_AT_HOLDERS = Duration.ofMillis(500);

	/**
	 * How long closing waits for loss actions, and again after it has interrupted them.
	 */
	private static final Duration ACTIONS_LIMIT = Duration.ofSeconds(1);

	private final LockOptions defaults;

	private final Duration closeWait;

	private final Duration warnAfter;

	private final int maxKeys;

	private final OwnerTokens tokens;

	private final Map<LockOptions, AcquireSettings> settings = new ConcurrentHashMap<>();

	private final Map<LockOptions, AcquireSettings> settingsToTry = new ConcurrentHashMap<>();

	private final CallSites callSites = new CallSites();

	private final boolean ownsTimer;

	private final WatchedTimer timer;

	private final Machine machine;

	private final LockListener listener;

	private final CallbackThreads callbacks;

	/** Separate from users' callbacks, because those may take long. */
	private final CallbackThreads cancels;

	private final EngineStore store;

	private final HandOverDispatcher dispatcher;

	private final Renewer renewer;

	private final LocalQueues queues;

	private final OpenLocks open;

	private final DeadlockDetector deadlocks;

	private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

	LockEngine(LockStore store, LockConfiguration configuration) {
		this(store, configuration, Machine.system());
	}

	LockEngine(LockStore store, LockConfiguration configuration, Machine machine) {
		this.machine = machine;
		this.callbacks = machine.actions().apply("redis-lock-callbacks-");
		this.cancels = machine.actions().apply("redis-lock-cancels-");
		this.defaults = configuration.options();
		this.closeWait = configuration.closeWait();
		this.warnAfter = configuration.warnAfter();
		this.maxKeys = configuration.maxKeys();
		this.listener = IsolatedListener.of(configuration.listeners());
		this.tokens = new OwnerTokens(configuration.instance(), machine.secrets());
		LockTimer given = configuration.timer();
		this.ownsTimer = given == null;
		this.timer = new WatchedTimer((given != null) ? given : LockTimer.system());
		this.store = new EngineStore(store, configuration.grace(), this.timer);
		this.renewer = new Renewer(this.timer, this.store);
		this.timer.onJump(this.renewer::lookAtAll);
		this.dispatcher = new HandOverDispatcher(usualGrace(configuration), this::takenByForce, this::told);
		this.queues = new LocalQueues(new LockRequests(this.store, this.timer, new Jitter(machine.random()),
				this.dispatcher, this.renewer, this.tokens, configuration.passLimits()));
		this.open = new OpenLocks(this.queues, this.callbacks);
		this.deadlocks = new DeadlockDetector(this.open, this.timer, this.store, this.tokens);
		this.store.listen(this.dispatcher);
	}

	/**
	 * Return the object that lets a caller's thread wait.
	 */
	Machine.Waiting callersWait() {
		return this.machine.waiting();
	}

	/**
	 * Return the executor that cancels work whose lock is lost.
	 */
	Executor cancels() {
		return this.cancels;
	}

	/**
	 * Return the settings for the given options, completed with the defaults.
	 */
	AcquireSettings settings(LockTarget target, LockOptions options) {
		AcquireSettings known = this.settings.get(options);
		return (known != null) ? known : kept(this.settings, target, options, options);
	}

	/**
	 * Return the settings for {@code tryAcquire} and {@code tryExecute}, to which the
	 * default waiting time does not apply.
	 */
	AcquireSettings settingsToTry(LockTarget target, LockOptions options) {
		AcquireSettings known = this.settingsToTry.get(options);
		return (known != null) ? known : kept(this.settingsToTry, target, options, AcquireSettings.toTry(options));
	}

	/**
	 * Compute the settings and cache them, because a program usually has few different
	 * options.
	 */
	private AcquireSettings kept(Map<LockOptions, AcquireSettings> known, LockTarget target, LockOptions options,
			LockOptions meant) {
		AcquireSettings settings = AcquireSettings.of(meant, this.defaults)
			.requireTimeToRenew(options, "Lock '%s'".formatted(target));
		if (settings.owner() == null) {
			if (known.size() >= MOST_SETTINGS) {
				known.clear();
			}
			known.put(options, settings);
		}
		return settings;
	}

	/**
	 * Re-enter a lock that the current thread already holds, or under which its work
	 * runs.
	 * @param handles creates the caller's handle
	 * @return {@code null} if the thread holds no lock that may be re-entered
	 * @throws IllegalStateException if the thread shares the lock and requests it
	 * exclusively or as the only permit, because it would wait for itself
	 */
	<H> @Nullable H enterAgain(LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles) {
		Assert.notNull(target, NO_TARGET);
		if (taken(target, (own) -> true) == null) {
			return null;
		}
		Hold hold = settings.reentrant() ? taken(target, (own) -> own.covers(target)) : null;
		H entered = (hold != null) ? enterAgain(hold, target, settings, handles) : null;
		if (hold == null || entered == null) {
			requireNotShared(target);
			return null;
		}
		// The work may now run on a thread other than the one that acquired the lock.
		hold.monitor().usedBy(Thread.currentThread());
		return entered;
	}

	/**
	 * Re-enter a lock under which the current thread's work runs, for asynchronous work.
	 * @param handles creates the caller's handle
	 * @return {@code null} if there is no lock that may be re-entered
	 */
	<H> @Nullable H enterAgainForWork(LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles) {
		Assert.notNull(target, NO_TARGET);
		Hold hold = settings.reentrant() ? ofWork((own) -> own.covers(target)) : null;
		H entered = (hold != null) ? enterAgain(hold, target, settings, handles) : null;
		if (hold != null && entered != null) {
			hold.monitor().usedByWork();
		}
		return entered;
	}

	private static <H> @Nullable H enterAgain(Hold hold, LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles) {
		boolean allowed = hold.lease().settings().reentrant()
				&& (settings.owner() == null || settings.owner().equals(hold.owner()));
		return allowed ? hold.enterAgain(target, (own) -> handles.apply(own, settings)) : null;
	}

	/**
	 * Return the innermost matching hold of this engine under which the current thread's
	 * work runs.
	 */
	private @Nullable Hold ofWork(Predicate<Hold> fitting) {
		for (LockHandle handle : ThreadLocks.ofWork()) {
			Hold hold = hold(handle);
			if (hold != null && this.open.isOpen(hold) && fitting.test(hold)) {
				return hold;
			}
		}
		return null;
	}

	/**
	 * Return the latest matching hold of this engine that the current thread acquired and
	 * that has a name in common with a target.
	 */
	private @Nullable Hold taken(LockTarget target, Predicate<Hold> fitting) {
		CallersLock lock = ThreadLocks.find(target, (own) -> {
			Hold hold = hold(own);
			return hold != null && this.open.isOpen(hold) && fitting.test(hold);
		});
		return (lock != null) ? hold(lock) : null;
	}

	private static @Nullable Hold hold(HeldLock lock) {
		return (lock instanceof HoldHandle given) ? given.hold() : null;
	}

	/**
	 * Return the re-entrant lock of the current thread that overlaps with the wanted
	 * locks without covering them.
	 */
	@Nullable LockTarget heldInPart(LockTarget target) {
		Hold own = taken(target, (hold) -> isInTheWay(hold, target));
		return (own != null) ? own.target() : null;
	}

	/**
	 * Return the re-entrant lock of the current thread's work that overlaps with the
	 * wanted locks without covering them.
	 */
	@Nullable LockTarget heldByWork(LockTarget target) {
		Assert.notNull(target, NO_TARGET);
		Hold ofWork = ofWork((hold) -> isInTheWay(hold, target));
		return (ofWork != null) ? ofWork.target() : null;
	}

	/**
	 * Fail if the current thread shares a lock and requests it exclusively or as the only
	 * permit, because it would wait for itself.
	 * @throws IllegalStateException with a message that says what to do instead
	 */
	private void requireNotShared(LockTarget target) {
		LockTarget own = heldInPart(target);
		if (own != null && own.isShared() && !mayBeBeside(target)) {
			throw new IllegalStateException(
					("Lock '%s' not acquired: this thread itself holds '%s' and would wait for itself. Release that"
							+ " lock first, or acquire this one for writing from the beginning and downgrade it")
						.formatted(target, own));
		}
	}

	/**
	 * Begin to acquire a lock for the current thread.
	 * @param leaves whether the acquiring call may return before the release, so that the
	 * call site has to be recorded
	 * @param handles creates the caller's handle
	 * @throws IllegalArgumentException if there are too many locks
	 */
	<H> Acquisition<H> acquire(LockTarget target, AcquireSettings settings, boolean leaves,
			BiFunction<Hold, AcquireSettings, H> handles) {
		return acquire(target, settings, monitor(Thread.currentThread(), settings, leaves), handles);
	}

	/**
	 * Begin to acquire a lock for asynchronous work.
	 * @param handles creates the caller's handle
	 * @throws IllegalArgumentException if there are too many locks
	 */
	<H> Acquisition<H> acquireForWork(LockTarget target, AcquireSettings settings,
			BiFunction<Hold, AcquireSettings, H> handles) {
		return acquire(target, settings, monitor(null, settings, true), handles);
	}

	private HoldMonitor monitor(@Nullable Thread thread, AcquireSettings settings, boolean leaves) {
		Duration own = settings.warnAfter();
		Duration warnAfter = (own != null) ? own : this.warnAfter;
		List<StackTraceElement> place = (!leaves || warnAfter.isZero()) ? List.of() : this.callSites.here();
		return new HoldMonitor(thread, place, warnAfter);
	}

	/**
	 * Return the holds of a caller on the current thread: those that the thread acquired,
	 * and those under which its work runs. For asynchronous work the thread's own holds
	 * do not count, because the thread may release them while the work waits.
	 * @param caller the caller's monitor
	 */
	private static List<Hold> holds(HoldMonitor caller) {
		return ThreadLocks.isEmpty() ? List.of()
				: Stream.concat(ThreadLocks.taken().stream(), ThreadLocks.ofWork().stream())
					.map(LockEngine::hold)
					.filter((hold) -> hold != null && hold.monitor().isUsedOnlyWith(caller))
					.toList();
	}

	private <H> Acquisition<H> acquire(LockTarget target, AcquireSettings settings, HoldMonitor monitor,
			BiFunction<Hold, AcquireSettings, H> handles) {
		if (target.isShared() || target.isSeveral()) {
			requirePossible(target, settings);
		}
		LocalQueue queue = this.queues.use(target, settings);
		List<Hold> holds = holds(monitor);
		HoldingWait holding = holds.isEmpty() ? null : new HoldingWait(this.timer, monitor, holds, queue::behind);
		Acquisition<H> acquisition = new Acquisition<>(this.open, this.timer, target, settings, monitor,
				listener(target), handles, holding);
		this.open.waits(acquisition, queue);
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' requested: lease %s, waiting up to %s".formatted(target, settings.lease(),
					Durations.describe(settings.waitTime())));
		}
		if (isClosed()) {
			acquisition.cancel(new LockShutdownException(target));
		}
		else {
			queue.enter(acquisition);
			if (holding != null && !acquisition.isEnded()) {
				this.deadlocks.watch();
			}
		}
		return acquisition;
	}

	/**
	 * Return the number of waiting callers.
	 */
	int waiting() {
		return this.open.waiting();
	}

	/**
	 * Return whether no lock is held or waited for, and no clean-up is pending.
	 */
	boolean isIdle() {
		return this.open.isEmpty() && this.queues.isEmpty() && this.dispatcher.isEmpty() && this.renewer.isEmpty()
				&& this.store.settled().isDone();
	}

	/**
	 * End all waits, wait a while for holders, release all locks, wait a while for the
	 * background clean-up, and close the store.
	 */
	void close() {
		if (this.state.getAndSet(State.CLOSED) == State.CLOSED) {
			return;
		}
		List<CompletableFuture<Void>> left = this.open.close();
		boolean interrupted = !awaitHolders() | Thread.interrupted();
		List<CompletableFuture<ReleaseOutcome>> releases = this.open.holds().map(Hold::releaseAtShutdown).toList();
		CompletableFuture<Void> settled = allOf(releases).thenCompose((released) -> allOf(left))
			.thenCompose((withdrawn) -> this.store.settled());
		interrupted |= !await(settled, CLOSE_LIMIT);
		if (!settled.isDone() && releases.isEmpty()) {
			logger.warn("Some waiting callers could not be withdrawn at shutdown: a lock that is still granted to"
					+ " one of them expires when its lease is over");
		}
		else if (!settled.isDone()) {
			logger.warn(("Some of %d locks could not be released at shutdown: they expire when their leases are over")
				.formatted(releases.size()));
		}
		interrupted |= !endActions();
		this.renewer.close();
		if (this.ownsTimer) {
			this.timer.close();
		}
		this.store.close();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Close all connections before a checkpoint of this process.
	 * @throws IllegalStateException if a lock is held or waited for, because each
	 * restored copy of the process would have it
	 */
	void suspend() {
		if (isClosed()) {
			return;
		}
		List<LockTarget> inUse = this.open.targets();
		if (!inUse.isEmpty()) {
			throw new IllegalStateException(
					"This process cannot be checkpointed while it holds or waits for locks: %s".formatted(inUse));
		}
		await(this.store.settled(), CLOSE_LIMIT);
		if (this.state.compareAndSet(State.OPEN, State.SUSPENDED)) {
			this.store.close();
		}
	}

	/**
	 * Resume after a restore, perhaps as one of several copies. Has no effect if the
	 * suspension was refused, because nothing was closed in that case.
	 */
	void resume() {
		if (this.state.compareAndSet(State.SUSPENDED, State.OPEN)) {
			this.tokens.renewInstance();
			this.store.listen(this.dispatcher);
		}
	}

	private boolean isClosed() {
		return this.state.get() == State.CLOSED;
	}

	/**
	 * Wait for holders, except for the closing thread and for leaked locks.
	 * @return {@code false} if interrupted
	 */
	private boolean awaitHolders() {
		Thread closing = Thread.currentThread();
		List<Hold> others = this.open.holds().filter((hold) -> hold.monitor().mayBeReleased(closing)).toList();
		if (others.isEmpty() || this.closeWait.isZero()) {
			return true;
		}
		logger.info("Waiting up to %s for the holders of %d locks: %s%s".formatted(Durations.describe(this.closeWait),
				others.size(),
				others.stream()
					.limit(MOST_NAMES)
					.map((hold) -> hold.target().toString())
					.collect(Collectors.joining(", ")),
				(others.size() > MOST_NAMES) ? ", …" : ""));
		Map<Hold, CompletableFuture<?>> ends = others.stream()
			.collect(Collectors.toMap(Function.identity(), LockEngine::nothingLeft));
		long end = this.machine.nanoTime().getAsLong() + Durations.nanos(this.closeWait);
		while (true) {
			List<CompletableFuture<?>> open = ends.keySet()
				.stream()
				.filter((hold) -> hold.monitor().mayBeReleased(closing))
				.<CompletableFuture<?>>map(ends::get)
				.filter((ended) -> !ended.isDone())
				.toList();
			Duration left = Duration.ofNanos(end - this.machine.nanoTime().getAsLong());
			if (open.isEmpty() || left.isNegative()) {
				return true;
			}
			if (!await(allOf(open), Durations.min(left, LOOK_AT_HOLDERS))) {
				return false;
			}
		}
	}

	/**
	 * Wait for loss actions to end, and interrupt those that take too long.
	 * @return {@code false} if interrupted
	 */
	private boolean endActions() {
		boolean interrupted = !await(openActions(), ACTIONS_LIMIT);
		if (!openActions().isDone()) {
			this.callbacks.interrupt();
			this.cancels.interrupt();
			interrupted |= !await(openActions(), ACTIONS_LIMIT);
		}
		this.callbacks.close();
		this.cancels.close();
		return !interrupted;
	}

	private CompletableFuture<Void> openActions() {
		return allOf(Stream.concat(this.callbacks.open().stream(), this.cancels.open().stream()).toList());
	}

	/**
	 * Return a future that completes when a hold is released or lost.
	 */
	private static CompletableFuture<?> nothingLeft(Hold hold) {
		CompletableFuture<Boolean> lost = new CompletableFuture<>();
		hold.whenLost(null, () -> lost.complete(true));
		return CompletableFuture.anyOf(hold.end().outcome(), lost);
	}

	/**
	 * Wait until something is done, up to a limit.
	 * @return {@code false} if interrupted
	 */
	private boolean await(CompletableFuture<Void> done, Duration limit) {
		try {
			if (!this.machine.waiting().await(done, limit)) {
				logger.debug("Closing continues although a step was not finished within " + Durations.describe(limit));
			}
			return true;
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	private static CompletableFuture<Void> allOf(List<? extends CompletableFuture<?>> all) {
		return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
	}

	/**
	 * Return the state of a lock, with the current fencing token if this process holds
	 * it.
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return this.store.inspect(target).thenApply((known) -> known.map(this.open::refine));
	}

	/**
	 * Take a lock away from all of its holders.
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target) {
		return told(target, this.store.forceRelease(target));
	}

	/**
	 * Take a lock away from all of its holders, if the given holder is one of them.
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		if (seen.owner() == null) {
			throw new IllegalArgumentException(
					"The state of lock '%s' has no owner token, like one from an exception: pass one from 'inspect'"
						.formatted(target));
		}
		return told(target, this.store.forceRelease(target, seen));
	}

	private static CompletionStage<Boolean> told(LockTarget target, CompletionStage<Boolean> taken) {
		return taken.whenComplete((held, failure) -> {
			if (Boolean.TRUE.equals(held) && logger.isDebugEnabled()) {
				logger.debug("Lock '%s' released by force".formatted(target));
			}
		});
	}

	private void takenByForce(String lockName) {
		this.open.takenByForce(lockName);
	}

	private void told(String message) {
		this.deadlocks.told(message);
	}

	/**
	 * Return the held and awaited locks, for operators.
	 */
	LocalLocks local() {
		return this.open.describe(this.tokens.instance(), this.store.trouble());
	}

	/**
	 * Return the listener for a new acquisition.
	 */
	private LockListener listener(LockTarget target) {
		LockListener own = this.listener.acquiring(target);
		return (own != null) ? own : this.listener;
	}

	/**
	 * Return whether a hold keeps its own holder from acquiring a target. A detached hold
	 * does not.
	 */
	private static boolean isInTheWay(Hold hold, LockTarget target) {
		return hold.isHeld() && hold.monitor().mayBeEnteredAgain() && !hold.covers(target)
				&& !Collections.disjoint(hold.target().names(), target.names());
	}

	/**
	 * Return whether a target may be held while another holder shares the same lock.
	 */
	private static boolean mayBeBeside(LockTarget target) {
		return target.isShared() && target.maxHolders() > 1;
	}

	private void requirePossible(LockTarget target, AcquireSettings settings) {
		int count = target.names().size();
		if (count > this.maxKeys) {
			throw new IllegalArgumentException(
					"Target '%s' has %d locks, but at most %d can be acquired together (LockConfiguration.maxKeys)"
						.formatted(target, count, this.maxKeys));
		}
		this.store.requireSupported(target);
		if (target.isShared() && settings.lease().duration() == null) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared and needs a lease: neverExpires() is for exclusive locks".formatted(target));
		}
	}

	private static Duration usualGrace(LockConfiguration configuration) {
		Duration grace = configuration.grace();
		Duration lease = AcquireSettings.of(LockOptions.options(), configuration.options()).lease().duration();
		return (grace != null) ? grace : LeaseLength.defaultGrace((lease != null) ? lease : Duration.ZERO);
	}

	/**
	 * The life cycle of the engine.
	 */
	private enum State {

		/** In use. */
		OPEN,

		/** No lock is in use, and connections are closed until the engine is resumed. */
		SUSPENDED,

		/** Closed permanently: callers are refused. */
		CLOSED

	}

}
