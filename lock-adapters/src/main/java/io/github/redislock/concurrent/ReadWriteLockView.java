package io.github.redislock.concurrent;

import java.util.concurrent.locks.ReadWriteLock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;

/**
 * A distributed lock that readers share as a {@link ReadWriteLock}, for code that is
 * written against that interface.
 * <p>
 * Its two locks are {@link LockView views}, with the same limits. A thread may take each
 * of them repeatedly, and while it writes, take the lock for reading as well. Differences
 * from {@link java.util.concurrent.locks.ReentrantReadWriteLock}:
 * <ul>
 * <li>Readers and writers alike are served in the order of arrival.
 * <li>A thread that reads and asks to write gets an {@link IllegalStateException}, even
 * from {@code tryLock}, because it would wait for itself forever.
 * <li>A writer that takes the lock for reading and unlocks the write lock holds it
 * exclusively until it also unlocks the read lock, unless it calls
 * {@code readLock().handle().}{@link LockHandle#downgrade() downgrade()}.
 * </ul>
 * Thread-safe.
 *
 * @see LockTarget#forReading()
 */
public final class ReadWriteLockView implements ReadWriteLock {

	private final LockView readLock;

	private final LockView writeLock;

	/**
	 * Create a view of a lock that is taken with the default options.
	 * @param locks takes the lock
	 * @param name the lock's name
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public ReadWriteLockView(LockOperations locks, String name) {
		this(locks, name, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks takes the lock
	 * @param name the lock's name
	 * @param options how to take and keep the lock, except for the waiting time, which
	 * each method sets
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public ReadWriteLockView(LockOperations locks, String name, LockOptions options) {
		this(locks, LockTarget.of(name), options);
	}

	/**
	 * Create a view of a lock that is taken with the default options, such as one with a
	 * name and a key.
	 * @param locks takes the lock
	 * @param target the lock
	 * @throws IllegalArgumentException if the target is several locks
	 * @see LockTarget#of(String, Object)
	 */
	public ReadWriteLockView(LockOperations locks, LockTarget target) {
		this(locks, target, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks takes the lock
	 * @param target the lock
	 * @param options how to take and keep the lock, except for the waiting time, which
	 * each method sets
	 * @throws IllegalArgumentException if the target is several locks
	 */
	public ReadWriteLockView(LockOperations locks, LockTarget target, LockOptions options) {
		this.readLock = new LockView(locks, target.forReading(), options);
		this.writeLock = new LockView(locks, target.exclusive(), options);
	}

	/**
	 * Return the lock that all readers share.
	 * @return its view
	 */
	@Override
	public LockView readLock() {
		return this.readLock;
	}

	/**
	 * Return the exclusive lock of one writer, which is the same lock as that of a
	 * {@link LockView} with this name.
	 * @return its view
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
