package io.github.redislock;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import org.jspecify.annotations.Nullable;

/**
 * Where this process's callers wait for a lock, first come, first served: one queue for
 * each target, and only its head asks the store.
 * <p>
 * Thread-safe: each queue is changed under its map entry's lock, and callers are told
 * outside of it.
 */
final class WaitingRoom {

	private final ConcurrentMap<LockTarget, Deque<Acquisition>> queues = new ConcurrentHashMap<>();

	/**
	 * Join the queue.
	 * @return whether the newcomer is its head
	 */
	boolean enter(Acquisition newcomer) {
		AtomicBoolean head = new AtomicBoolean();
		this.queues.compute(newcomer.target(), (target, present) -> {
			Deque<Acquisition> queue = (present != null) ? present : new ArrayDeque<>();
			head.set(queue.isEmpty());
			queue.addLast(newcomer);
			return queue;
		});
		return head.get();
	}

	/**
	 * Leave the queue. Harmless for who is not in it.
	 * @return who has become the head by it, if anybody
	 */
	@Nullable Acquisition leave(Acquisition leaver) {
		AtomicReference<@Nullable Acquisition> promoted = new AtomicReference<>();
		this.queues.computeIfPresent(leaver.target(), (target, queue) -> {
			boolean wasHead = queue.peekFirst() == leaver;
			queue.remove(leaver);
			promoted.set(wasHead ? queue.peekFirst() : null);
			return queue.isEmpty() ? null : queue;
		});
		return promoted.get();
	}

	boolean isEmpty() {
		return this.queues.isEmpty();
	}

	/**
	 * Let the head ask at once: the lock may be free.
	 */
	void wake(LockTarget target) {
		AtomicReference<@Nullable Acquisition> head = new AtomicReference<>();
		this.queues.computeIfPresent(target, (key, queue) -> {
			head.set(queue.peekFirst());
			return queue;
		});
		Acquisition first = head.get();
		if (first != null) {
			first.wake();
		}
	}

}
