package io.github.redislock.test;

import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.AcquireRequest;

import static java.time.Duration.ZERO;

/**
 * A lock that another process holds.
 *
 * @see TestLocks#holdElsewhere(String)
 * @see TestLocks#holdElsewhere(LockTarget)
 */
public final class HeldElsewhere implements AutoCloseable {

	private final InMemoryLockStore memory;

	private final AcquireRequest granted;

	HeldElsewhere(InMemoryLockStore memory, AcquireRequest granted) {
		this.memory = memory;
		this.granted = granted;
	}

	/**
	 * Return the name of the lock.
	 * @return the lock's name
	 */
	public String name() {
		return this.granted.target().name();
	}

	/**
	 * Let the other process release the lock, so that the first waiter gets it. A second
	 * release has no effect.
	 */
	public void release() {
		this.memory.release(this.granted, ZERO);
	}

	/**
	 * Let the other process release the lock.
	 * @see #release()
	 */
	@Override
	public void close() {
		release();
	}

}
