package io.github.redislock.engine;

import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.ThreadLocks;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.support.Durations;
import io.github.redislock.support.Lease;
import io.github.redislock.support.OwnerTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The machine beneath all faces: acquires, renews and releases without blocking anybody.
 * Thread-safe.
 */
final class LockEngine {

	private static final Log logger = LogFactory.getLog(LockEngine.class);

	/** Names of locks in one line of the log. */
	private static final int MOST_NAMES = 10;

	private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

	/** After that, whether a thread has ended without a release. */
	private static final Duration LOOK_AT_HOLDERS = Duration.ofMillis(500);

	/** How long actions on a loss may take at the end, and again after an interrupt. */
	private static final Duration ACTIONS_LIMIT = Duration.ofSeconds(1);

	private final LockOptions defaults;

	private final Duration closeWait;

	private final int maxKeys;

	private final OwnerTokens tokens;

	private volatile @Nullable Settled lastSettings;

	private final CallSites callSites = new CallSites();

	private final boolean ownsTimer;

	private final Machine machine;

	private final LossActions callbacks;

	/** Apart from what users want to be told, of which some may take long. */
	private final LossActions cancels;

	private final EngineParts parts;

	private final WaitingRoom room;

	/** Who waits, and where. */
	private final ConcurrentMap<Acquisition, Line> waiting = new ConcurrentHashMap<>();

	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final ConcurrentMap<Entry, Hold> entered = new ConcurrentHashMap<>();

	private final AtomicBoolean closed = new AtomicBoolean();

	private final AtomicBoolean suspended = new AtomicBoolean();

	LockEngine(LockStore store, LockConfiguration configuration) {
		this(store, configuration, Machine.system());
	}

	LockEngine(LockStore store, LockConfiguration configuration, Machine machine) {
		this.machine = machine;
		this.callbacks = machine.actions().apply("redis-lock-callbacks-");
		this.cancels = machine.actions().apply("redis-lock-cancels-");
		this.defaults = configuration.options();
		this.closeWait = configuration.closeWait();
		this.maxKeys = configuration.maxKeys();
		this.tokens = new OwnerTokens(configuration.instance(), machine.secrets());
		LockTimer given = configuration.timer();
		this.ownsTimer = given == null;
		WatchedTimer timer = new WatchedTimer((given != null) ? given : LockTimer.system());
		HandOvers handOvers = new HandOvers(usualGrace(configuration), this::takenByForce);
		LockStore guarded = new AllOrNoneStore(new GuardedStore(store));
		guarded.listen(handOvers);
		this.parts = new EngineParts(guarded, timer, new Jitter(machine.random()), configuration.grace(),
				configuration.warnAfter(), configuration.passLimits(), handOvers, new Renewer(timer, guarded),
				IsolatedListener.of(configuration.listeners()), new BackgroundRetry(timer), this.callbacks,
				machine.waiting());
		timer.onJump(this.parts.renewer()::lookAtAll);
		this.room = new WaitingRoom((target) -> line(target, true));
	}

	LockStore store() {
		return this.parts.store();
	}

	/**
	 * Return what lets a caller's thread wait.
	 */
	Machine.Waiting callersWait() {
		return this.parts.waiting();
	}

	/**
	 * Return what cancels work whose lock is lost.
	 */
	Executor cancels() {
		return this.cancels;
	}

	AcquireSettings settings(LockOptions options) {
		// Most are the same, and each is kept as long as its lock.
		Settled last = this.lastSettings;
		if (last != null && last.options().equals(options)) {
			return last.settings();
		}
		AcquireSettings settings = AcquireSettings.of(options, this.defaults);
		if (last != null && last.settings().equals(settings)) {
			return last.settings();
		}
		if (settings.owner() == null) {
			this.lastSettings = new Settled(options, settings);
		}
		return settings;
	}

	/**
	 * Enter a lock that the thread holds already, or under which its work runs.
	 * @return {@code null} if it holds none that may be entered again
	 */
	@Nullable HoldHandle enterAgain(Thread thread, LockTarget target, AcquireSettings settings) {
		if (!settings.reentrant()) {
			return null;
		}
		Hold own = this.entered.get(new Entry(thread, target.names().get(0)));
		Hold hold = (own != null && own.covers(target)) ? own : inContext(target);
		HoldHandle entry = enter(hold, target, settings);
		if (entry != null) {
			// Work may have brought the lock to another thread than the one that took it.
			entry.usedBy(thread);
		}
		return entry;
	}

	/**
	 * Enter a lock under which the present thread's work runs, for work that does not
	 * belong to the thread.
	 * @return {@code null} if there is none that may be entered again
	 */
	@Nullable HoldHandle enterAgain(LockTarget target, AcquireSettings settings) {
		Hold hold = settings.reentrant() ? inContext(target) : null;
		HoldHandle entry = enter(hold, target, settings);
		if (entry != null) {
			entry.hold().oversight().usedByWork();
		}
		return entry;
	}

	private @Nullable Hold inContext(LockTarget target) {
		return ofWork((hold) -> hold.covers(target));
	}

	/**
	 * Return the innermost hold of this engine under which the present thread's work runs
	 * and that fits.
	 */
	private @Nullable Hold ofWork(Predicate<Hold> fitting) {
		for (LockHandle handle : ThreadLocks.ofWork()) {
			Hold hold = (handle instanceof EnteredLock given) ? given.entry().hold() : null;
			if (hold != null && this.holds.contains(hold) && fitting.test(hold)) {
				return hold;
			}
		}
		return null;
	}

	private static @Nullable HoldHandle enter(@Nullable Hold hold, LockTarget target, AcquireSettings settings) {
		if (hold == null || !hold.settings().reentrant()
				|| (settings.owner() != null && !settings.owner().equals(hold.owner()))) {
			return null;
		}
		HoldHandle entry = new HoldHandle(hold);
		return hold.enter(target, entry) ? entry : null;
	}

	/**
	 * Return what a thread holds and may enter again, if that has a lock in common with
	 * others that it cannot have therefore.
	 */
	@Nullable LockTarget heldInPart(Thread thread, LockTarget target) {
		return target.names()
			.stream()
			.map((lock) -> this.entered.get(new Entry(thread, lock)))
			.filter((hold) -> hold != null && isInTheWay(hold, target))
			.map(Hold::target)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the same of the work that the present thread runs.
	 */
	@Nullable LockTarget heldByWork(LockTarget target) {
		Hold ofWork = ofWork((hold) -> isInTheWay(hold, target));
		return (ofWork != null) ? ofWork.target() : null;
	}

	/**
	 * Fail if a thread, or the work that it runs, shares what it asks for: it would wait
	 * for itself.
	 * @throws IllegalStateException with what to do instead
	 */
	void requireNotShared(Thread thread, LockTarget target) {
		LockTarget own = heldInPart(thread, target);
		if (own == null) {
			own = heldByWork(target);
		}
		if (own != null && own.isShared() && !mayBeBeside(target)) {
			throw new IllegalStateException(
					("Lock '%s' not acquired: this thread itself holds '%s' and would wait for itself. Let that go"
							+ " before, or acquire the lock for writing from the beginning and downgrade it")
						.formatted(target, own));
		}
	}

	/**
	 * Return the present thread as the one that takes a lock.
	 * @param leaves whether it may leave the place where it takes the lock before it lets
	 * go of it, so that the place has to be remembered
	 */
	Taker taker(boolean leaves) {
		boolean remembered = leaves && !this.parts.warnAfter().isZero();
		return new Taker(Thread.currentThread(), remembered ? this.callSites.here() : List.of());
	}

	/**
	 * Return a taker for work that belongs to no thread.
	 */
	Taker workTaker() {
		return new Taker(null, this.parts.warnAfter().isZero() ? List.of() : this.callSites.here());
	}

	/**
	 * Begin to acquire a lock.
	 * @param taker who may enter it again, or {@code null} for nobody
	 * @throws IllegalArgumentException if these are too many locks at once
	 */
	Acquisition acquire(@Nullable Taker taker, LockTarget target, AcquireSettings settings) {
		requireNotTooMany(target);
		this.parts.store().requireSupported(target);
		requireLease(target, settings);
		Thread thread = (taker != null && settings.reentrant()) ? taker.thread() : null;
		Line line = passes(target, settings) ? this.room.enter(target) : line(target, false);
		Acquisition acquisition = new Acquisition(this.parts, target, settings, taker, listener(target),
				(hold) -> keep(thread, line, hold), line::leave);
		acquisition.outcome().thenAccept((outcome) -> {
			this.waiting.remove(acquisition);
			if (!(outcome instanceof AcquireOutcome.Acquired)) {
				this.room.leave(line);
			}
		});
		this.waiting.put(acquisition, line);
		if (logger.isDebugEnabled()) {
			logger.debug("Lock '%s' asked for: lease %s, waiting up to %s".formatted(target, settings.lease(),
					Durations.describe(settings.waitTime())));
		}
		if (this.closed.get()) {
			acquisition.cancel(closedFailure(target));
		}
		else {
			line.enter(acquisition);
		}
		return acquisition;
	}

	/**
	 * Return how many callers wait.
	 */
	int waiting() {
		return this.waiting.size();
	}

	/**
	 * Return whether nobody waits for a lock, nobody holds one, and nothing is left to be
	 * cleaned up.
	 */
	boolean isIdle() {
		return this.waiting.isEmpty() && this.holds.isEmpty() && this.entered.isEmpty() && this.room.isEmpty()
				&& this.parts.handOvers().isEmpty() && this.parts.renewer().isEmpty()
				&& this.parts.retry().settled().isDone();
	}

	/**
	 * End all waits, wait a while for those who hold locks, let all locks go, and close
	 * the store. Waits a while for what is still being cleaned up in the background.
	 */
	void close() {
		if (!this.closed.compareAndSet(false, true)) {
			return;
		}
		List<CompletableFuture<Void>> left = this.waiting.entrySet()
			.stream()
			.map((each) -> shutOut(each.getKey(), each.getValue()))
			.toList();
		boolean interrupted = !awaitHolders() | Thread.interrupted();
		List<CompletableFuture<ReleaseOutcome>> releases = this.holds.stream().map(Hold::abandon).toList();
		CompletableFuture<Void> settled = allOf(releases).thenCompose((released) -> allOf(left))
			.thenCompose((nobody) -> this.parts.retry().settled());
		interrupted |= !await(settled, CLOSE_LIMIT);
		if (!settled.isDone() && releases.isEmpty()) {
			logger.warn("Some callers that waited could not be withdrawn at shutdown: what they are granted still"
					+ " frees itself when its lease is over");
		}
		else if (!settled.isDone()) {
			logger.warn(("Some of %d locks could not be released at shutdown: they free themselves when their"
					+ " leases are over")
				.formatted(releases.size()));
		}
		interrupted |= !endActions();
		this.parts.renewer().close();
		if (this.ownsTimer) {
			this.parts.timer().close();
		}
		this.parts.store().close();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Close all connections, since this process is about to be stopped and copied.
	 * @throws IllegalStateException if a lock is held or waited for, which each of the
	 * copies would have
	 */
	void suspend() {
		if (this.closed.get()) {
			return;
		}
		List<LockTarget> inUse = Stream
			.concat(this.holds.stream().map(Hold::target), this.waiting.keySet().stream().map(Acquisition::target))
			.distinct()
			.toList();
		if (!inUse.isEmpty()) {
			throw new IllegalStateException(
					"No copy can be made of this process while it holds locks or waits for them: %s".formatted(inUse));
		}
		await(this.parts.retry().settled(), CLOSE_LIMIT);
		if (this.suspended.compareAndSet(false, true)) {
			store().suspend();
		}
	}

	/**
	 * Go on, as one of several copies perhaps. Whatever was refused above is told that it
	 * may go on, too, and has everything still.
	 */
	void resume() {
		if (this.suspended.compareAndSet(true, false) && !this.closed.get()) {
			this.tokens.renewInstance();
			store().resume();
		}
	}

	/**
	 * Wait for holders, except for the closing thread itself and for locks that no caller
	 * is left to release.
	 * @return {@code false} if interrupted
	 */
	private boolean awaitHolders() {
		Thread closing = Thread.currentThread();
		List<Hold> others = this.holds.stream().filter((hold) -> hold.oversight().mayBeReleased(closing)).toList();
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
				.filter((hold) -> hold.oversight().mayBeReleased(closing))
				.<CompletableFuture<?>>map(ends::get)
				.filter((ended) -> !ended.isDone())
				.toList();
			Duration left = Duration.ofNanos(end - this.machine.nanoTime().getAsLong());
			if (open.isEmpty() || left.isNegative()) {
				return true;
			}
			if (!await(allOf(open), (left.compareTo(LOOK_AT_HOLDERS) < 0) ? left : LOOK_AT_HOLDERS)) {
				return false;
			}
		}
	}

	/**
	 * Let the actions on losses end, and interrupt those that take too long.
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
	 * Return when a hold was released or lost.
	 */
	private static CompletableFuture<?> nothingLeft(Hold hold) {
		CompletableFuture<Boolean> lost = new CompletableFuture<>();
		hold.whenLost(hold.handle(), () -> lost.complete(true));
		return CompletableFuture.anyOf(hold.ended(), lost);
	}

	/**
	 * Wait until something is done, or for as long as it may take.
	 * @return {@code false} if interrupted
	 */
	private boolean await(CompletableFuture<Void> done, Duration limit) {
		try {
			if (!this.machine.waiting().await(done, limit)) {
				// Closing goes on all the same.
				logger.debug("Not everything has ended within " + Durations.describe(limit));
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
	 * Return what is known of a lock, with the token of its present holder if that is one
	 * of this process's.
	 */
	CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return store().inspect(target).thenApply((known) -> known.map(this::refine));
	}

	/**
	 * Take a lock from all who hold it.
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target) {
		return told(target, store().forceRelease(target));
	}

	/**
	 * Take a lock from all who hold it, if the holder that was seen is one of them.
	 */
	CompletionStage<Boolean> forceRelease(LockTarget target, LockState seen) {
		return told(target, store().forceRelease(target, seen));
	}

	private static CompletionStage<Boolean> told(LockTarget target, CompletionStage<Boolean> taken) {
		return taken.whenComplete((held, failure) -> {
			if (Boolean.TRUE.equals(held) && logger.isDebugEnabled()) {
				logger.debug("Lock '%s' taken by force from whoever held it".formatted(target));
			}
		});
	}

	/**
	 * Let all who hold a lock ask whether they do, and all who may be about to.
	 */
	private void takenByForce(String lockName) {
		// In this order: who waits becomes a holder, and must not be missed in between.
		this.waiting.values()
			.stream()
			.filter((line) -> line.target().names().contains(lockName))
			.distinct()
			.forEach(Line::takenByForce);
		this.holds.stream().filter((hold) -> hold.target().names().contains(lockName)).forEach(Hold::suspectForce);
	}

	/**
	 * Return what is held and waited for at this moment, for people.
	 */
	LocalLocks local() {
		List<Acquisition> callers = this.waiting.keySet().stream().filter((caller) -> !caller.isEnded()).toList();
		Map<String, Set<Acquisition>> byName = new HashMap<>();
		callers.forEach((caller) -> caller.target()
			.names()
			.forEach((name) -> byName.computeIfAbsent(name, (first) -> new HashSet<>()).add(caller)));
		List<LocalLocks.Held> held = this.holds.stream()
			.filter(Hold::isHeld)
			.map((hold) -> hold.describe(waitingFor(hold.target(), byName)))
			.sorted(Comparator.comparing(LocalLocks.Held::held).reversed())
			.toList();
		List<LocalLocks.Waiting> waiting = callers.stream()
			.collect(Collectors.groupingBy(Acquisition::target))
			.values()
			.stream()
			.map(this::describe)
			.sorted(Comparator.comparing(LocalLocks.Waiting::longest).reversed())
			.toList();
		return new LocalLocks(this.tokens.instance(), held, waiting, store().trouble());
	}

	private static int waitingFor(LockTarget target, Map<String, Set<Acquisition>> byName) {
		return (int) target.names()
			.stream()
			.flatMap((name) -> byName.getOrDefault(name, Set.of()).stream())
			.distinct()
			.count();
	}

	private LocalLocks.Waiting describe(List<Acquisition> callers) {
		Duration longest = callers.stream().map(Acquisition::waited).max(Comparator.naturalOrder()).orElseThrow();
		LockState behind = callers.stream()
			.map(this.waiting::get)
			.filter(Objects::nonNull)
			.map(Line::behind)
			.filter(Objects::nonNull)
			.findFirst()
			.map(LockState::withShortOwner)
			.orElse(null);
		return new LocalLocks.Waiting(callers.get(0).target(), callers.size(), longest, behind);
	}

	private LockState refine(LockState state) {
		return this.holds.stream()
			.filter((hold) -> hold.owner().equals(state.owner()) && hold.target().names().contains(state.name()))
			.filter(Hold::isHeld)
			.findFirst()
			.map((hold) -> state.having(hold.fencingToken()))
			.orElse(state);
	}

	/**
	 * Return who hears of an acquisition that begins.
	 */
	private LockListener listener(LockTarget target) {
		LockListener own = this.parts.listener().acquiring(target);
		return (own != null) ? own : this.parts.listener();
	}

	/**
	 * Return whether a hold keeps whoever has it from another lock, until he lets go of
	 * it: not if he passed it on.
	 */
	private static boolean isInTheWay(Hold hold, LockTarget target) {
		return hold.isHeld() && hold.oversight().mayBeEnteredAgain() && !hold.covers(target)
				&& !Collections.disjoint(hold.target().names(), target.names());
	}

	/**
	 * Return whether there may be room for a lock beside one that is shared.
	 */
	private static boolean mayBeBeside(LockTarget target) {
		return target.isShared() && target.maxHolders() > 1;
	}

	private Line line(LockTarget target, boolean common) {
		return new Line(this.parts, target, this::request, common);
	}

	/**
	 * Return whether the lock passes from caller to caller without the store. One that is
	 * shared has nothing to pass on: all callers may have it side by side.
	 */
	private static boolean passes(LockTarget target, AcquireSettings settings) {
		return settings.isShareable() && !target.isShared();
	}

	private AcquireRequest request(LockTarget target, AcquireSettings settings) {
		String requestId = this.tokens.nextRandom();
		String owner = (settings.owner() != null) ? settings.owner() : this.tokens.owner(requestId);
		Duration lease = settings.lease().duration();
		Duration timeToLive = (lease != null) ? this.parts.timeToLive(lease, settings.atLeastFor()) : null;
		Duration claim = settings.waits() ? this.parts.timeToLive(settings.lease().claim(), Duration.ZERO) : null;
		int tokens = passes(target, settings) ? this.parts.passLimits().tokens() : 1;
		return new AcquireRequest(target, owner, requestId, timeToLive, tokens, claim, 0);
	}

	/**
	 * Keep a hold as long as there is anything to do with it.
	 * @param thread who may enter it again: for each of its locks, and any of them
	 */
	private void keep(@Nullable Thread thread, Line line, Hold hold) {
		List<Entry> entries = (thread != null)
				? hold.target().names().stream().map((lock) -> new Entry(thread, lock)).toList() : List.of();
		entries.forEach((entry) -> this.entered.put(entry, hold));
		this.holds.add(hold);
		hold.watch();
		hold.whenOver(() -> {
			this.holds.remove(hold);
			entries.forEach((entry) -> this.entered.remove(entry, hold));
			this.room.leave(line);
		});
		if (!line.isCommon()) {
			hold.ended().thenRun(() -> wake(hold.target()));
		}
		if (this.closed.get()) {
			hold.abandon();
		}
	}

	private void requireNotTooMany(LockTarget target) {
		int count = target.names().size();
		if (count > this.maxKeys) {
			throw new IllegalArgumentException(
					"Lock '%s' is %d locks at once, but there may be at most %d (redis-lock.max-keys)".formatted(target,
							count, this.maxKeys));
		}
	}

	private static void requireLease(LockTarget target, AcquireSettings settings) {
		if (target.isShared() && settings.lease().duration() == null) {
			throw new IllegalArgumentException(
					"Lock '%s' is shared and needs a lease: neverExpires() is for locks that one holder has alone"
						.formatted(target));
		}
	}

	/**
	 * Let those who wait for a lock alone ask, if the store will not tell them.
	 */
	private void wake(LockTarget target) {
		Line line = this.room.find(target.alone());
		if (line != null) {
			line.wake();
		}
	}

	private static Duration usualGrace(LockConfiguration configuration) {
		Duration grace = configuration.grace();
		Duration lease = AcquireSettings.of(LockOptions.options(), configuration.options()).lease().duration();
		return (grace != null) ? grace : Lease.defaultGrace((lease != null) ? lease : Duration.ZERO);
	}

	private static CompletableFuture<Void> shutOut(Acquisition acquisition, Line line) {
		acquisition.cancel(closedFailure(acquisition.target()));
		return line.settled();
	}

	private static LockShutdownException closedFailure(LockTarget target) {
		return new LockShutdownException(target);
	}

	/**
	 * Options, and what they come to.
	 */
	private record Settled(LockOptions options, AcquireSettings settings) {
	}

	/**
	 * A thread that is inside the lock of a name.
	 */
	private record Entry(Thread thread, String name) {
	}

}
