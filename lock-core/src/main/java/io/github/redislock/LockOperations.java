package io.github.redislock;

import java.util.Optional;
import java.util.concurrent.Executor;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Blocking operations on distributed locks.
 * <p>
 * A lock is identified by its name: processes that share a store and a key prefix exclude
 * each other if they use the same name. Options that are not set come from the defaults
 * of the implementation. {@link LockTarget#of(String, Object)} creates a target from a
 * name and a key, and {@link LockTarget#allOf} combines several locks, of which a caller
 * gets all or none.
 * <p>
 * Instead of a target, pass the name of an exclusive lock if that name is fixed, such as
 * {@code "nightly"}. Metrics then count the lock by this name, so it must not contain a
 * key.
 * <p>
 * If the store keeps a queue, waiters get a lock first come, first served, and a new
 * caller does not get a lock for which another caller is waiting. However, a process may
 * pass a lock between its own callers for a limited time before another process gets its
 * turn.
 * <p>
 * If the store does not reply or reports an error, a call fails with a
 * {@link LockStoreException}, unless a further attempt within the waiting time succeeds.
 * No call guesses whether the lock was acquired or is held by another owner. A call fails
 * with a {@link LockKeyConflictException} for a name under which the store keeps
 * something that is not a lock. Once the template closes, for example at shutdown,
 * callers and waiters get a {@link LockShutdownException}.
 * <p>
 * Implementations are thread-safe, and work on platform and virtual threads.
 *
 * @see io.github.redislock.redis.RedisLockTemplate
 */
public interface LockOperations {

	/**
	 * Acquire the lock of a fixed name, waiting as long as the default options say.
	 * @param name the name
	 * @return the held lock, to be closed by the caller
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default LockHandle acquire(String name) {
		return acquire(LockTarget.fixed(name));
	}

	/**
	 * Acquire the lock of a fixed name, waiting as long as the options say.
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be closed by the caller
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default LockHandle acquire(String name, LockOptions options) {
		return acquire(LockTarget.fixed(name), options);
	}

	/**
	 * Acquire a lock, waiting as long as the default options say.
	 * @param target the lock to acquire
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if another owner held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set, and the caller does not hold the lock
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default LockHandle acquire(LockTarget target) {
		return acquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock, waiting as long as the options say.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if another owner held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set, and the caller does not hold the lock
	 */
	LockHandle acquire(LockTarget target, LockOptions options);

	/**
	 * Acquire the lock of a fixed name if it is free right now.
	 * @param name the name
	 * @return the held lock, to be closed by the caller, or {@code null} if the lock was
	 * refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default @Nullable LockHandle tryAcquire(String name) {
		return tryAcquire(LockTarget.fixed(name));
	}

	/**
	 * Acquire the lock of a fixed name if it is free right now, or becomes free within
	 * the waiting time of these options.
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be closed by the caller, or {@code null} if the lock was
	 * refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default @Nullable LockHandle tryAcquire(String name, LockOptions options) {
		return tryAcquire(LockTarget.fixed(name), options);
	}

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it. Never wait
	 * for the holder.
	 * @param target the lock to acquire
	 * @return the held lock, to be closed by the caller, or {@code null} if the lock was
	 * refused
	 * @throws LockInterruptedException if the thread was interrupted
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default @Nullable LockHandle tryAcquire(LockTarget target) {
		return tryAcquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it. Wait for
	 * it only if these options say how long.
	 * <p>
	 * Unlike {@link #acquire(LockTarget, LockOptions)}, this method returns {@code null}
	 * if the lock is refused, instead of throwing an exception. It waits only if these
	 * options themselves set {@link LockOptions#waitTime} or {@link LockOptions#retry},
	 * because the template's default waiting time does not apply.
	 * <p>
	 * A {@code try}-with-resources block also runs for {@code null}, without the lock.
	 * Check for {@code null} first, or use {@link #tryExecute}.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be closed by the caller, or {@code null} if the lock was
	 * refused
	 * @throws LockInterruptedException if the thread was interrupted
	 */
	@Nullable LockHandle tryAcquire(LockTarget target, LockOptions options);

	/**
	 * Run work under the lock of a fixed name, acquired with the default options, and
	 * return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedSupplier<T, E> work)
			throws E {
		return execute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under a lock acquired with the default options and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockedSupplier<T, E> work)
			throws E {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under the lock of a fixed name, acquired with the default options.
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(String name, LockedRunnable<E> work) throws E {
		execute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under a lock acquired with the default options.
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(LockTarget target, LockedRunnable<E> work) throws E {
		execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under the lock of a fixed name and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		return execute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under the lock of a fixed name.
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(String name, LockOptions options, LockedRunnable<E> work) throws E {
		execute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under a lock and return its result.
	 * <p>
	 * The lock is released when the work has returned or failed. While the work runs,
	 * {@link LockContext#current()} returns the lock's handle. Inside a transaction, the
	 * lock is kept until the transaction has ended.
	 * <p>
	 * The result must not let work go on after the release, as an unfinished future, a
	 * {@code Mono}, a stream or a lambda does, even in a collection: use {@link #async()}
	 * for such work.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @throws IllegalStateException if work goes on with the result, without the lock
	 * @throws LockNotAcquiredException if another owner held the lock for the whole
	 * waiting time; the work did not run
	 * @throws LockLostException if the work succeeded, but the lock was lost before the
	 * work ended. If the work failed, this exception is added to the work's own as a
	 * suppressed exception. {@link LockOptions#onLost(OnLost)} can change this
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E;

	/**
	 * Run work under a lock.
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(LockTarget target, LockOptions options, LockedRunnable<E> work)
			throws E {
		Assert.notNull(work, "work must not be null");
		this.<@Nullable Object, E>execute(target, options, () -> {
			work.run();
			return null;
		});
	}

	/**
	 * Run work that receives the lock of a fixed name, acquired with the default options,
	 * and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedFunction)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedFunction<T, E> work)
			throws E {
		return execute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work that receives the lock of a fixed name, and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedFunction)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedFunction<T, E> work) throws E {
		return execute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work that receives its lock, acquired with the default options, and return its
	 * result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedFunction)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockedFunction<T, E> work)
			throws E {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work that receives its lock, so that it can use the fencing token or extend the
	 * lease, and return its result.
	 * <p>
	 * This method works like {@link #execute(LockTarget, LockOptions, LockedSupplier)}.
	 * The work must not release the lock. Kotlin cannot infer the exception type, so pass
	 * {@code Nothing}: {@code locks.execute<_, Nothing>(target) { lock -> … }}.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedFunction<T, E> work) throws E {
		Assert.notNull(work, "work must not be null");
		return this.<T, E>execute(target, options, () -> work.apply(LockContext.current()));
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now.
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> boolean tryExecute(String name, LockedRunnable<E> work) throws E {
		return tryExecute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under a lock if it is free right now.
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> boolean tryExecute(LockTarget target, LockedRunnable<E> work) throws E {
		return tryExecute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now, or becomes free
	 * within the waiting time of these options.
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> boolean tryExecute(String name, LockOptions options, LockedRunnable<E> work)
			throws E {
		return tryExecute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under a lock if it is free right now, or becomes free within the waiting
	 * time of these options.
	 * <p>
	 * Work without a result does not see a future that a lambda returns: use
	 * {@link #async()} for such work.
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> boolean tryExecute(LockTarget target, LockOptions options, LockedRunnable<E> work)
			throws E {
		Assert.notNull(work, "work must not be null");
		return this.<Boolean, E>tryExecute(target, options, () -> {
			work.run();
			return true;
		}).isPresent();
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now, and return its
	 * result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param work what to do while the lock is held; must not return {@code null}
	 * @return the work's result, or empty if the lock was refused
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T, E extends Throwable> Optional<T> tryExecute(String name, LockedSupplier<T, E> work) throws E {
		return tryExecute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under a lock if it is free right now, and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held; must not return {@code null}
	 * @return the work's result, or empty if the lock was refused
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T, E extends Throwable> Optional<T> tryExecute(LockTarget target, LockedSupplier<T, E> work) throws E {
		return tryExecute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now, or becomes free
	 * within the waiting time of these options, and return its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; must not return {@code null}
	 * @return the work's result, or empty if the lock was refused
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T, E extends Throwable> Optional<T> tryExecute(String name, LockOptions options, LockedSupplier<T, E> work)
			throws E {
		return tryExecute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under a lock if it is free now, or within the waiting time of these
	 * options. Return the result, or whether the work ran.
	 * <p>
	 * This method waits like {@link #tryAcquire(LockTarget, LockOptions)}, and runs the
	 * work like {@link #execute(LockTarget, LockOptions, LockedSupplier)}.
	 * <p>
	 * An empty result always means that the work did not run. So work that returns
	 * {@code null} causes an exception, although it ran. For work whose result does not
	 * matter, write a lambda with a block, {@code () -> { … }}, which returns nothing.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; must not return {@code null}
	 * @return the work's result, or empty if the lock was refused
	 * @throws E if the work failed
	 * @throws NullPointerException if the work returned {@code null}
	 */
	<T, E extends Throwable> Optional<T> tryExecute(LockTarget target, LockOptions options, LockedSupplier<T, E> work)
			throws E;

	/**
	 * Return whether the lock of a fixed name is held at this moment.
	 * @param name the name
	 * @return whether the store knows a holder
	 */
	default boolean isLocked(String name) {
		return isLocked(LockTarget.of(name));
	}

	/**
	 * Return whether the lock is held at this moment. For several locks, return whether
	 * any of them is held.
	 * @param target the lock
	 * @return whether the store knows a holder
	 */
	default boolean isLocked(LockTarget target) {
		return inspect(target).isPresent();
	}

	/**
	 * Return the current holder of the lock, and how long the store will keep the lock.
	 * For several locks, describe the first one that is held.
	 * @param target the lock
	 * @return what the store knows about the holder, or empty if the lock is free
	 */
	Optional<LockState> inspect(LockTarget target);

	/**
	 * Take the lock away from all of its holders. The next waiter gets it. Several locks
	 * are taken away separately, not in one step.
	 * <p>
	 * This method is for operators: a holder's work continues unprotected until the
	 * holder notices the loss. A caller that holds several locks as one target loses all
	 * of them if one is taken away.
	 * @param target the lock
	 * @return whether there was a holder
	 */
	boolean forceRelease(LockTarget target);

	/**
	 * Take the lock away from a holder that an operator has just inspected. If another
	 * instance has acquired the lock exclusively since then, that instance keeps it.
	 * <p>
	 * All holders of a shared lock lose it together, including those that acquired it
	 * later. However, if the given holder was the only one at the inspection and now
	 * shares the lock, no holder loses it. Each holder is notified at once if its
	 * instance receives messages at that time.
	 * @param target the lock, exclusive or shared
	 * @param seen the holder, as {@link #inspect(LockTarget)} returned it. It must have
	 * the owner token, which the state in an exception does not have
	 * @return whether the lock was taken away
	 */
	boolean forceRelease(LockTarget target, LockState seen);

	/**
	 * Return the locks that callers of this template hold or wait for. This method does
	 * not query the store: to find out whether a lock is still held, use
	 * {@link #inspect(LockTarget)}.
	 * @return an immutable snapshot
	 */
	LocalLocks local();

	/**
	 * Return non-blocking versions of these operations.
	 * @return operations on the same locks, which by default complete futures and begin
	 * work on threads of the implementation
	 */
	AsyncLockOperations async();

	/**
	 * Return non-blocking versions of these operations.
	 * @param executor the executor that completes futures and begins work, instead of the
	 * default one
	 * @return operations on the same locks
	 */
	AsyncLockOperations async(Executor executor);

}
