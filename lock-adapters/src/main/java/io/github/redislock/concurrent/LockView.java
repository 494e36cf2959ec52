package io.github.redislock.concurrent;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A distributed lock as a {@link Lock}, for code that is written against that interface.
 * <p>
 * A view has no state: all views with the same target and {@link LockOperations} are
 * equal and represent the same lock, so a view may be created for each use. The lock
 * belongs to the thread that acquired it. That thread may acquire it again, and must
 * unlock it the same number of times. New code should use {@link LockOperations}, because
 * a lease cannot behave exactly like a local {@link Lock}:
 * <ul>
 * <li>A lock can be <em>lost</em> while its thread works. The {@link #handle()} reports a
 * loss through a method and a callback, and the last {@link #unlock()} fails. If the
 * thread acquires the lost lock again, it holds the lock until the {@code unlock()} that
 * belongs to that acquisition. Each acquisition has its own handle, so an inner one in a
 * transaction rolls it back after a loss, and views with different owner tokens exclude
 * each other.
 * <li>{@link #lock()} waits without limit, even while the store is down.
 * <li>{@link #unlock()} inside a transaction takes effect after the transaction.
 * <li>There are no conditions.
 * </ul>
 * Thread-safe.
 *
 * @see LockOperations#acquire(LockTarget, LockOptions)
 * @see ReadWriteLockView
 */
public final class LockView implements Lock {

	/**
	 * The waiting time of a call without a time limit: about 100 years.
	 */
	private static final Duration WITHOUT_END = Duration.ofDays(36_500);

	/** The latest entry of the current thread into each lock that it holds. */
	private static final ThreadLocal<Map<LockView, Entry>> ENTRIES = ThreadLocal.withInitial(HashMap::new);

	private final LockOperations locks;

	private final LockTarget target;

	private final LockOptions options;

	/**
	 * Create a view of a lock that is acquired with the default options.
	 * @param locks acquires the lock
	 * @param name the lock's name
	 * @throws IllegalArgumentException if the name is not valid
	 */
	public LockView(LockOperations locks, String name) {
		this(locks, LockTarget.of(name));
	}

	/**
	 * Create a view of a lock, with the default options. Use this for a lock that has a
	 * name and a key.
	 * @param locks acquires the lock
	 * @param target the lock
	 * @see LockTarget#of(String, Object)
	 */
	public LockView(LockOperations locks, LockTarget target) {
		this(locks, target, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks acquires the lock
	 * @param target the lock
	 * @param options how to acquire and keep the lock, except for the waiting time, which
	 * each method sets, and for re-entrance, which is always allowed
	 */
	public LockView(LockOperations locks, LockTarget target, LockOptions options) {
		this.locks = locks;
		this.target = target;
		this.options = options;
	}

	/**
	 * Acquire the lock, waiting without a time limit, even while the store does not
	 * reply.
	 * <p>
	 * An interrupt does not end the wait and leaves the interrupt flag set. However, the
	 * thread loses its place in the queue, and joins the queue again at the end.
	 * @throws LockStoreException if the store refused the request, and another attempt
	 * would not help
	 * @throws LockNotAcquiredException at once, if too many callers of this instance wait
	 * for the lock (see {@link LockOptions#maxWaiters})
	 * @throws LockShutdownException if the application shuts down
	 * @throws LockKeyConflictException if another program uses the lock's key
	 */
	@Override
	public void lock() {
		enterDespiteInterrupts(WITHOUT_END);
	}

	/**
	 * Acquire the lock, waiting without a time limit unless the thread is interrupted.
	 * @throws InterruptedException if the thread was interrupted; the lock was not
	 * acquired
	 * @throws LockStoreException if the store refused the request, and another attempt
	 * would not help
	 * @throws LockNotAcquiredException at once, if too many callers of this instance wait
	 * for the lock
	 * @throws LockShutdownException if the application shuts down
	 */
	@Override
	public void lockInterruptibly() throws InterruptedException {
		enter(WITHOUT_END);
	}

	/**
	 * Acquire the lock if it is free right now and no other caller waits for it.
	 * <p>
	 * Unlike {@code tryLock()} of a local lock, this method does not overtake waiters.
	 * @return whether this thread holds the lock now
	 * @throws LockStoreException if the store did not reply
	 */
	@Override
	public boolean tryLock() {
		return enterDespiteInterrupts(Duration.ZERO);
	}

	/**
	 * Acquire the lock, waiting for a limited time.
	 * @return whether this thread holds the lock now
	 * @throws InterruptedException if the thread was interrupted; the lock was not
	 * acquired
	 * @throws LockStoreException if the store did not reply
	 */
	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return enter(Duration.ofNanos(Math.max(unit.toNanos(time), 0)));
	}

	/**
	 * Undo this thread's latest acquisition, and release the lock if this was the last
	 * one.
	 * <p>
	 * If the store does not reply, the release is tried again in the background, and that
	 * is no reason for an exception.
	 * @throws IllegalMonitorStateException if this thread has not acquired the lock
	 * @throws LockLostException by the last unlock if the lock was lost since this thread
	 * first acquired it. This thread no longer holds the lock, and its work may have run
	 * without protection. Not thrown if the options {@linkplain LockOptions#onLost
	 * ignore} a loss
	 */
	@Override
	public void unlock() {
		Entry latest = latestEntry();
		Entry outer = latest.outer();
		if (outer != null) {
			ENTRIES.get().put(this, outer);
			latest.lock().release();
		}
		else {
			ENTRIES.get().remove(this);
			forgetIfEmpty();
			latest.lock().close();
		}
	}

	/**
	 * Return the handle of this thread's latest acquisition. The handle shows whether the
	 * lock is still held and for how long, has the fencing token, and can run an action
	 * if the lock is lost before the matching {@link #unlock()}.
	 * <p>
	 * Do not release or detach the handle: call {@link #unlock()} instead.
	 * @return the handle
	 * @throws IllegalMonitorStateException if this thread has not acquired the lock
	 */
	public LockHandle handle() {
		return latestEntry().lock();
	}

	/**
	 * Not supported, because threads of other processes cannot be woken.
	 * @throws UnsupportedOperationException always
	 */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Lock '%s' does not support conditions".formatted(this.target));
	}

	LockTarget target() {
		return this.target;
	}

	private boolean enterDespiteInterrupts(Duration waitTime) {
		boolean interrupted = false;
		try {
			while (true) {
				try {
					return take(waitTime);
				}
				catch (LockInterruptedException ex) {
					if (!Thread.interrupted()) {
						throw ex;
					}
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	private boolean enter(Duration waitTime) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException("Lock '%s' not acquired: the thread was interrupted".formatted(this.target));
		}
		try {
			return take(waitTime);
		}
		catch (LockInterruptedException ex) {
			if (Thread.interrupted()) {
				InterruptedException interrupt = new InterruptedException(ex.getMessage());
				interrupt.initCause(ex);
				throw interrupt;
			}
			throw ex;
		}
	}

	private boolean take(Duration waitTime) {
		LockOptions settings = this.options.waitTime(waitTime).reentrant(true);
		LockHandle lock = waitTime.equals(WITHOUT_END) ? this.locks.acquire(this.target, settings)
				: this.locks.tryAcquire(this.target, settings);
		if (lock == null) {
			return false;
		}
		Map<LockView, Entry> entries = ENTRIES.get();
		entries.put(this, new Entry(lock, entries.get(this)));
		return true;
	}

	private Entry latestEntry() {
		Entry latest = ENTRIES.get().get(this);
		if (latest == null) {
			forgetIfEmpty();
			throw new IllegalMonitorStateException(
					"Lock '%s' is not held by thread '%s': only the thread that acquired it can use or release it"
						.formatted(this.target, Thread.currentThread().getName()));
		}
		return latest;
	}

	private static void forgetIfEmpty() {
		if (ENTRIES.get().isEmpty()) {
			ENTRIES.remove();
		}
	}

	/**
	 * Return whether another object is a view of the same lock, in the same mode:
	 * exclusive or shared.
	 */
	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof LockView view && this.locks.equals(view.locks) && this.target.equals(view.target);
	}

	@Override
	public int hashCode() {
		return this.target.hashCode();
	}

	@Override
	public String toString() {
		return "LockView[name=" + this.target + "]";
	}

	/**
	 * One acquisition of a lock by the current thread.
	 *
	 * @param outer the thread's previous acquisition of the same lock, if not unlocked
	 */
	private record Entry(LockHandle lock, @Nullable Entry outer) {
	}

}
