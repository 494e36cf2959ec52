package io.github.redislock.test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockHandle;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.ReleaseOutcome;

/**
 * Knows the locks that templates hold at present, and have acquired.
 */
final class Holds implements LockListener {

	private final Set<LockHandle> handles = ConcurrentHashMap.newKeySet();

	private final List<String> acquired = new CopyOnWriteArrayList<>();

	@Override
	public void acquired(LockHandle lock, Duration waited, HandOverKind from) {
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
	 * Return those who hold a lock, by the tokens that the store knows.
	 * @param owners whether it does
	 */
	List<LockHandle> of(Predicate<String> owners) {
		return this.handles.stream().filter((handle) -> owners.test(handle.owner())).toList();
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
