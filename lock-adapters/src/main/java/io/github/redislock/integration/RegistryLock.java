package io.github.redislock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

import io.github.redislock.LockException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.concurrent.LockView;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.util.CheckedCallable;

/**
 * A lock that delegates to a {@link LockView}, and fails with the exceptions of Spring
 * Integration's locks. Locks with the same name from the same registry are equal.
 *
 * @param registry the registry, which also determines the other settings
 * @param locks acquires the lock
 * @param name the lock's name
 * @param options how to acquire and keep the lock, except for the waiting time
 */
record RegistryLock(DistributedLockRegistry registry, LockOperations locks, String name,
		LockOptions options) implements DistributedLock {

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
		attempt(() -> {
			view(this.options).lockInterruptibly();
			return true;
		});
	}

	@Override
	public boolean tryLock() {
		return attempt(() -> view(this.options).tryLock());
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
		attempt(() -> {
			view(options).lock();
			return true;
		});
	}

	private boolean tryLock(Duration waitTime, LockOptions options) throws InterruptedException {
		return attempt(() -> view(options).tryLock(waitTime.toMillis(), TimeUnit.MILLISECONDS));
	}

	private LockView view(LockOptions options) {
		return new LockView(this.locks, LockTarget.of(this.name), options);
	}

	private static <E extends Throwable> boolean attempt(CheckedCallable<Boolean, E> acquisition) throws E {
		try {
			return acquisition.call();
		}
		catch (LockException ex) {
			throw new CannotAcquireLockException(String.valueOf(ex.getMessage()), ex);
		}
	}

	@Override
	public String toString() {
		return "RegistryLock[name=" + this.name + "]";
	}

}
