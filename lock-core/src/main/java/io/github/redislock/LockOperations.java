package io.github.redislock;

import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Operations on distributed locks for callers that wait on their own thread.
 * <p>
 * A lock is known by its name: all processes that share a store and a key prefix exclude
 * one another by equal names. What {@link LockOptions} leave open comes from the defaults
 * of the implementation. A name is short for {@link LockTarget#of(String)};
 * {@link LockTarget#of(String, Object)} makes one of a kind and a key, and
 * {@link LockTarget#allOf} takes several locks at once, all or none.
 * <p>
 * Those who wait for a lock get it first come, first served: among the callers of one
 * process, and, as far as the store keeps a queue, among the processes, each of which has
 * it for a turn of limited length. Who comes anew gets no lock for which somebody waits.
 * <p>
 * Every method that asks the store throws {@link LockStoreException} when the store did
 * not answer or refused: neither "acquired" nor "somebody else has it" is ever guessed;
 * and {@link LockKeyConflictException} for a name under which the store keeps something
 * that is not a lock. Once the template closes, as at shutdown, callers and those who
 * wait get a {@link LockShutdownException}.
 * <p>
 * Implementations are thread-safe, and work on platform and on virtual threads.
 *
 * @see io.github.redislock.engine.LockTemplate
 */
public interface LockOperations {

	/**
	 * Acquire a lock, waiting as long as the default options tell.
	 * @param name the lock's name: up to 1024 bytes in UTF-8, not blank, no control
	 * characters
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if somebody else held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set and the lock is not left behind
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default LockHandle acquire(String name) {
		return acquire(LockTarget.of(name));
	}

	/**
	 * Acquire a lock, waiting as long as the default options tell.
	 * @param target what to lock
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if somebody else held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set and the lock is not left behind
	 * @see #acquire(LockTarget, LockOptions)
	 */
	default LockHandle acquire(LockTarget target) {
		return acquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock, waiting as long as the options tell.
	 * @param name the lock's name: up to 1024 bytes in UTF-8, not blank, no control
	 * characters
	 * @param options how to take and keep the lock
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if somebody else held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set and the lock is not left behind
	 */
	default LockHandle acquire(String name, LockOptions options) {
		return acquire(LockTarget.of(name), options);
	}

	/**
	 * Acquire a lock, waiting as long as the options tell.
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @return the held lock, to be closed by the caller
	 * @throws LockNotAcquiredException if somebody else held it for the whole waiting
	 * time
	 * @throws LockInterruptedException if the thread was interrupted; its interrupt flag
	 * stays set and the lock is not left behind
	 */
	LockHandle acquire(LockTarget target, LockOptions options);

	/**
	 * Acquire a lock if it is free right now and nobody waits for it; never wait for its
	 * holder.
	 * @param name the lock's name
	 * @return the held lock, to be closed by the caller, or {@code null} if somebody else
	 * holds it
	 * @throws LockInterruptedException if the thread was interrupted
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default @Nullable LockHandle tryAcquire(String name) {
		return tryAcquire(LockTarget.of(name));
	}

	/**
	 * Acquire a lock if it is free right now and nobody waits for it; never wait for its
	 * holder.
	 * @param target what to lock
	 * @return the held lock, to be closed by the caller, or {@code null} if somebody else
	 * holds it
	 * @throws LockInterruptedException if the thread was interrupted
	 * @see #tryAcquire(LockTarget, LockOptions)
	 */
	default @Nullable LockHandle tryAcquire(LockTarget target) {
		return tryAcquire(target, LockOptions.options());
	}

	/**
	 * Acquire a lock if it is free right now and nobody waits for it, or wait for it if
	 * these options say how long.
	 * <p>
	 * Unlike {@link #acquire(String, LockOptions)}, being refused is an answer and not an
	 * exception.
	 * @param name the lock's name
	 * @param options how to take and keep the lock
	 * @return the held lock, to be closed by the caller, or {@code null} if somebody else
	 * held it for the whole waiting time
	 * @throws LockInterruptedException if the thread was interrupted
	 */
	default @Nullable LockHandle tryAcquire(String name, LockOptions options) {
		return tryAcquire(LockTarget.of(name), options);
	}

	/**
	 * Acquire a lock if it is free right now and nobody waits for it, or wait for it if
	 * these options say how long.
	 * <p>
	 * Unlike {@link #acquire(LockTarget, LockOptions)}, being refused is an answer and
	 * not an exception; and without {@link LockOptions#waitTime} or
	 * {@link LockOptions#retry} in these very options, nothing is waited for: the
	 * template's defaults for waiting do not apply.
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @return the held lock, to be closed by the caller, or {@code null} if somebody else
	 * held it for the whole waiting time
	 * @throws LockInterruptedException if the thread was interrupted
	 */
	@Nullable LockHandle tryAcquire(LockTarget target, LockOptions options);

	/**
	 * Run work under a lock taken with the default options and answer its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockedSupplier<T, E> work)
			throws E {
		return execute(LockTarget.of(name), work);
	}

	/**
	 * Run work under a lock taken with the default options and answer its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
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
	 * Run work under a lock taken with the default options.
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(String name, LockedRunnable<E> work) throws E {
		execute(LockTarget.of(name), work);
	}

	/**
	 * Run work under a lock taken with the default options.
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(LockTarget target, LockedRunnable<E> work) throws E {
		execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under a lock and answer its result.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <T extends @Nullable Object, E extends Throwable> T execute(String name, LockOptions options,
			LockedSupplier<T, E> work) throws E {
		return execute(LockTarget.of(name), options, work);
	}

	/**
	 * Run work under a lock and answer its result.
	 * <p>
	 * The lock is released when the work has ended, in whatever way. While it runs,
	 * {@link LockContext#current()} answers the lock's handle. If a transaction runs
	 * already, the lock is kept until it has ended.
	 * @param <T> the type of the result
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @throws E if the work failed
	 * @throws LockNotAcquiredException if somebody else held the lock for the whole
	 * waiting time; the work did not run
	 * @throws LockLostException if the work ended well but the lock was lost before; if
	 * the work failed, it is suppressed in the work's own exception. The options may say
	 * otherwise: see {@link LockOptions#onLost(OnLost)}
	 */
	<T extends @Nullable Object, E extends Throwable> T execute(LockTarget target, LockOptions options,
			LockedSupplier<T, E> work) throws E;

	/**
	 * Run work under a lock.
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(String name, LockOptions options, LockedRunnable<E> work) throws E {
		execute(LockTarget.of(name), options, work);
	}

	/**
	 * Run work under a lock.
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @throws E if the work failed
	 * @see #execute(LockTarget, LockOptions, LockedSupplier)
	 */
	default <E extends Throwable> void execute(LockTarget target, LockOptions options, LockedRunnable<E> work)
			throws E {
		this.<@Nullable Object, E>execute(target, options, () -> {
			work.run();
			return null;
		});
	}

	/**
	 * Run work that is given its lock, taken with the default options, and answer its
	 * result.
	 * @param <T> the type of the result
	 * @param name the lock's name
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> T execute(String name, Function<? super LockHandle, ? extends T> work) {
		return execute(LockTarget.of(name), work);
	}

	/**
	 * Run work that is given its lock, taken with the default options, and answer its
	 * result.
	 * @param <T> the type of the result
	 * @param target what to lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> T execute(LockTarget target, Function<? super LockHandle, ? extends T> work) {
		return execute(target, LockOptions.options(), work);
	}

	/**
	 * Run work that is given its lock and answer its result.
	 * @param <T> the type of the result
	 * @param name the lock's name
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 * @see #execute(LockTarget, LockOptions, Function)
	 */
	default <T extends @Nullable Object> T execute(String name, LockOptions options,
			Function<? super LockHandle, ? extends T> work) {
		return execute(LockTarget.of(name), options, work);
	}

	/**
	 * Run work that is given its lock, for a fencing token or to extend the lease, and
	 * answer its result.
	 * <p>
	 * Like {@link #execute(LockTarget, LockOptions, LockedSupplier)}, but the work throws
	 * no checked exceptions. The lock is not to be released by the work. From Kotlin,
	 * this is the one to call: {@code locks.execute("a") { lock -> … }}.
	 * @param <T> the type of the result
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return the work's result
	 */
	default <T extends @Nullable Object> T execute(LockTarget target, LockOptions options,
			Function<? super LockHandle, ? extends T> work) {
		return this.<T, RuntimeException>execute(target, options, () -> work.apply(LockContext.current()));
	}

	/**
	 * Run work under a lock if that is free right now.
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedRunnable)
	 */
	default <E extends Throwable> boolean tryExecute(String name, LockedRunnable<E> work) throws E {
		return tryExecute(LockTarget.of(name), work);
	}

	/**
	 * Run work under a lock if that is free right now.
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedRunnable)
	 */
	default <E extends Throwable> boolean tryExecute(LockTarget target, LockedRunnable<E> work) throws E {
		return tryExecute(target, LockOptions.options(), work);
	}

	/**
	 * Run work under a lock if that is free right now, or becomes free while these
	 * options wait.
	 * @param <E> the type of the work's own exception
	 * @param name the lock's name
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return whether the work ran
	 * @throws E if the work failed
	 * @see #tryExecute(LockTarget, LockOptions, LockedRunnable)
	 */
	default <E extends Throwable> boolean tryExecute(String name, LockOptions options, LockedRunnable<E> work)
			throws E {
		return tryExecute(LockTarget.of(name), options, work);
	}

	/**
	 * Run work under a lock if that is free right now and nobody waits for it, or becomes
	 * free within the time that these options wait.
	 * <p>
	 * It waits as {@link #tryAcquire(LockTarget, LockOptions)} does, and runs the work as
	 * {@link #execute(LockTarget, LockOptions, LockedSupplier)} does.
	 * @param <E> the type of the work's own exception
	 * @param target what to lock
	 * @param options how to take and keep the lock
	 * @param work what to do while the lock is held
	 * @return whether the work ran; {@code false} if somebody else held the lock
	 * @throws E if the work failed
	 */
	<E extends Throwable> boolean tryExecute(LockTarget target, LockOptions options, LockedRunnable<E> work) throws E;

	/**
	 * Return whether anybody holds the lock at this moment.
	 * @param name the lock's name
	 * @return whether the store knows a holder
	 */
	default boolean isLocked(String name) {
		return isLocked(LockTarget.of(name));
	}

	/**
	 * Return whether anybody holds the lock at this moment; one of them, if there are
	 * several.
	 * @param target the lock
	 * @return whether the store knows a holder
	 */
	default boolean isLocked(LockTarget target) {
		return inspect(target).isPresent();
	}

	/**
	 * Return who holds the lock at this moment, and for how long still.
	 * @param name the lock's name
	 * @return what the store knows of the holder, or empty if the lock is free
	 */
	default Optional<LockState> inspect(String name) {
		return inspect(LockTarget.of(name));
	}

	/**
	 * Return who holds the lock at this moment, and for how long still; of several, the
	 * first one that is held.
	 * @param target the lock
	 * @return what the store knows of the holder, or empty if the lock is free
	 */
	Optional<LockState> inspect(LockTarget target);

	/**
	 * Take the lock away from whoever holds it; the next one who waits gets it.
	 * <p>
	 * For operators: the holder's work goes on unprotected until it notices.
	 * @param name the lock's name
	 * @return whether there was a holder
	 */
	default boolean forceRelease(String name) {
		return forceRelease(LockTarget.of(name));
	}

	/**
	 * Take the lock away from whoever holds it; the next one who waits gets it. Several
	 * are taken away one after the other.
	 * <p>
	 * For operators: the holder's work goes on unprotected until it notices. Who holds
	 * several at once loses them all with one.
	 * @param target the lock
	 * @return whether there was a holder
	 */
	boolean forceRelease(LockTarget target);

	/**
	 * Take the lock away from a holder that was seen: for operators who have looked
	 * before, so that nobody else loses it who has got it since.
	 * <p>
	 * Who shares a lock with others loses it together with them, also with those who came
	 * since; but if it was seen alone and shares the lock by now, nobody loses it. Each
	 * is told at once, if its instance can be reached.
	 * @param target the lock, in whatever way it is held
	 * @param seen the holder, as {@link #inspect(LockTarget)} told it; its whole owner
	 * token is what counts, which the one of an exception has not
	 * @return whether the lock was that holder's still
	 */
	boolean forceRelease(LockTarget target, LockState seen);

	/**
	 * Return what this process itself holds and waits for at this moment. Asks nobody:
	 * whether a lock is held still, {@link #inspect(LockTarget)} tells.
	 * @return a snapshot that does not change any more
	 */
	LocalLocks local();

	/**
	 * Return the same operations for callers that do not wait on their own thread.
	 * @return operations on the same locks; futures are completed, and work begins, on
	 * threads of the implementation
	 */
	AsyncLockOperations async();

	/**
	 * Return the same operations for callers that do not wait on their own thread.
	 * @param executor completes futures and begins work, instead of the configured one
	 * @return operations on the same locks
	 */
	AsyncLockOperations async(Executor executor);

}
