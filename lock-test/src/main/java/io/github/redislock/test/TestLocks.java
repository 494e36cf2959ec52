package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import org.jspecify.annotations.Nullable;

/**
 * Locks for testing a service without Redis. Simulates Redis and all other processes that
 * use it. <pre class="code">
 * TestLocks locks = TestLocks.create();
 * Payments payments = new Payments(locks.template());
 *
 * locks.holdElsewhere("payment:42");
 * assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -&gt; payments.pay("42"));
 * </pre>
 * <p>
 * Its templates are real ones with a store in memory: they wait, renew, detect a loss and
 * fail as they do with Redis. Two templates exclude one another like two instances of an
 * application. Thread-safe: failures may be simulated from the thread that holds the
 * lock, or from any other.
 */
public final class TestLocks implements AutoCloseable {

	private final LockTimer timer;

	private final InMemoryLockStore memory;

	private final Faults faults = new Faults();

	/** The connected templates. */
	private final Set<HandOverListener> listeners = new CopyOnWriteArraySet<>();

	private final AtomicLong holdsElsewhere = new AtomicLong();

	private final Holds holds = new Holds();

	private final List<RedisLockTemplate> templates = new CopyOnWriteArrayList<>();

	private volatile boolean closed;

	private TestLocks(LockTimer timer) {
		this.timer = timer;
		this.memory = new InMemoryLockStore(timer);
	}

	/**
	 * Create locks whose leases and waiting times pass in real time.
	 * @return locks, all free
	 */
	public static TestLocks create() {
		return new TestLocks(LockTimer.system());
	}

	/**
	 * Create locks whose clock moves only when {@link #advance(Duration)} is called.
	 * @return locks, all free
	 */
	public static TestLocks withManualClock() {
		return new TestLocks(new ManualLockTimer());
	}

	/**
	 * Create locks with the caller's clock.
	 * @param timer measures leases and waiting times; closed together with these locks
	 * @return locks, all free
	 */
	public static TestLocks withTimer(LockTimer timer) {
		return new TestLocks(timer);
	}

	/**
	 * Return a new template with the default configuration, which acts as another
	 * instance of the application.
	 * @return a template, closed together with these locks
	 */
	public RedisLockTemplate template() {
		return template(LockConfiguration.defaults());
	}

	/**
	 * Return a new template, which acts as another instance of the application.
	 * @param configuration the configuration of the template; its clock is replaced by
	 * the clock of these locks
	 * @return a template, closed together with these locks
	 */
	public RedisLockTemplate template(LockConfiguration configuration) {
		RedisLockTemplate template = new RedisLockTemplate(store(),
				configuration.timer(this.timer).listener(listener()));
		this.templates.add(template);
		return template;
	}

	/**
	 * Return a store for a template that is not created by this object. The template also
	 * needs the {@link #timer()} and the {@link #listener()}.
	 * @return a store for one template only, which may close it
	 */
	public LockStore store() {
		return new TestStore(memory(), this.faults, this.listeners);
	}

	/**
	 * Return the clock of these locks.
	 * @return a timer
	 */
	public LockTimer timer() {
		return this.timer;
	}

	/**
	 * Return the listener through which this object learns what a template holds. Without
	 * it, {@link #lose(String)}, {@link #acquired()} and {@link #assertConsistentOrder()}
	 * do not know the template's locks.
	 * @return a listener
	 */
	public LockListener listener() {
		return this.holds;
	}

	/**
	 * Let another process hold a lock until it releases it.
	 * @param name the name of a lock that is free
	 * @return the other process's hold
	 * @throws IllegalStateException if the lock is held already
	 */
	public HeldElsewhere holdElsewhere(String name) {
		return holdElsewhere(LockTarget.of(name));
	}

	/**
	 * Let another process hold a lock without renewing it, as if it had crashed or hung.
	 * @param name the name of a lock that is free
	 * @param lease the time after which the lock is free again; longer than zero
	 * @return the other process's hold
	 * @throws IllegalStateException if the lock is held already
	 */
	public HeldElsewhere holdElsewhere(String name, Duration lease) {
		return holdElsewhere(LockTarget.of(name), lease);
	}

	/**
	 * Let another process hold a lock in any mode until it releases it: for reading, with
	 * a permit, or several at once. Each call simulates another process.
	 * @param target the lock or locks to hold, which must be available
	 * @return the other process's hold
	 * @throws IllegalStateException if another holder prevents this
	 */
	public HeldElsewhere holdElsewhere(LockTarget target) {
		return hold(target, null);
	}

	/**
	 * Let another process hold a lock in any mode without renewing it, as if it had
	 * crashed or hung.
	 * @param target the lock or locks to hold, which must be available
	 * @param lease the time after which the other process no longer holds the lock;
	 * longer than zero
	 * @return the other process's hold
	 * @throws IllegalStateException if another holder prevents this
	 */
	public HeldElsewhere holdElsewhere(LockTarget target, Duration lease) {
		if (lease == null || lease.compareTo(Duration.ZERO) <= 0) {
			throw new IllegalArgumentException("lease must be longer than zero");
		}
		return hold(target, lease);
	}

	/**
	 * Let another process lead until it releases the lock of the role. If a template's
	 * candidate already leads, call {@link #loseLeadership(String)} first.
	 * @param role the name of the role, without a leader
	 * @return the other process's hold
	 * @throws IllegalStateException if the role has a leader already
	 */
	public HeldElsewhere leadElsewhere(String role) {
		return holdElsewhere(LockLeadership.LOCK_PREFIX + role);
	}

	/**
	 * Take a role away from its leader, as if it could not renew its lease.
	 * <p>
	 * When this method returns, the leader's term is over. The listeners are notified on
	 * a separate thread, and then the former leader is a candidate again, which may lead
	 * again at once.
	 * @param role the name of the role
	 * @throws IllegalStateException if no template's candidate leads
	 * @see #lose(String)
	 */
	public void loseLeadership(String role) {
		lose(LockLeadership.LOCK_PREFIX + role);
	}

	/**
	 * Take a lock away from the template that holds it, or from all holders that share
	 * it, even in other processes. The store forgets the lock, and the holders are
	 * notified at once, as after a forced release by an operator.
	 * <p>
	 * When this method returns, {@link LockHandle#isHeld()} returns {@code false}, and
	 * the next waiter may already have the lock. The actions of
	 * {@link LockHandle#onLost(Runnable)} run on a thread of the library.
	 * @param name the lock's name
	 * @throws IllegalStateException if none of the templates holds it, or the store is
	 * down, so that the holder cannot notice
	 */
	public void lose(String name) {
		LockTarget target = LockTarget.of(name);
		this.listeners.forEach(HandOverListener::settle);
		if (this.faults.isDown()) {
			throw new IllegalStateException(
					("Lock '%s' cannot be lost at once: the store is down, so its holder notices no loss until its"
							+ " lease is over")
						.formatted(name));
		}
		LockState state = inspect(target).orElseThrow(
				() -> new IllegalStateException("Lock '%s' cannot be lost: no caller holds it".formatted(name)));
		if (!this.holds.areOf((owner) -> isOwner(target, owner))) {
			throw new IllegalStateException(
					("Lock '%s' cannot be lost: it is held by '%s', but not through a template that notifies the"
							+ " listener of these locks")
						.formatted(name, state.holder()));
		}
		this.memory.forceRelease(target, null);
	}

	private boolean isOwner(LockTarget target, String owner) {
		return this.memory.renew(List.of(new RenewRequest(target, owner, null))).get(0).toCompletableFuture().join();
	}

	/**
	 * Lose the reply to the next request for a lock, even if it is the repeated request
	 * of a caller that already waits. The request still takes effect: the template asks
	 * again while its waiting time lasts, and otherwise fails with a
	 * {@link io.github.redislock.LockStoreException} whose outcome is unknown.
	 */
	public void loseNextReplyToAcquire() {
		this.faults.loseReply(Faults.Request.ACQUIRE);
	}

	/**
	 * Lose the reply to the next renewal of a lease, or to the next
	 * {@link LockHandle#extend(Duration)}. The request still takes effect.
	 */
	public void loseNextReplyToRenewal() {
		this.faults.loseReply(Faults.Request.RENEW);
	}

	/**
	 * Lose the reply to the next release. The release still takes effect; the holder gets
	 * {@link io.github.redislock.ReleaseOutcome#UNKNOWN}.
	 */
	public void loseNextReplyToRelease() {
		this.faults.loseReply(Faults.Request.RELEASE);
	}

	/**
	 * Let the store fail for all templates until {@link #comeBack()} or {@link #reset()}:
	 * every request fails at once and has no effect. If the store stays down, a holder
	 * loses its lock when the lease is over.
	 */
	public void goDown() {
		this.faults.setDown(true);
	}

	/**
	 * Let the store reply again. It still knows all locks that have not expired.
	 */
	public void comeBack() {
		this.faults.setDown(false);
		this.listeners.forEach(HandOverListener::changed);
	}

	/**
	 * Move the clock forward. Renewals, ends of leases and ends of waiting times that
	 * become due are handled on the calling thread.
	 * <p>
	 * A caller that waits for a lock needs another thread to move the clock. Make sure
	 * that the caller is already waiting, for example with {@link #waiters(String)}. If a
	 * template's listener or future calls this method, {@link #lose} or {@link #reset},
	 * they pause for up to two seconds.
	 * @param duration how far to move the clock
	 * @throws IllegalStateException if the clock is not manual
	 */
	public void advance(Duration duration) {
		if (!(this.timer instanceof ManualLockTimer manual)) {
			throw new IllegalStateException(
					"The clock is not manual: create the locks with TestLocks.withManualClock()");
		}
		this.listeners.forEach(HandOverListener::settle);
		manual.advance(duration);
		// A caller that had just begun to wait may have read the clock before it moved.
		this.listeners.forEach(HandOverListener::changed);
	}

	/**
	 * Return whether a lock is held, by a template or by another process.
	 * @param name the lock's name
	 * @return whether the store knows a holder, even while it is down
	 */
	public boolean isHeld(String name) {
		return inspect(LockTarget.of(name)).isPresent();
	}

	/**
	 * Return the number of holders of a lock, in all templates and other processes. Each
	 * caller that shares the lock counts separately.
	 * @param name the lock's name
	 * @return the number of holders; 0 if the lock is free
	 */
	public int holders(String name) {
		return inspect(LockTarget.of(name)).map(LockState::holders).orElse(0);
	}

	/**
	 * Return how many requests wait for a lock in the store. The callers of one template
	 * usually wait with one request. A caller has its own request if it shares the lock,
	 * or sets an owner token, no expiry or a minimum hold.
	 * @param name the lock's name
	 * @return the number of requests; 0 if the lock is free
	 */
	public int waiters(String name) {
		return inspect(LockTarget.of(name)).map(LockState::waiters).map(Math::toIntExact).orElse(0);
	}

	/**
	 * Return which locks the templates have acquired, to check whether a method takes the
	 * right lock.
	 * @return names in order, each as often as the lock was acquired since the last reset
	 */
	public List<String> acquired() {
		return this.holds.acquired();
	}

	/**
	 * Fail if callers have requested the same locks in conflicting orders since the last
	 * reset: one holds {@code a} and asks for {@code b}, and another one the other way
	 * round, perhaps with further locks in between. Such callers may deadlock in
	 * production, even though they did not run at the same time in this test.
	 * <p>
	 * Two orders do not conflict if both callers also held a common lock. A request that
	 * does not wait counts like any other.
	 * @throws AssertionError with the conflicting orders and their threads
	 */
	public void assertConsistentOrder() {
		String contradiction = this.holds.orders().contradiction();
		if (contradiction != null) {
			throw new AssertionError(
					("Locks were requested in conflicting orders, so callers may deadlock: %s. Acquire these"
							+ " locks together with LockTarget.allOf, or everywhere in the same order")
						.formatted(contradiction));
		}
	}

	/**
	 * Reset between two tests: all simulated failures end, and all locks are free. A
	 * holder loses its lock. The clock is not set back.
	 */
	public void reset() {
		this.listeners.forEach(HandOverListener::settle);
		this.faults.clear();
		// The store forgets all locks and waiters, but can still be used.
		this.memory.close();
		this.listeners.forEach(this.memory::listen);
		this.holds.names().forEach((name) -> this.listeners.forEach((listener) -> listener.takenByForce(name)));
		this.holds.clear();
		this.listeners.forEach(HandOverListener::changed);
	}

	/**
	 * Close the templates that this object has created, and close the clock. Afterwards,
	 * this object can no longer hold, lose or inspect a lock, or create a template.
	 */
	@Override
	public void close() {
		this.closed = true;
		this.faults.clear();
		this.templates.forEach(RedisLockTemplate::close);
		this.timer.close();
	}

	/**
	 * Let another process hold a lock, even while the store is down for the templates.
	 * @param lease how long the lock is held; {@code null} means until it is released
	 */
	private HeldElsewhere hold(LockTarget target, @Nullable Duration lease) {
		String id = "elsewhere/" + this.holdsElsewhere.incrementAndGet();
		AcquireRequest request = new AcquireRequest(target, id, id, lease);
		if (memory().acquire(request).toCompletableFuture().join() instanceof AcquireReply.Held held) {
			throw new IllegalStateException(
					"Lock '%s' cannot be held elsewhere: '%s' holds it".formatted(target, held.holder().holder()));
		}
		return new HeldElsewhere(this.memory, request);
	}

	private InMemoryLockStore memory() {
		if (this.closed) {
			throw new IllegalStateException("These TestLocks are closed: create new ones for each test");
		}
		return this.memory;
	}

	private Optional<LockState> inspect(LockTarget target) {
		return memory().inspect(target).toCompletableFuture().join();
	}

}
