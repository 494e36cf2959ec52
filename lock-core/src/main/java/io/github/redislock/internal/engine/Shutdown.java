package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.Durations;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Closes an engine, or suspends it for a checkpoint of the process. Thread-safe.
 */
final class Shutdown {

	private static final Log logger = LogFactory.getLog(Shutdown.class);

	private static final int MOST_NAMES = 10;

	private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

	/** How often closing checks whether other callers still hold locks. */
	private static final Duration LOOK_AT_HOLDERS = Duration.ofMillis(20);

	/** How long closing waits for loss actions to end. Their threads are daemons. */
	private static final Duration ACTIONS_LIMIT = Duration.ofSeconds(1);

	private final Duration closeWait;

	private final SystemResources resources;

	private final OpenLocks open;

	private final EngineStore store;

	private final Renewer renewer;

	private final @Nullable JumpDetectingTimer ownTimer;

	private final List<CallbackThreads> actions;

	private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

	/**
	 * Create an instance for an engine that is in use.
	 * @param closeWait how long closing waits for holders
	 * @param ownTimer the timer to close with the engine, or {@code null}
	 * @param actions run the actions after a loss
	 */
	Shutdown(Duration closeWait, SystemResources resources, OpenLocks open, EngineStore store, Renewer renewer,
			@Nullable JumpDetectingTimer ownTimer, List<CallbackThreads> actions) {
		this.closeWait = closeWait;
		this.resources = resources;
		this.open = open;
		this.store = store;
		this.renewer = renewer;
		this.ownTimer = ownTimer;
		this.actions = actions;
	}

	boolean isClosed() {
		return this.state.get() == State.CLOSED;
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
		if (!settled.isDone()) {
			logger.warn("Not all requests were confirmed at shutdown (holds: %s): a lock may stay held until it expires"
				.formatted(releases.size()));
		}
		interrupted |= !await(allOf(this.actions.stream().map(CallbackThreads::settled).toList()), ACTIONS_LIMIT);
		this.actions.forEach(CallbackThreads::close);
		this.renewer.close();
		if (this.ownTimer != null) {
			this.ownTimer.close();
		}
		this.store.close();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Close all connections before a checkpoint of this process.
	 * @throws IllegalStateException if a lock is held or waited for, because each
	 * restored copy of the process would hold it or wait for it
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
	 * End the suspension.
	 * @return {@code false} if the engine was not suspended
	 */
	boolean resume() {
		return this.state.compareAndSet(State.SUSPENDED, State.OPEN);
	}

	/**
	 * Wait until holders have released their locks, except for locks of the closing
	 * thread and leaked ones.
	 * @return {@code false} if interrupted
	 */
	private boolean awaitHolders() {
		Thread closing = Thread.currentThread();
		List<Hold> others = holdsOfOthers(closing);
		if (others.isEmpty() || this.closeWait.isZero()) {
			return true;
		}
		logger
			.info("Waiting up to %s for holds to end (%s), among them %s".formatted(Durations.describe(this.closeWait),
					others.size(), others.stream().limit(MOST_NAMES).map(Hold::target).toList()));
		long end = this.resources.nanoTime().getAsLong() + Durations.nanos(this.closeWait);
		CompletableFuture<Void> never = new CompletableFuture<>();
		try {
			Duration left = this.closeWait;
			while (left.compareTo(Duration.ZERO) > 0 && !holdsOfOthers(closing).isEmpty()) {
				this.resources.waiting().await(never, Durations.min(left, LOOK_AT_HOLDERS));
				left = Duration.ofNanos(end - this.resources.nanoTime().getAsLong());
			}
			return true;
		}
		catch (InterruptedException ex) {
			return false;
		}
	}

	private List<Hold> holdsOfOthers(Thread closing) {
		return this.open.holds().filter((hold) -> hold.monitor().mayBeReleased(closing)).toList();
	}

	/**
	 * Wait until something is done, up to a limit.
	 * @return {@code false} if interrupted
	 */
	private boolean await(CompletableFuture<Void> done, Duration limit) {
		try {
			if (!this.resources.waiting().await(done, limit)) {
				logger.debug("Closing continues although a step did not finish within " + Durations.describe(limit));
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
	 * The current state of the engine.
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
