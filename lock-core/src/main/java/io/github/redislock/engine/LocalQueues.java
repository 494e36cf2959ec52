package io.github.redislock.engine;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The queues of this process's callers: a common one for each lock, and separate ones for
 * callers that cannot pass the lock on. Thread-safe.
 */
final class LocalQueues {

	private final ConcurrentMap<LockTarget, LocalQueue> queues = new ConcurrentHashMap<>();

	/** The callers that wait in separate queues, with their queues. */
	private final ConcurrentMap<LockTarget, Map<Acquisition<?>, LocalQueue>> separate = new ConcurrentHashMap<>();

	private final LockRequests requests;

	LocalQueues(LockRequests requests) {
		this.requests = requests;
	}

	/**
	 * Return the queue for a caller: the common one, or a separate one if the caller
	 * cannot pass the lock on. Call {@link #unuse} once for each returned queue.
	 * @return {@code null} if as many callers as allowed already wait
	 */
	@Nullable LocalQueue use(LockTarget target, AcquireSettings settings) {
		if (!settings.passes(target)) {
			boolean full = settings.waits() && separate(target).size() >= settings.maxWaiters();
			return full ? null : new LocalQueue(this.requests, target, false);
		}
		LocalQueue queue = this.queues.get(target);
		while (queue == null || !queue.use(settings)) {
			if (queue != null && queue.isUsed()) {
				return null;
			}
			LocalQueue created = new LocalQueue(this.requests, target, true);
			queue = this.queues.merge(target, created, (present, added) -> present.isUsed() ? present : added);
			if (queue.equals(created)) {
				return created;
			}
		}
		return queue;
	}

	/**
	 * Refuse a caller for which there is no place in a queue, and report what is known
	 * about the callers that wait.
	 */
	void refuse(Acquisition<?> caller) {
		Stream.concat(Stream.ofNullable(find(caller.target())), separate(caller.target()).values().stream())
			.findFirst()
			.ifPresentOrElse((full) -> full.refuse(caller),
					() -> caller.refuseAtOnce(null, caller.settings().maxWaiters(), null));
	}

	/**
	 * Count a caller that waits in a separate queue.
	 * @return {@code false} if as many as allowed already wait
	 */
	boolean countSeparate(Acquisition<?> caller, LocalQueue queue) {
		Map<Acquisition<?>, LocalQueue> waiting = this.separate.compute(caller.target(), (target, present) -> {
			Map<Acquisition<?>, LocalQueue> others = (present != null) ? present : new ConcurrentHashMap<>();
			if (others.size() < caller.settings().maxWaiters()) {
				others.put(caller, queue);
			}
			return others;
		});
		boolean counted = waiting.containsKey(caller);
		if (caller.isEnded()) {
			discountSeparate(caller);
		}
		return counted;
	}

	/**
	 * Remove a caller that no longer waits in a separate queue from the count.
	 */
	void discountSeparate(Acquisition<?> caller) {
		this.separate.computeIfPresent(caller.target(), (target, waiting) -> {
			waiting.remove(caller);
			return waiting.isEmpty() ? null : waiting;
		});
	}

	private Map<Acquisition<?>, LocalQueue> separate(LockTarget target) {
		return this.separate.getOrDefault(target, Map.of());
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
	 * Make the waiters for an exclusive lock send their request, unless the store will
	 * notify them.
	 */
	void wake(LockTarget target) {
		LocalQueue queue = find(target.exclusive());
		if (queue != null) {
			queue.wake();
		}
	}

	/**
	 * Return the common queue for a lock without counting a user.
	 */
	@Nullable LocalQueue find(LockTarget target) {
		return this.queues.get(target);
	}

	boolean isEmpty() {
		return this.queues.isEmpty() && this.separate.isEmpty();
	}

}
