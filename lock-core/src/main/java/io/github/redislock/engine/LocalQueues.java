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

	private final LocalQueue.Source source;

	/**
	 * Create an empty collection.
	 * @param source creates requests and tenures for the queues
	 */
	LocalQueues(LocalQueue.Source source) {
		this.source = source;
	}

	/**
	 * Return the queue for a caller: the common one, or a separate one if the caller
	 * cannot pass the lock on. Call {@link #unuse} once for each returned queue.
	 */
	LocalQueue use(LockTarget target, AcquireSettings settings) {
		if (!settings.passes(target)) {
			return new LocalQueue(this.source, target, false);
		}
		while (true) {
			LocalQueue queue = this.queues.get(target);
			if (queue != null && queue.use()) {
				return queue;
			}
			LocalQueue fresh = new LocalQueue(this.source, target, true);
			if (replace(target, queue, fresh)) {
				return fresh;
			}
		}
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

	private boolean replace(LockTarget target, @Nullable LocalQueue left, LocalQueue fresh) {
		return (left != null) ? this.queues.replace(target, left, fresh)
				: this.queues.putIfAbsent(target, fresh) == null;
	}

	boolean isEmpty() {
		return this.queues.isEmpty();
	}

}
