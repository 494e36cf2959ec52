package io.github.redislock.memory;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in the memory of this process, for unit tests and for applications with
 * only one instance.
 * <p>
 * It fulfills the same contract as shared stores, but only for callers that use the same
 * object. Thread-safe.
 *
 * @see ManualLockTimer
 */
public final class InMemoryLockStore implements LockStore {

	private static final int CLEAN_UP_SIZE = 1_000;

	/** How long to remember the withdrawal of a request for a lock without expiry. */
	private static final Duration LIFE_OF_ENDLESS = Duration.ofDays(1);

	private final StoreClock clock;

	/** This field and those below are guarded by this object's monitor. */
	private final Map<String, MemoryLock> locks = new HashMap<>();

	/** Until when each withdrawn request is remembered, by its id. */
	private final Map<String, Long> withdrawals = new HashMap<>();

	private int cleanUpAt = CLEAN_UP_SIZE;

	private final GrantOrder order;

	/** Each of them receives all messages, and uses only those for its own callers. */
	private final Set<HandOverListener> listeners = new CopyOnWriteArraySet<>();

	/**
	 * Create a store that uses the system's clocks.
	 */
	public InMemoryLockStore() {
		this(LockTimer.system());
	}

	/**
	 * Create a store with a given clock.
	 * @param timer the clock that determines when locks expire
	 */
	public InMemoryLockStore(LockTimer timer) {
		this.clock = new StoreClock(timer);
		this.order = new GrantOrder(this.clock);
	}

	/**
	 * Add a listener. There may be several, one for each template that uses this store.
	 * Closing one of these templates closes the store for all.
	 */
	@Override
	public void listen(HandOverListener listener) {
		this.listeners.add(listener);
	}

	/**
	 * Remove a listener.
	 * @param listener the listener of a template that is closed without its store
	 */
	public void forget(HandOverListener listener) {
		this.listeners.remove(listener);
	}

	/**
	 * Return the target itself: this store supports all kinds of locks, and acquires
	 * several in one step.
	 */
	@Override
	public List<LockTarget> groups(LockTarget target) {
		return List.of(target);
	}

	@Override
	public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
		return reply(() -> decide(request));
	}

	@Override
	public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
		return renewals.stream().map(this::renew).toList();
	}

	private CompletionStage<Boolean> renew(RenewRequest renewal) {
		return reply(() -> known(renewal.target().name()).anyMatch((lock) -> renew(lock, renewal)));
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return reply(() -> releaseAll(granted, keepFor));
	}

	@Override
	public CompletionStage<YieldReply> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return reply(() -> new YieldReply(releaseAll(granted, Duration.ZERO),
				CompletableFuture.completedFuture(decide(next))));
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor, boolean replied) {
		return reply(() -> {
			List<MemoryLock> known = request.target().names().stream().flatMap(this::known).toList();
			known.forEach((lock) -> lock.waiters().leave(request.requestId()));
			known.forEach((lock) -> {
				if (hasGranted(lock, request)) {
					release(lock, request, keepFor);
				}
				else {
					// The withdrawn request may have blocked the requests behind it.
					this.order.handOver(lock);
				}
			});
			if (!replied) {
				// Remember this at least for the time to live of the request, which must
				// not take effect if it arrives late.
				Duration life = Objects.requireNonNullElse(request.timeToLive(), LIFE_OF_ENDLESS);
				this.withdrawals.put(request.requestId(), this.clock.time() + life.toNanos());
			}
			return null;
		});
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return reply(() -> known(target.name()).flatMap((lock) -> Stream.ofNullable(lock.state())).findFirst());
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
		return reply(() -> known(target.name())
			.anyMatch((lock) -> (seen == null || isHeldAsSeen(lock, seen)) && takeAway(lock)));
	}

	@Override
	public StoreStatus status(boolean passing) {
		return StoreStatus.NOTIFIED;
	}

	/**
	 * Remove all locks and listeners. All locks are free when {@link #listen} is called
	 * again.
	 */
	@Override
	public synchronized void close() {
		this.listeners.clear();
		this.locks.clear();
		this.withdrawals.clear();
	}

	synchronized int size() {
		return this.locks.size() + this.withdrawals.size();
	}

	/**
	 * Remove expired entries if there are many, and again each time their number has
	 * grown by half.
	 */
	private void cleanUp() {
		if (size() < this.cleanUpAt) {
			return;
		}
		this.locks.values().removeIf(MemoryLock::isIdle);
		this.withdrawals.values().removeIf(this.clock::isOver);
		this.cleanUpAt = Math.max(CLEAN_UP_SIZE, size() + size() / 2);
	}

	private MemoryLock lock(String name) {
		return this.locks.computeIfAbsent(name, (unknown) -> new MemoryLock(name, this.clock));
	}

	private Stream<MemoryLock> known(String name) {
		return Stream.ofNullable(this.locks.get(name));
	}

	private AcquireReply decide(AcquireRequest request) {
		cleanUp();
		if (this.withdrawals.containsKey(request.requestId())) {
			return new AcquireReply.Withdrawn();
		}
		List<MemoryLock> asked = request.target().names().stream().map(this::lock).toList();
		List<Place> own = asked.stream().flatMap((lock) -> Stream.ofNullable(lock.granted(request))).toList();
		if (own.size() == asked.size()) {
			asked.forEach((lock) -> grantAgain(lock, request));
			return new AcquireReply.Granted(own.stream().mapToLong(Place::token).max().orElseThrow());
		}
		boolean waits = request.claim() != null;
		if (waits && !asked.stream().allMatch(MemoryLock::isIdle)) {
			joinQueues(asked, request);
		}
		List<LockState> inTheWay = asked.stream()
			.flatMap((lock) -> Stream.ofNullable(this.order.inTheWay(lock, request)))
			.toList();
		if (!inTheWay.isEmpty()) {
			// The request may have lost only some of its locks.
			asked.stream()
				.filter((lock) -> hasGranted(lock, request))
				.forEach((lock) -> release(lock, request, Duration.ZERO));
			return new AcquireReply.Held(inTheWay.get(0), waits, waits);
		}
		long token = this.order.tokensFor(request);
		for (MemoryLock lock : asked) {
			lock.give(request, token, this.clock.end(request.timeToLive()));
			// There may also be room for the next waiter.
			this.order.handOver(lock);
		}
		return new AcquireReply.Granted(token);
	}

	private void grantAgain(MemoryLock lock, AcquireRequest request) {
		// If the lock was granted to another request of this owner, this request may
		// still be in the queue.
		lock.waiters().leave(request.requestId());
		Place own = lock.of(request.owner());
		if (own != null) {
			lock.change(own, StoreClock.prolonged(own.end(), this.clock.end(request.timeToLive())));
		}
	}

	/**
	 * Keep the request's place in each queue. If it has lost its place in one, it joins
	 * all queues again at the end, so that any two requests have the same order in all
	 * queues that they share.
	 */
	private static void joinQueues(List<MemoryLock> asked, AcquireRequest request) {
		if (!asked.stream().allMatch((lock) -> lock.waiters().contains(request.requestId()))) {
			asked.forEach((lock) -> lock.waiters().leave(request.requestId()));
		}
		asked.forEach((lock) -> lock.waiters().join(request));
	}

	private boolean releaseAll(AcquireRequest granted, Duration keepFor) {
		boolean all = true;
		for (String name : granted.target().names()) {
			all &= known(name).anyMatch((lock) -> release(lock, granted, keepFor));
		}
		return all;
	}

	private boolean release(MemoryLock lock, AcquireRequest granted, Duration keepFor) {
		boolean ours = lock.release(granted, keepFor);
		if (ours && keepFor.isZero()) {
			this.order.handOver(lock);
		}
		return ours;
	}

	/**
	 * Change the lease of an owner.
	 * @return whether the owner holds the lock
	 */
	private boolean renew(MemoryLock lock, RenewRequest renewal) {
		Place own = lock.of(renewal.owner());
		Duration timeToLive = renewal.timeToLive();
		if (own != null && timeToLive != null) {
			lock.change(own, this.clock.end(timeToLive));
		}
		return own != null;
	}

	private static boolean isHeldAsSeen(MemoryLock lock, LockState seen) {
		return lock.of(Objects.requireNonNull(seen.owner())) != null
				&& (seen.holders() > 1 || lock.holders().size() == 1);
	}

	/**
	 * Take a lock away from all of its holders, and pass it on to waiters.
	 * @return whether there was a holder
	 */
	private boolean takeAway(MemoryLock lock) {
		boolean held = lock.isHeld();
		lock.takeAway();
		if (held) {
			this.order.notifyOfForce(lock);
			this.order.handOver(lock);
		}
		return held;
	}

	private static boolean hasGranted(MemoryLock lock, AcquireRequest request) {
		Place own = lock.of(request.owner());
		return own != null && own.requestId().equals(request.requestId());
	}

	private <T extends @Nullable Object> CompletionStage<T> reply(Supplier<T> decision) {
		T reply;
		List<Consumer<HandOverListener>> messages;
		synchronized (this) {
			reply = decision.get();
			messages = this.order.takeMessages();
		}
		messages.forEach(this.listeners::forEach);
		return CompletableFuture.completedFuture(reply);
	}

}
