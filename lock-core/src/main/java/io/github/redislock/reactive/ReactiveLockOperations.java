package io.github.redislock.reactive;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Reactive operations on distributed locks.
 * <p>
 * Works like {@link AsyncLockOperations}: callers wait in the same queues as all others,
 * and no thread is blocked. Nothing happens before a subscription. Each subscription
 * acquires the lock separately, and cancelling it ends the wait or the work. A failure is
 * an error signal with the exception that {@link LockOperations} would throw.
 * <p>
 * Work finds its lock in the Reactor context (see {@link ReactiveLockContext}), so nested
 * work enters the same lock again without asking the store, even if several parts run
 * concurrently. By default, signals are emitted on {@code Schedulers.parallel()}, or on
 * the subscriber's thread if they are already available when requested.
 *
 * @see ReactiveLockTemplate
 */
public interface ReactiveLockOperations {

	/**
	 * Acquire a lock, waiting as long as the default options say.
	 * @param target the lock to acquire
	 * @return the held lock, to be released by the subscriber
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default Mono<ReactiveLockHandle> acquire(LockTarget target) {
		return acquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock, waiting as long as the options say.
	 * <p>
	 * Use it with {@link Mono#usingWhen} or {@link Flux#usingWhen}, and only if
	 * {@link #execute(LockTarget, LockOptions, Mono)} is not enough.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be released by the subscriber; fails with
	 * {@link LockNotAcquiredException} if another owner held it for the whole waiting
	 * time
	 */
	Mono<ReactiveLockHandle> acquire(LockTarget target, LockOptions options);

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it.
	 * @param target the lock to acquire
	 * @return the held lock, to be released by the subscriber; empty if the lock was
	 * refused
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default Mono<ReactiveLockHandle> tryAcquire(LockTarget target) {
		return tryAcquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock if it is free right now and no other caller waits for it. Wait for
	 * it only if these options say how long. If the lock is refused, the result is empty
	 * instead of an error. The template's default waiting time does not apply.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @return the held lock, to be released by the subscriber; empty if the lock was
	 * refused
	 */
	Mono<ReactiveLockHandle> tryAcquire(LockTarget target, LockOptions options);

	/**
	 * Run work under a lock acquired with the default options.
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param work subscribed to when the lock is held
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Mono)
	 */
	default <T> Mono<T> execute(LockTarget target, Mono<T> work) {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under a lock, which is held until the work completes, fails or is
	 * cancelled.
	 * <p>
	 * The result is emitted after the release. {@link LockContext#current()} returns the
	 * lock while the work is being subscribed to. By default, the result fails with a
	 * {@link LockLostException} if the lock was lost while the work ran. With
	 * {@link OnLost#INTERRUPT} the work is cancelled at once.
	 * <p>
	 * The work's result must not let work go on after the release, as another publisher
	 * does (see {@link LockOperations#execute}).
	 * @param <T> the type of the result
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work subscribed to when the lock is held
	 * @return the work's result; fails with {@link LockNotAcquiredException} if another
	 * owner held the lock for the whole waiting time
	 */
	<T> Mono<T> execute(LockTarget target, LockOptions options, Mono<T> work);

	/**
	 * Run work with several results under a lock acquired with the default options.
	 * @param <T> the type of the results
	 * @param target the lock to acquire
	 * @param work subscribed to when the lock is held
	 * @return the work's results
	 * @see #execute(LockTarget, LockOptions, Flux)
	 */
	default <T> Flux<T> execute(LockTarget target, Flux<T> work) {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work with several results under a lock, which is held until the work completes,
	 * fails or is cancelled.
	 * <p>
	 * Results are emitted as they are requested, while the lock is held, so a slow
	 * subscriber keeps the lock longer. The flux completes after the release. No result
	 * may be a publisher itself, as for {@link #execute(LockTarget, LockOptions, Mono)}.
	 * @param <T> the type of the results
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work subscribed to when the lock is held
	 * @return the work's results; fails as
	 * {@link #execute(LockTarget, LockOptions, Mono)} does
	 */
	<T> Flux<T> execute(LockTarget target, LockOptions options, Flux<T> work);

	/**
	 * Run work under a lock if it is free right now.
	 * @param target the lock to acquire
	 * @param work subscribed to when the lock is held
	 * @return whether the work ran
	 * @see #tryExecute(LockTarget, LockOptions, Mono)
	 */
	default Mono<Boolean> tryExecute(LockTarget target, Mono<?> work) {
		return tryExecute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under a lock if it is free right now and no other caller waits for it.
	 * Wait for it only if these options say how long.
	 * <p>
	 * This method waits like {@link #tryAcquire(LockTarget, LockOptions)}, and runs the
	 * work like {@link #execute(LockTarget, LockOptions, Mono)}.
	 * @param target the lock to acquire
	 * @param options how to acquire and keep the lock
	 * @param work subscribed to when the lock is held; its result is discarded. For a
	 * {@link Flux}, pass {@link Flux#then()}
	 * @return whether the work ran; {@code false} if the lock was refused. Fails if the
	 * work fails
	 */
	Mono<Boolean> tryExecute(LockTarget target, LockOptions options, Mono<?> work);

	/**
	 * Return whether the lock is held at this moment. For several locks, return whether
	 * any of them is held.
	 * @param target the lock
	 * @return whether the store knows a holder
	 */
	default Mono<Boolean> isLocked(LockTarget target) {
		return inspect(target).hasElement();
	}

	/**
	 * Return the current holder of the lock, and how long the store will keep the lock.
	 * @param target the lock
	 * @return what the store knows about the holder; empty if the lock is free
	 */
	Mono<LockState> inspect(LockTarget target);

	/**
	 * Take the lock away from all of its holders. The next waiter gets it.
	 * @param target the lock
	 * @return whether there was a holder
	 */
	Mono<Boolean> forceRelease(LockTarget target);

	/**
	 * Take the lock away from a holder that an operator has just inspected. If another
	 * instance has acquired the lock exclusively since then, that instance keeps it.
	 * @param target the lock, exclusive or shared
	 * @param seen the holder, as {@link #inspect(LockTarget)} returned it
	 * @return whether the lock was taken away
	 * @see io.github.redislock.LockOperations#forceRelease(LockTarget, LockState)
	 */
	Mono<Boolean> forceRelease(LockTarget target, LockState seen);

}
