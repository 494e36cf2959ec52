package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LocalLocks;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.OwnerTokens;
import org.jspecify.annotations.Nullable;

/**
 * The waiters and the holds of one engine, and the local queues: a common queue for each
 * lock, and a separate one for each caller that cannot pass the lock on. Thread-safe.
 */
final class OpenLocks implements Acquisition.Registry {

	private final EngineParts parts;

	private final Executor callbacks;

	/** The common queues. */
	private final ConcurrentMap<LockTarget, LocalQueue> queues = new ConcurrentHashMap<>();

	private final ConcurrentMap<Acquisition<?>, LocalQueue> waiting = new ConcurrentHashMap<>();

	/** The callers that wait in separate queues after their first refusal. */
	private final ConcurrentMap<LockTarget, Set<Acquisition<?>>> separate = new ConcurrentHashMap<>();

	private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

	private final LongAdder refusedAtOnce = new LongAdder();

	private volatile boolean closed;

	OpenLocks(EngineParts parts, Executor callbacks) {
		this.parts = parts;
		this.callbacks = callbacks;
	}

	/**
	 * Return the queue for a caller: the common one, or a separate one if the caller
	 * cannot pass the lock on. Call {@link #unuse} once for each returned queue.
	 * @return {@code null} if as many callers as allowed already wait
	 */
	@Nullable LocalQueue use(LockTarget target, AcquireSettings settings) {
		if (!settings.passes(target)) {
			boolean full = settings.waits() && separate(target).size() >= settings.maxWaiters();
			return full ? null : new LocalQueue(this.parts, target, false);
		}
		LocalQueue queue = find(target);
		while (queue == null || !queue.use(settings)) {
			if (queue != null && queue.isUsed()) {
				return null;
			}
			LocalQueue created = new LocalQueue(this.parts, target, true);
			queue = this.queues.merge(target, created, (present, added) -> present.isUsed() ? present : added);
			if (queue.equals(created)) {
				return created;
			}
		}
		return queue;
	}

	/**
	 * Remove one user from a queue, and discard the queue after its last user has left.
	 */
	void unuse(LocalQueue queue) {
		if (queue.unuse()) {
			this.queues.remove(queue.target(), queue);
		}
	}

	/**
	 * Return the common queue for a lock without counting a user.
	 */
	@Nullable LocalQueue find(LockTarget target) {
		return this.queues.get(target);
	}

	/**
	 * Refuse a caller for which there is no place in a queue, and report what is known
	 * about the callers that wait.
	 */
	void refuse(Acquisition<?> caller) {
		Stream
			.concat(Stream.ofNullable(find(caller.target())), separate(caller.target()).stream().map(this.waiting::get))
			.filter(Objects::nonNull)
			.findFirst()
			.ifPresentOrElse((full) -> full.refuse(caller),
					() -> caller.refuse(null, caller.settings().maxWaiters(), null));
	}

	/**
	 * Register a caller before it joins its queue.
	 */
	void waits(Acquisition<?> caller, LocalQueue queue) {
		this.waiting.put(caller, queue);
	}

	@Override
	public Executor callbacks() {
		return this.callbacks;
	}

	@Override
	public void granted(Acquisition<?> acquisition, Hold hold) {
		// Remove the wait last, so that a forced release does not miss the caller, and
		// settled() includes what is done here.
		this.holds.add(hold);
		LocalQueue queue = Objects.requireNonNull(this.waiting.get(acquisition));
		hold.watch(() -> {
			this.holds.remove(hold);
			unuse(queue);
		});
		this.waiting.remove(acquisition);
		if (!queue.isCommon()) {
			discountSeparate(acquisition);
			hold.outcome().thenRun(() -> wakeWaiters(hold.target()));
		}
		if (this.closed) {
			hold.releaseAtShutdown();
		}
	}

	/**
	 * Make the waiters for an exclusive lock send their request, unless the store will
	 * notify them.
	 */
	private void wakeWaiters(LockTarget target) {
		LocalQueue queue = find(target.exclusive());
		if (queue != null) {
			queue.run(QueueState::wake);
		}
	}

	@Override
	public boolean mayWait(Acquisition<?> caller) {
		LocalQueue queue = this.waiting.get(caller);
		return queue == null || queue.isCommon() || countSeparate(caller);
	}

	/**
	 * Count a caller that waits in a separate queue.
	 * @return {@code false} if as many as allowed already wait
	 */
	private boolean countSeparate(Acquisition<?> caller) {
		Set<Acquisition<?>> waiting = this.separate.compute(caller.target(), (target, present) -> {
			Set<Acquisition<?>> others = (present != null) ? present : ConcurrentHashMap.newKeySet();
			if (others.size() < caller.settings().maxWaiters()) {
				others.add(caller);
			}
			return others;
		});
		boolean counted = waiting.contains(caller);
		if (caller.isEnded()) {
			discountSeparate(caller);
		}
		return counted;
	}

	/**
	 * Remove a caller that no longer waits in a separate queue from the count.
	 */
	private void discountSeparate(Acquisition<?> caller) {
		this.separate.computeIfPresent(caller.target(), (target, waiting) -> {
			waiting.remove(caller);
			return waiting.isEmpty() ? null : waiting;
		});
	}

	private Set<Acquisition<?>> separate(LockTarget target) {
		return this.separate.getOrDefault(target, Set.of());
	}

	@Override
	public void refusedAtOnce() {
		this.refusedAtOnce.increment();
	}

	@Override
	public void ended(Acquisition<?> acquisition, boolean cancelled) {
		LocalQueue queue = this.waiting.remove(acquisition);
		if (queue == null) {
			// The caller was refused before it joined a queue.
			return;
		}
		if (!queue.isCommon()) {
			discountSeparate(acquisition);
		}
		if (cancelled) {
			queue.run((state) -> state.leave(acquisition));
		}
		unuse(queue);
	}

	/**
	 * End all waits, and make sure that later grants are released.
	 * @return futures, each of which completes when its queue has processed the end of
	 * the wait
	 */
	List<CompletableFuture<Void>> close() {
		this.closed = true;
		return this.waiting.entrySet().stream().map((each) -> {
			LockTarget target = each.getKey().target();
			each.getKey().cancel(new LockShutdownException(target));
			return each.getValue().settled();
		}).toList();
	}

	/**
	 * Return a future that completes when the queues have processed all steps that were
	 * submitted so far for callers that wait.
	 */
	CompletableFuture<Void> settled() {
		return CompletableFuture.allOf(
				this.waiting.values().stream().distinct().map(LocalQueue::settled).toArray(CompletableFuture[]::new));
	}

	Stream<Hold> holds() {
		return this.holds.stream();
	}

	/**
	 * Return whether a hold belongs to this engine and is not over.
	 */
	boolean isOpen(Hold hold) {
		return this.holds.contains(hold);
	}

	boolean isEmpty() {
		return this.waiting.isEmpty() && this.holds.isEmpty() && this.queues.isEmpty() && this.separate.isEmpty();
	}

	List<LockTarget> targets() {
		return Stream.concat(holds().map(Hold::target), this.waiting.keySet().stream().map(Acquisition::target))
			.distinct()
			.toList();
	}

	/**
	 * Make the holders of a lock, and the callers about to get it, check whether they
	 * have it.
	 */
	void takenByForce(String lockName) {
		// Notify waiters first, so that a waiter that becomes a holder is not missed.
		this.waiting.values()
			.stream()
			.filter((queue) -> queue.target().names().contains(lockName))
			.distinct()
			.forEach((queue) -> queue.run(QueueState::takenByForce));
		this.holds.stream()
			.filter((hold) -> hold.target().names().contains(lockName))
			.forEach((hold) -> hold.keeper().takenByForce());
	}

	/**
	 * Return the held and awaited locks, for operators.
	 * @param instance the name of this process
	 * @param trouble the store's current problem, or {@code null}
	 */
	LocalLocks describe(String instance, @Nullable String trouble) {
		Map<LockTarget, List<Acquisition<?>>> callers = this.waiting.keySet()
			.stream()
			.filter((caller) -> !caller.isEnded())
			.collect(Collectors.groupingBy(Acquisition::target));
		Map<String, Set<LockTarget>> awaited = new HashMap<>();
		callers.keySet()
			.forEach((target) -> target.names()
				.forEach((name) -> awaited.computeIfAbsent(name, (first) -> new HashSet<>()).add(target)));
		List<LocalLocks.Held> held = this.holds.stream()
			.filter(Hold::isHeld)
			.map((hold) -> describe(hold, waitingFor(hold.target(), awaited, callers)))
			.sorted(Comparator.comparing(LocalLocks.Held::held).reversed())
			.toList();
		List<LocalLocks.Waiting> waiting = callers.values()
			.stream()
			.map(this::describe)
			.sorted(Comparator.comparing(LocalLocks.Waiting::longest).reversed())
			.toList();
		return new LocalLocks(instance, held, waiting, this.refusedAtOnce.sum(), trouble);
	}

	private static LocalLocks.Held describe(Hold hold, int waiting) {
		boolean renewed = !hold.terms().lease().isEndless() && hold.terms().goesOn();
		return new LocalLocks.Held(hold.target(), OwnerTokens.shortened(hold.owner()), hold.fencingToken(),
				hold.terms().held(), hold.remaining(), hold.entries(), waiting, renewed, hold.keeper().trouble(),
				hold.monitor().threadName());
	}

	private static int waitingFor(LockTarget target, Map<String, Set<LockTarget>> awaited,
			Map<LockTarget, List<Acquisition<?>>> callers) {
		return target.names()
			.stream()
			.flatMap((name) -> awaited.getOrDefault(name, Set.of()).stream())
			.distinct()
			.mapToInt((each) -> callers.getOrDefault(each, List.of()).size())
			.sum();
	}

	private LocalLocks.Waiting describe(List<Acquisition<?>> callers) {
		Duration longest = callers.stream().map(Acquisition::waited).max(Comparator.naturalOrder()).orElseThrow();
		LockState behind = callers.stream()
			.map(this.waiting::get)
			.filter(Objects::nonNull)
			.map(LocalQueue::behind)
			.filter(Objects::nonNull)
			.findFirst()
			.map(LockState::withoutOwner)
			.orElse(null);
		return new LocalLocks.Waiting(callers.get(0).target(), callers.size(), longest, behind);
	}

	/**
	 * Return the state with the current fencing token if this process holds the lock.
	 */
	LockState refine(LockState state) {
		return this.holds.stream()
			.filter((hold) -> hold.owner().equals(state.owner()) && hold.target().names().contains(state.name()))
			.filter(Hold::isHeld)
			.findFirst()
			.map((hold) -> state.having(hold.fencingToken()))
			.orElse(state);
	}

}
