package io.github.redislock.leadership;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationEventPublisherAware;
import org.springframework.context.SmartLifecycle;
import org.springframework.util.Assert;

/**
 * A {@link Leadership} that belongs to the holder of the role's lock,
 * {@code leader:ROLE}.
 * <p>
 * A bean of this type becomes a candidate when the other beans have started, publishes
 * {@link LeadershipGrantedEvent} and {@link LeadershipRevokedEvent}, and resigns before
 * the other beans are stopped. Without a container, call {@link #start()}, and
 * {@link #stop()} before the template is closed. No thread is blocked while the instance
 * waits or leads.
 */
public final class LockLeadership implements Leadership, SmartLifecycle, ApplicationEventPublisherAware {

	/**
	 * The prefix of the lock's name, before the role.
	 */
	public static final String LOCK_PREFIX = "leader:";

	private static final Log logger = LogFactory.getLog(LockLeadership.class);

	/**
	 * The pause after a failure that ends the candidacy. After other failures, the engine
	 * itself retries.
	 */
	private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

	private final String role;

	private final LockOperations locks;

	private final LockTarget target;

	private final LockOptions options;

	private final List<LongConsumer> granted = new CopyOnWriteArrayList<>();

	private final List<LongConsumer> revoked = new CopyOnWriteArrayList<>();

	private final Executor threads;

	private volatile boolean autoStartup = true;

	/** The current leadership; written under this object's monitor. */
	private volatile @Nullable Term term;

	/**
	 * Guarded, like all fields below, by this object's monitor, which is never held while
	 * listeners or the engine are called.
	 */
	private boolean running;

	private @Nullable CompletableFuture<AsyncLockHandle> candidacy;

	private boolean failing;

	private CompletableFuture<?> steps = CompletableFuture.completedFuture(null);

	/**
	 * Create a leadership with the template's default lease.
	 * @param role the name of the role
	 * @param locks provides the lock
	 */
	public LockLeadership(String role, LockOperations locks) {
		this(role, locks, LockOptions.options());
	}

	/**
	 * Create a leadership.
	 * @param role the name of the role
	 * @param locks provides the lock
	 * @param options the {@linkplain LockOptions#timeout lease}, which limits how long
	 * there is no leader after one has died, and optionally {@link LockOptions#maxHold},
	 * after which another instance gets its turn. The waiting time is always unlimited,
	 * and the lease is always renewed
	 */
	public LockLeadership(String role, LockOperations locks, LockOptions options) {
		Assert.hasText(role, "role must not be blank");
		Assert.notNull(locks, "locks must not be null");
		Assert.notNull(options, "options must not be null");
		this.role = role;
		this.locks = locks;
		String name = LOCK_PREFIX + role;
		this.target = LockTarget.of(name).withMetricName(name);
		this.options = options.waitForever()
			.maxWaiters(Integer.MAX_VALUE)
			.autoRenew(true)
			.reentrant(false)
			.atLeastFor(Duration.ZERO)
			.warnAfter(Duration.ZERO);
		ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
		this.threads = (task) -> {
			Thread thread = new Thread(task, "redis-lock-leader-" + role);
			thread.setDaemon(true);
			thread.setContextClassLoader(classLoader);
			thread.start();
		};
	}

	/**
	 * Set whether this instance becomes a candidate at startup.
	 * @param autoStartup {@code false} if the application calls {@link #start()}
	 */
	public void setAutoStartup(boolean autoStartup) {
		this.autoStartup = autoStartup;
	}

	@Override
	public boolean isAutoStartup() {
		return this.autoStartup;
	}

	@Override
	public void setApplicationEventPublisher(ApplicationEventPublisher publisher) {
		onGranted((term) -> publisher.publishEvent(new LeadershipGrantedEvent(this.role, term)));
		onRevoked((term) -> publisher.publishEvent(new LeadershipRevokedEvent(this.role, term)));
	}

	@Override
	public String role() {
		return this.role;
	}

	@Override
	public boolean isLeader() {
		Term present = this.term;
		return present != null && present.isOpen();
	}

	@Override
	public OptionalLong term() {
		Term present = this.term;
		return (present != null && present.isOpen()) ? OptionalLong.of(present.number()) : OptionalLong.empty();
	}

	@Override
	public Optional<LockState> leader() {
		return this.locks.inspect(this.target);
	}

	@Override
	public void onGranted(LongConsumer listener) {
		Assert.notNull(listener, "listener must not be null");
		Term present;
		synchronized (this) {
			this.granted.add(listener);
			present = this.term;
		}
		if (present != null) {
			step(() -> present.announceTo(listener));
		}
	}

	@Override
	public void onRevoked(LongConsumer listener) {
		Assert.notNull(listener, "listener must not be null");
		this.revoked.add(listener);
	}

	@Override
	public CompletableFuture<Void> resign() {
		Term present = this.term;
		return (present != null) ? present.end() : CompletableFuture.completedFuture(null);
	}

	/**
	 * Become a candidate.
	 */
	@Override
	public synchronized void start() {
		if (!this.running) {
			this.running = true;
			step(this::campaign);
		}
	}

	/**
	 * Resign, and stop being a candidate until the next {@link #start()}. Waits for the
	 * listeners of {@link #onRevoked} and for the release, so no listener may call this
	 * method.
	 */
	@Override
	public void stop() {
		withdraw().join();
	}

	@Override
	public void stop(Runnable callback) {
		withdraw().thenRun(callback);
	}

	@Override
	public synchronized boolean isRunning() {
		return this.running;
	}

	private CompletableFuture<Void> withdraw() {
		CompletableFuture<AsyncLockHandle> waiting;
		synchronized (this) {
			this.running = false;
			waiting = this.candidacy;
		}
		if (waiting != null) {
			waiting.cancel(false);
		}
		return resign();
	}

	/**
	 * Begin to wait for the lock. Called only within a step.
	 */
	private void campaign() {
		synchronized (this) {
			if (!this.running || this.candidacy != null || this.term != null) {
				return;
			}
		}
		CompletableFuture<AsyncLockHandle> request = this.locks.async().acquire(this.target, this.options);
		boolean wanted;
		synchronized (this) {
			this.candidacy = request;
			wanted = this.running;
		}
		if (!wanted) {
			request.cancel(false);
		}
		request.whenComplete((lock, failure) -> {
			if (failure == null) {
				lead(lock);
			}
			else {
				campaignLater(failure);
			}
		});
	}

	private void lead(AsyncLockHandle lock) {
		Term begun = new Term(lock);
		boolean wanted;
		synchronized (this) {
			this.candidacy = null;
			this.failing = false;
			wanted = this.running;
			this.term = wanted ? begun : null;
		}
		if (!wanted) {
			lock.release();
			return;
		}
		step(begun::begin);
		lock.onLost(begun::end);
	}

	private void campaignLater(Throwable failure) {
		boolean alreadyLogged;
		synchronized (this) {
			this.candidacy = null;
			this.running &= !(failure instanceof LockShutdownException);
			if (!this.running) {
				return;
			}
			if (failure instanceof CancellationException) {
				// The role was stopped and started again in between.
				step(this::campaign);
				return;
			}
			alreadyLogged = this.failing;
			this.failing = true;
		}
		if (!alreadyLogged) {
			logger.warn("Role '%s': could not become a candidate, retrying every second: %s".formatted(this.role,
					failure.getMessage()), failure);
		}
		this.threads.execute(() -> {
			LockSupport.parkNanos(PAUSE_NANOS);
			step(this::campaign);
		});
	}

	/**
	 * Run a step after all earlier ones, on a separate thread because it may call
	 * listeners.
	 */
	private synchronized void step(Runnable step) {
		this.steps = this.steps.handleAsync((done, failure) -> {
			try {
				step.run();
			}
			catch (Throwable ex) {
				logger.error("Role '%s': unexpected error in a candidacy or a term".formatted(this.role), ex);
			}
			return null;
		}, this.threads);
	}

	private void call(LongConsumer listener, long term) {
		try {
			listener.accept(term);
		}
		catch (Throwable ex) {
			logger.error("Role '%s': a listener failed in term %s".formatted(this.role, term), ex);
		}
	}

	/**
	 * One term of this instance as the leader, until it has resigned or lost the lock.
	 */
	private final class Term {

		private final AsyncLockHandle lock;

		private final CompletableFuture<Void> over = new CompletableFuture<>();

		private final AtomicBoolean ending = new AtomicBoolean();

		/** The listeners that were notified. Used only in steps, like the field below. */
		private final List<LongConsumer> notified = new ArrayList<>();

		private boolean begun;

		Term(AsyncLockHandle lock) {
			this.lock = lock;
		}

		boolean isOpen() {
			return !this.ending.get() && this.lock.isHeld();
		}

		long number() {
			return this.lock.fencingToken();
		}

		/**
		 * Notify the listeners. Called only within a step.
		 */
		void begin() {
			// The term may be over before the step begins. In that case, no listener is
			// called.
			if (this.ending.get()) {
				return;
			}
			if (!this.lock.isHeld() && !this.lock.verify().exceptionally((failure) -> false).join()) {
				end();
			}
			else {
				this.begun = true;
				logger.info("Role '%s': now leader, term %s".formatted(LockLeadership.this.role, number()));
				LockLeadership.this.granted.forEach(this::announceTo);
			}
		}

		/**
		 * Notify one listener of the term, unless it was already notified. Called only
		 * within a step.
		 */
		void announceTo(LongConsumer listener) {
			if (this.begun && isOpen() && !this.notified.contains(listener)) {
				this.notified.add(listener);
				call(listener, number());
			}
		}

		/**
		 * Stop leading at once.
		 * @return a future that completes when the lock is released
		 */
		CompletableFuture<Void> end() {
			if (this.ending.compareAndSet(false, true)) {
				step(this::finish);
			}
			return this.over.copy();
		}

		private void finish() {
			if (this.begun) {
				LockLeadership.this.revoked.forEach((listener) -> call(listener, number()));
			}
			// Unless the lock was lost, it was renewed until now, so no other instance
			// could lead while the listeners ran.
			ReleaseOutcome outcome = this.lock.release().join();
			logger.info(
					"Role '%s': no longer leader, term %s (%s)".formatted(LockLeadership.this.role, number(), outcome));
			synchronized (LockLeadership.this) {
				LockLeadership.this.term = null;
			}
			this.over.complete(null);
			campaign();
		}

	}

}
