package io.github.redislock.engine;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * The queues of this process's callers, one for each lock that is waited for or held.
 * Thread-safe, without locks.
 */
final class LocalQueues {

	private final ConcurrentMap<LockTarget, LocalQueue> queues = new ConcurrentHashMap<>();

	private final LocalQueue.Source source;

	/**
	 * Create an empty collection.
	 * @param source gets the locks for which callers queue
	 */
	LocalQueues(LocalQueue.Source source) {
		this.source = source;
	}

	/**
	 * Return the queue for a caller of a lock, to be {@linkplain #unuse unused} once: a
	 * common one, or a separate one if it cannot pass on the lock.
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
	 * Note that a queue has one user less, and remove it after the last one.
	 */
	void unuse(LocalQueue queue) {
		if (queue.unuse()) {
			this.queues.remove(queue.target(), queue);
		}
	}

	/**
	 * Make waiters for an exclusive lock ask, if the store will not notify them.
	 */
	void wake(LockTarget target) {
		LocalQueue queue = find(target.exclusive());
		if (queue != null) {
			queue.wake();
		}
	}

	/**
	 * Return the queue for a lock without using it.
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
