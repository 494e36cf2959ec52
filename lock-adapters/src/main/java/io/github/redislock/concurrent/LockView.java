package io.github.redislock.concurrent;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import org.jspecify.annotations.Nullable;

/**
 * A distributed lock as a {@link Lock}, for code that is written against that interface.
 * <p>
 * A view keeps nothing: all views of one name, made from the same {@link LockOperations},
 * are the same lock and equal, so it may be made anew for each use. The lock belongs to
 * the thread that took it, which may take it again and has to let go as often. New code
 * is better off with {@link LockOperations}, since {@link Lock} promises what a lease
 * cannot keep:
 * <ul>
 * <li>A lock can be <em>lost</em> while its thread works. {@link #handle()} tells, and
 * calls back; otherwise the last {@link #unlock()} is where it is heard of.
 * <li>{@link #lock()} waits without end, and so for as long as the store is away.
 * <li>{@link #unlock()} inside a transaction takes effect when that has ended.
 * <li>There are no conditions.
 * </ul>
 * Thread-safe.
 *
 * @see LockOperations#acquire(String, LockOptions)
 * @see ReadWriteLockView
 */
public final class LockView implements Lock {

	/** Longer than any process lives, so that the place in the queue is kept. */
	private static final Duration WITHOUT_END = Duration.ofDays(36_500);

	private final LockOperations locks;

	private final LockTarget target;

	private final LockOptions options;

	/**
	 * Create a view of a lock that is taken with the default options.
	 * @param locks takes the lock
	 * @param name the lock's name
	 * @throws IllegalArgumentException if the name is none
	 */
	public LockView(LockOperations locks, String name) {
		this(locks, name, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks takes the lock
	 * @param name the lock's name
	 * @param options how to take and keep it; how long to wait for it is said by each
	 * method instead
	 * @throws IllegalArgumentException if the name is none
	 */
	public LockView(LockOperations locks, String name, LockOptions options) {
		this(locks, LockTarget.of(name), options);
	}

	/**
	 * Create a view of a lock that is taken with the default options, such as one of a
	 * name and a key.
	 * @param locks takes the lock
	 * @param target the lock
	 * @see LockTarget#of(String, Object)
	 */
	public LockView(LockOperations locks, LockTarget target) {
		this(locks, target, LockOptions.options());
	}

	/**
	 * Create a view of a lock.
	 * @param locks takes the lock
	 * @param target the lock
	 * @param options how to take and keep it; how long to wait for it is said by each
	 * method instead
	 */
	public LockView(LockOperations locks, LockTarget target, LockOptions options) {
		this.locks = locks;
		this.target = target;
		this.options = options;
	}

	/**
	 * Acquire the lock, waiting without end, also while the store does not answer.
	 * <p>
	 * An interrupt does not end the wait and leaves the interrupt flag set, but costs the
	 * place in the queue: the thread joins it anew.
	 * @throws LockStoreException if the store refused, and asking again would not help
	 * @throws LockShutdownException if the application shuts down
	 * @throws LockKeyConflictException if the lock's key is another program's
	 */
	@Override
	public void lock() {
		while (!enterDespiteInterrupts(WITHOUT_END)) {
			// Nobody lives to see it.
		}
	}

	/**
	 * Acquire the lock, waiting without end or until the thread is interrupted.
	 * @throws InterruptedException if the thread was interrupted; the lock is not left
	 * behind
	 * @throws LockStoreException if the store refused, and asking again would not help
	 * @throws LockShutdownException if the application shuts down
	 */
	@Override
	public void lockInterruptibly() throws InterruptedException {
		while (!enter(WITHOUT_END)) {
			// Nobody lives to see it.
		}
	}

	/**
	 * Acquire the lock if it is free right now and no other caller waits for it.
	 * <p>
	 * Unlike that of a local lock, this attempt does not push in front of those who wait.
	 * @return whether this thread holds the lock now
	 * @throws LockStoreException if the store did not answer
	 */
	@Override
	public boolean tryLock() {
		return enterDespiteInterrupts(Duration.ZERO);
	}

	/**
	 * Acquire the lock, waiting for a limited time.
	 * @return whether this thread holds the lock now
	 * @throws InterruptedException if the thread was interrupted; the lock is not left
	 * behind
	 * @throws LockStoreException if the store did not answer
	 */
	@Override
	public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
		return enter(Duration.ofNanos(Math.max(unit.toNanos(time), 0)));
	}

	/**
	 * Let the lock go, if this thread has taken it no more than once.
	 * <p>
	 * If the store does not answer, the release is tried again in the background and
	 * nothing is thrown.
	 * @throws IllegalMonitorStateException if this thread has not taken the lock
	 * @throws LockLostException if the lock was lost since this thread took it: it is let
	 * go, but work was done without protection. Not if the options
	 * {@linkplain LockOptions#onLost ignore} a loss
	 */
	@Override
	public void unlock() {
		ThreadHold hold = ThreadHold.of(this.locks, this.target);
		try {
			hold.leave();
		}
		finally {
			hold.forgetIfOver();
		}
	}

	/**
	 * Return the handle of the lock that this thread holds: whether it is still held, for
	 * how long, its fencing token, and who is told when it is lost.
	 * <p>
	 * Not to be released: that is what {@link #unlock()} is for.
	 * @return the handle
	 * @throws IllegalMonitorStateException if this thread has not taken the lock
	 */
	public LockHandle handle() {
		return ThreadHold.of(this.locks, this.target).handle();
	}

	/**
	 * Not supported: nobody could be woken across processes.
	 * @throws UnsupportedOperationException always
	 */
	@Override
	public Condition newCondition() {
		throw new UnsupportedOperationException("Lock '%s' has no conditions".formatted(this.target));
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
		ThreadHold hold = ThreadHold.of(this.locks, this.target);
		try {
			return hold.enter(this.options.waitTime(waitTime));
		}
		finally {
			hold.forgetIfOver();
		}
	}

	/**
	 * Return whether another object is a view of the same lock, taken in the same way:
	 * alone, or shared.
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

}
