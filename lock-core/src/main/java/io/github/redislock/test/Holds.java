package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockState;
import io.github.redislock.ReleaseOutcome;

/**
 * Knows the locks that templates hold at present, and have acquired.
 */
final class Holds implements LockListener {

	private final Set<LockHandle> handles = ConcurrentHashMap.newKeySet();

	private final List<String> acquired = new CopyOnWriteArrayList<>();

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		this.handles.add(lock);
		this.acquired.add(lock.name());
	}

	@Override
	public void lost(LockHandle lock, LockLostException loss) {
		this.handles.remove(lock);
	}

	@Override
	public void released(LockHandle lock, ReleaseOutcome outcome, Duration held) {
		this.handles.remove(lock);
	}

	/**
	 * Return those who hold a lock, alone or among several, by the token that the store
	 * knows.
	 */
	List<LockHandle> of(LockState state) {
		return this.handles.stream().filter((handle) -> handle.owner().equals(state.owner())).toList();
	}

	/**
	 * Let all holders ask whether their locks are theirs still.
	 */
	void verifyAll() {
		this.handles.forEach(LockHandle::verify);
	}

	List<String> acquired() {
		return List.copyOf(this.acquired);
	}

	void clear() {
		this.acquired.clear();
	}

}
