package io.github.redislock;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * Non-blocking operations on distributed locks.
 * <p>
 * Like {@link LockOperations}, with the same queues: callers that wait with a future and
 * callers that block share them. Fixed names can be passed instead of targets here as
 * well. No thread is blocked while a caller waits for a lock or holds it.
 * <ul>
 * <li>A future fails with the exceptions that the methods of {@link LockOperations}
 * throw. Invalid arguments, such as a missing target, cause an exception at once.</li>
 * <li>Cancelling the future of an acquisition ends the wait, and so does completing it in
 * another way, for example {@linkplain CompletableFuture#orTimeout by a timeout}. The
 * caller does not hold the lock after that.</li>
 * <li>By default, futures are completed and work begins on the template's own threads,
 * which may be blocked (see {@link io.github.redislock.LockConfiguration#executor}).</li>
 * <li>A lock belongs to no thread. Work may re-enter its lock on any thread that
 * currently runs under it (see {@link LockContext#current()}), even inside other locks.
 * On other threads it has to wait, as if another caller held the lock.</li>
 * <li>Transactions of the caller's thread have no effect on the lock, since they may end
 * before the work does.</li>
 * </ul>
 * Implementations are thread-safe.
 *
 * @see io.github.redislock.redis.RedisLockTemplate#async()
 */
public interface AsyncLockOperations {

	/**
	 * Acquire the lock of a fixed name, waiting as long as the default options say.
	 * @param name the name
	 * @return a future of the held lock, which the caller has to release
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<AsyncLockHandle> acquire(String name) {
		return acquire(LockTarget.fixed(name));
	}

	/**
	 * Acquire the lock of a fixed name, waiting as long as the options say.
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @return a future of the held lock, which the caller has to release
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<AsyncLockHandle> acquire(String name, LockOptions options) {
		return acquire(LockTarget.fixed(name), options);
	}

	/**
	 * Acquire a lock, waiting as long as the default options say.
	 * @param target the lock to acquire
	 * @return a future of the held lock, which the caller has to release
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<AsyncLockHandle> acquire(LockTarget target) {
		return acquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock, waiting as long as the options say.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return a future of the held lock, which the caller has to release. It fails with
	 * {@link LockNotAcquiredException} if another owner held the lock for the whole
	 * waiting time
	 */
	CompletableFuture<AsyncLockHandle> acquire(LockTarget target, LockOptions options);

	/**
	 * Acquire the lock of a fixed name if it is free right now.
	 * @param name the name
	 * @return a future of the held lock, which the caller has to release, or of
	 * {@code null} if the lock was refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(String name) {
		return tryAcquire(LockTarget.fixed(name));
	}

	/**
	 * Acquire the lock of a fixed name if it is free right now, or becomes free within
	 * the waiting time of these options.
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @return a future of the held lock, which the caller has to release, or of
	 * {@code null} if the lock was refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(String name, LockOptions options) {
		return tryAcquire(LockTarget.fixed(name), options);
	}

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it.
	 * @param target the lock to acquire
	 * @return a future of the held lock, which the caller has to release, or of
	 * {@code null} if the lock was refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(LockTarget target) {
		return tryAcquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it. Wait for
	 * it only if these options say how long. If the lock is refused, the future completes
	 * with {@code null} instead of failing. The template's default waiting time does not
	 * apply.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return a future of the held lock, which the caller has to release, or of
	 * {@code null} if the lock was refused
	 */
	CompletableFuture<@Nullable AsyncLockHandle> tryAcquire(LockTarget target, LockOptions options);

	/**
	 * Run work under the lock of a fixed name, acquired with the default options.
	 * @param <T> the type of the result
	 * @param name the name
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(String name,
			Supplier<? extends CompletionStage<T>> work) {
		return execute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work that receives the lock of a fixed name, acquired with the default options.
	 * @param <T> the type of the result
	 * @param name the name
	 * @param work receives the held lock, which is released when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(String name,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return execute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under the lock of a fixed name.
	 * @param <T> the type of the result
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(String name, LockOptions options,
			Supplier<? extends CompletionStage<T>> work) {
		return execute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work that receives the lock of a fixed name.
	 * @param <T> the type of the result
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work receives the held lock, which is released when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(String name, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return execute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under a lock.
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target, LockOptions options,
			Supplier<? extends CompletionStage<T>> work) {
		Assert.notNull(work, "work must not be null");
		return execute(target, options, (lock) -> work.get());
	}

	/**
	 * Run work under a lock, which is held until the work's future has completed.
	 * <p>
	 * The work is called on a thread of the executor, where {@link LockContext#current()}
	 * returns the lock's handle until the work has returned its future. Unless the caller
	 * completes the result, it completes after the release of the lock.
	 * <p>
	 * If the caller cancels the result before the work begins, the wait ends, and the
	 * work never begins. Cancelling the result later cancels the work's future; the lock
	 * is held until that future has completed. Cancelling completes a
	 * {@link CompletableFuture} even if a thread is still computing its value, so work
	 * that cannot be stopped should return a future that cannot be cancelled.
	 * <p>
	 * A loss of the lock has the same effect on the result as in
	 * {@link LockOperations#execute}. With {@link OnLost#INTERRUPT} the work's future is
	 * cancelled as soon as the loss is known.
	 * <p>
	 * The value of the work's future must not let work go on after the release, as
	 * another future does (see {@link LockOperations#execute}): the result would fail.
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work receives the held lock, which is released when its future completes
	 * @return a future of the work's result. It fails with the work's exception, or with
	 * {@link LockNotAcquiredException} if another owner held the lock for the whole
	 * waiting time
	 */
	<T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work);

	/**
	 * Run work under a lock acquired with the default options.
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target,
			Supplier<? extends CompletionStage<T>> work) {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work that receives its lock, acquired with the default options.
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param work receives the held lock, which is released when its future completes
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<T> execute(LockTarget target,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now.
	 * @param <T> the type of the work's result, which is not returned
	 * @param name the name
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(String name,
			Supplier<? extends CompletionStage<T>> work) {
		return tryExecute(LockTarget.fixed(name), work);
	}

	/**
	 * Run work under the lock of a fixed name if it is free right now, or becomes free
	 * within the waiting time of these options.
	 * @param <T> the type of the work's result, which is not returned
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(String name, LockOptions options,
			Supplier<? extends CompletionStage<T>> work) {
		return tryExecute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work that receives the lock of a fixed name if it is free right now, or becomes
	 * free within the waiting time of these options.
	 * @param <T> the type of the work's result, which is not returned
	 * @param name the name
	 * @param options how to acquire and keep the lock
	 * @param work receives the held lock, which is released when its future completes
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(String name, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work) {
		return tryExecute(LockTarget.fixed(name), options, work);
	}

	/**
	 * Run work under a lock if it is free right now.
	 * @param <T> the type of the work's result, which is not returned
	 * @param target the lock to acquire
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target,
			Supplier<? extends CompletionStage<T>> work) {
		return tryExecute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under a lock if it is free right now, or becomes free within the waiting
	 * time of these options.
	 * @param <T> the type of the work's result, which is not returned
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work what to do while the lock is held; it ends when its future completes
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target, LockOptions options,
			Supplier<? extends CompletionStage<T>> work) {
		Assert.notNull(work, "work must not be null");
		return tryExecute(target, options, (lock) -> work.get());
	}

	/**
	 * Run work under a lock if it is free right now and no other caller waits for it.
	 * Wait for it only if these options say how long.
	 * <p>
	 * This method waits like {@link #tryAcquire(LockTarget, LockOptions)}, and runs the
	 * work like {@link #execute(LockTarget, LockOptions, Function)}.
	 * <p>
	 * The work's result is not returned, because it may be {@code null}. To get it, use
	 * {@code execute} with a waiting time of zero, which fails with a
	 * {@link LockNotAcquiredException} if the lock is refused.
	 * @param <T> the type of the work's result, which is not returned
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work receives the held lock, which is released when its future completes
	 * @return a future of {@code true} if the work ran, or of {@code false} if the lock
	 * was refused. It fails with the work's exception if the work failed
	 */
	<T extends @Nullable Object> CompletableFuture<Boolean> tryExecute(LockTarget target, LockOptions options,
			Function<? super AsyncLockHandle, ? extends CompletionStage<T>> work);

	/**
	 * Return whether the lock of a fixed name is held at this moment.
	 * @param name the name
	 * @return whether the store knows a holder
	 */
	default CompletableFuture<Boolean> isLocked(String name) {
		return isLocked(LockTarget.of(name));
	}

	/**
	 * Return whether the lock is held at this moment. For several locks, return whether
	 * any of them is held.
	 * @param target the lock
	 * @return whether the store knows a holder
	 */
	default CompletableFuture<Boolean> isLocked(LockTarget target) {
		return inspect(target).thenApply(Optional::isPresent);
	}

	/**
	 * Return the current holder of the lock, and how long the store will keep the lock.
	 * @param target the lock
	 * @return what the store knows about the holder, or empty if the lock is free
	 */
	CompletableFuture<Optional<LockState>> inspect(LockTarget target);

	/**
	 * Take the lock away from all of its holders. The next waiter gets it.
	 * @param target the lock
	 * @return whether there was a holder
	 */
	CompletableFuture<Boolean> forceRelease(LockTarget target);

	/**
	 * Take the lock away from a holder that an operator has just inspected. If another
	 * instance has acquired the lock exclusively since then, that instance keeps it.
	 * @param target the lock, exclusive or shared
	 * @param seen the holder, as {@link #inspect(LockTarget)} returned it
	 * @return whether the lock was taken away
	 * @see LockOperations#forceRelease(LockTarget, LockState)
	 */
	CompletableFuture<Boolean> forceRelease(LockTarget target, LockState seen);

}
