package io.github.redislock.integration;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.concurrent.LockView;
import io.github.redislock.internal.support.LateWork;
import org.jspecify.annotations.Nullable;

import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.scheduling.TaskScheduler;

/**
 * A registry of locks for Spring Integration and for code that is written against its
 * lock registries. <pre class="code">
 * &#64;Bean
 * DistributedLockRegistry lockRegistry(LockOperations locks) {
 *     return new DistributedLockRegistry(locks, "orders");
 * }
 * </pre>
 * <p>
 * The registry keeps no state for locks that are not held, so it has no capacity and
 * evicts nothing. Two registries with the same key and the same {@link LockOperations}
 * share their locks. Leases are renewed while a lock is held, without a scheduler, unless
 * the options say otherwise. The locks have the limits of a {@link LockView}. A loss is
 * reported by a {@link ConcurrentModificationException}, as Spring Integration's
 * components expect. Thread-safe.
 */
public final class DistributedLockRegistry
		implements ExpirableLockRegistry<DistributedLock>, RenewableLockRegistry<DistributedLock> {

	private final LockOperations locks;

	private final String registryKey;

	private final LockOptions options;

	/**
	 * Create a registry whose locks are acquired with the default options.
	 * @param locks acquires the locks
	 * @param registryKey the prefix of the names of its locks
	 */
	public DistributedLockRegistry(LockOperations locks, String registryKey) {
		this(locks, registryKey, LockOptions.options());
	}

	/**
	 * Create a registry.
	 * @param locks acquires the locks
	 * @param registryKey the prefix of the names of its locks
	 * @param options how to acquire and keep the locks, except for the waiting time,
	 * which each call sets, and for re-entrance, which is always allowed
	 */
	public DistributedLockRegistry(LockOperations locks, String registryKey, LockOptions options) {
		this.locks = locks;
		this.registryKey = registryKey;
		this.options = options;
	}

	/**
	 * Return a lock. Locks that one registry returns for the same key are equal, though
	 * not the same object.
	 * @param lockKey one value that can be the key of a lock, such as a string, a number
	 * or a UUID
	 * @return the lock with the name {@link LockTarget#of(String, Object)
	 * registryKey:lockKey}
	 * @throws IllegalArgumentException if the key is not such a value, or the name is not
	 * valid
	 */
	@Override
	public DistributedLock obtain(Object lockKey) {
		return new RegistryLock(this, this.locks, name(lockKey), this.options);
	}

	/**
	 * Call a task under a lock.
	 * @throws IllegalStateException if the task returned a future, a stream or the like,
	 * with which work goes on after the release of the lock
	 */
	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object key, CheckedCallable<T, E> task)
			throws E, InterruptedException {
		return ExpirableLockRegistry.super.executeLocked(key, () -> LateWork.requireNone(name(key), task.call()));
	}

	/**
	 * Call a task under a lock, if it is acquired within a waiting time.
	 * @throws IllegalStateException if the task returned a future, a stream or the like,
	 * with which work goes on after the release of the lock
	 */
	@Override
	public <T extends @Nullable Object, E extends Throwable> T executeLocked(Object key, Duration wait,
			CheckedCallable<T, E> task) throws E, InterruptedException, TimeoutException {
		return ExpirableLockRegistry.super.executeLocked(key, wait, () -> LateWork.requireNone(name(key), task.call()));
	}

	/**
	 * Restart the lease of a lock that this thread holds.
	 * @throws IllegalStateException if this thread does not hold the lock, or has lost it
	 */
	@Override
	public void renewLock(Object lockKey) {
		renew(lockKey, LockHandle::renew);
	}

	/**
	 * Replace the lease of a lock that this thread holds. With automatic renewal, a
	 * shorter lease lasts only until the next renewal.
	 * @throws IllegalStateException if this thread does not hold the lock, or has lost it
	 */
	@Override
	public void renewLock(Object lockKey, Duration ttl) {
		renew(lockKey, (lock) -> lock.renew(ttl));
	}

	/**
	 * Do nothing, because the template renews the leases of all locks together.
	 */
	@Override
	public void setRenewalTaskScheduler(TaskScheduler renewalTaskScheduler) {
	}

	/**
	 * Do nothing, because no state is kept for locks that are not held.
	 */
	@Override
	public void expireUnusedOlderThan(long age) {
	}

	private void renew(Object lockKey, Consumer<LockHandle> renewal) {
		String name = name(lockKey);
		try {
			renewal.accept(new LockView(this.locks, name).handle());
		}
		catch (IllegalMonitorStateException | LockLostException ex) {
			throw new IllegalStateException("Lock '%s' was not renewed: it is not held by this thread".formatted(name),
					ex);
		}
	}

	private String name(Object lockKey) {
		LockTarget target = LockTarget.of(this.registryKey, lockKey);
		if (target.isSeveral()) {
			throw new IllegalArgumentException("A lock key must be one value but is several: '%s'".formatted(target));
		}
		return target.name();
	}

	@Override
	public String toString() {
		return "DistributedLockRegistry[registryKey=" + this.registryKey + "]";
	}

}
