package io.github.redislock.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The common queues of this process's callers, one for each lock that is held or waited
 * for. Thread-safe.
 */
final class LocalQueues {

	private final ConcurrentMap<LockTarget, LocalQueue> queues = new ConcurrentHashMap<>();

	private final LockRequests requests;

	/**
	 * Create an empty collection.
	 * @param requests creates requests and tenures for the queues
	 */
	LocalQueues(LockRequests requests) {
		this.requests = requests;
	}

	/**
	 * Return the queue for a caller: the common one, or a separate one if the caller
	 * cannot pass the lock on. Call {@link #unuse} once for each returned queue.
	 */
	LocalQueue use(LockTarget target, AcquireSettings settings) {
		if (!settings.passes(target)) {
			return new LocalQueue(this.requests, target, false);
		}
		LocalQueue queue = this.queues.get(target);
		if (queue != null && queue.use()) {
			return queue;
		}
		return this.queues.compute(target, (same, present) -> (present != null && present.use()) ? present
				: new LocalQueue(this.requests, target, true));
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
	 * Return the queue for a lock without counting a user.
	 */
	@Nullable LocalQueue find(LockTarget target) {
		return this.queues.get(target);
	}

	boolean isEmpty() {
		return this.queues.isEmpty();
	}

}
