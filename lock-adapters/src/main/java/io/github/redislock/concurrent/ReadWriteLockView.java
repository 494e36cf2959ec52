package io.github.redislock.concurrent;

import java.util.concurrent.locks.ReadWriteLock;

import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * A distributed lock for readers and writers as a {@link ReadWriteLock}, for code that is
 * written against that interface.
 * <p>
 * The read lock and the write lock are {@link LockView views}, with the same limits. A
 * thread may acquire each of them repeatedly, and may acquire the read lock while it
 * holds the write lock. Differences from
 * {@link java.util.concurrent.locks.ReentrantReadWriteLock}:
 * <ul>
 * <li>Readers and writers alike are served in the order of arrival.
 * <li>A thread that holds the read lock and requests the write lock gets an
 * {@link IllegalStateException}, even from {@code tryLock}, because it would wait for
 * itself forever.
 * <li>A writer that acquires the read lock holds the lock exclusively until it has
 * unlocked both, in any order. Other readers wait that long.
 * </ul>
 * Thread-safe.
 *
 * @see LockTarget#forReading()
 */
public final class ReadWriteLockView implements ReadWriteLock {

	private final LockView readLock;

	private final LockView writeLock;

	/**
	 * Create a view of a lock that is acquired with the default options.
	 * @param locks acquires the lock
	 * @param name the lock's name
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public ReadWriteLockView(LockOperations locks, String name) {
		this(locks, LockTarget.of(name));
	}

	/**
	 * Create a view of a lock, with the default options. Use this for a lock that has a
	 * name and a key.
	 * @param locks acquires the lock
	 * @param target the lock
	 * @throws IllegalArgumentException if the target names several locks
	 * @see LockTarget#of(String, Object)
	 */
	public ReadWriteLockView(LockOperations locks, LockTarget target) {
		this(locks, target, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks acquires the lock
	 * @param target the lock
	 * @param options how to acquire and keep the lock, except for the waiting time, which
	 * each method sets, and for re-entrance, which is always allowed
	 * @throws IllegalArgumentException if the target names several locks
	 */
	public ReadWriteLockView(LockOperations locks, LockTarget target, LockOptions options) {
		this.readLock = new LockView(locks, target.forReading(), options);
		this.writeLock = new LockView(locks, target.exclusive(), options);
	}

	/**
	 * Return the read lock, which all readers share.
	 * @return the view for reading
	 */
	@Override
	public LockView readLock() {
		return this.readLock;
	}

	/**
	 * Return the write lock, which is exclusive, like a {@link LockView} with this name.
	 * @return the view for writing
	 */
	@Override
	public LockView writeLock() {
		return this.writeLock;
	}

	@Override
	public String toString() {
		return "ReadWriteLockView[name=" + this.writeLock.target().name() + "]";
	}

}
