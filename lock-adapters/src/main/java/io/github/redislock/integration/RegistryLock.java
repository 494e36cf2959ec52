package io.github.redislock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.concurrent.LockView;
import org.jspecify.annotations.Nullable;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * A {@link LockView} that fails with the exceptions of Spring Integration's locks.
 */
final class RegistryLock implements DistributedLock {

	private final DistributedLockRegistry registry;

	private final LockOperations locks;

	private final String name;

	private final LockOptions options;

	RegistryLock(DistributedLockRegistry registry, LockOperations locks, String name, LockOptions options) {
		this.registry = registry;
		this.locks = locks;
		this.name = name;
		this.options = options;
	}

	@Override
	public void lock() {
		lock(this.options);
	}

	@Override
	public void lock(Duration ttl) {
		lock(this.options.timeout(ttl));
	}

	@Override
	public void lockInterruptibly() throws InterruptedException {
		try {
			view(this.options).lockInterruptibly();
		}
		catch (LockException ex) {
			throw notAcquired(ex);
		}
	}

	@Override
	public boolean tryLock() {
		try {
			return view(this.options).tryLock();
		}
		catch (LockException ex) {
			throw notAcquired(ex);
		}
	}

	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return tryLock(Duration.ofNanos(unit.toNanos(time)), this.options);
	}

	@Override
	public boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
		return tryLock(waitTime, this.options.timeout(ttl));
	}

	@Override
	public void unlock() {
		try {
			view(this.options).unlock();
		}
		catch (LockLostException ex) {
			throw new ConcurrentModificationException(ex.getMessage(), ex);
		}
	}

	@Override
	public Condition newCondition() {
		return view(this.options).newCondition();
	}

	private void lock(LockOptions options) {
		try {
			view(options).lock();
		}
		catch (LockException ex) {
			throw notAcquired(ex);
		}
	}

	private boolean tryLock(Duration waitTime, LockOptions options) throws InterruptedException {
		try {
			return view(options).tryLock(waitTime.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (LockException ex) {
			throw notAcquired(ex);
		}
	}

	private LockView view(LockOptions options) {
		return new LockView(this.locks, this.name, options);
	}

	private static CannotAcquireLockException notAcquired(LockException failure) {
		return new CannotAcquireLockException(String.valueOf(failure.getMessage()), failure);
	}

	/**
	 * Return whether another object is the lock of the same key from the same registry.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof RegistryLock lock && this.registry.equals(lock.registry) && this.name.equals(lock.name);
	}

	@Override
	public int hashCode() {
		return this.name.hashCode();
	}

	@Override
	public String toString() {
		return "RegistryLock[name=" + this.name + "]";
	}

}
