package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.SurroundingTransaction;
import io.github.redislock.ThreadLocks;

/**
 * What a caller is given who took a lock: lets it go only when the transaction has ended
 * in which he works.
 * <p>
 * That is the transaction in which the lock was taken; if there was none, the one in
 * which it is let go.
 */
final class TransactionalHandle implements LockHandle, EnteredLock {

	private final HoldHandle lock;

	private final Reference<TransactionalHandle> reference;

	private final SurroundingTransaction transaction;

	private final OnLost onLost;

	/**
	 * Everything below is guarded by this handle's monitor, never held while calling out.
	 */
	private int transactions;

	private boolean left;

	private TransactionalHandle(HoldHandle lock, SurroundingTransaction transaction, OnLost onLost) {
		this.lock = lock;
		this.reference = lock.givenAs(this);
		this.transaction = transaction;
		this.onLost = onLost;
	}

	/**
	 * Create the handle of a lock that the present thread has just taken.
	 */
	static TransactionalHandle of(HoldHandle lock, SurroundingTransaction transaction, AcquireSettings settings) {
		TransactionalHandle handle = new TransactionalHandle(lock, transaction, settings.onLost());
		try {
			handle.joinTransaction();
		}
		catch (Throwable ex) {
			lock.release();
			throw ex;
		}
		if (settings.reentrant()) {
			ThreadLocks.add(handle.reference);
		}
		return handle;
	}

	/**
	 * Let the transactions of work depend on this lock which lets go of it by itself.
	 */
	void guardWork() {
		ThreadLocks.add(this.reference);
	}

	@Override
	public Reference<TransactionalHandle> reference() {
		return this.reference;
	}

	@Override
	public OnLost onLost() {
		return this.onLost;
	}

	@Override
	public String name() {
		return this.lock.name();
	}

	@Override
	public LockTarget target() {
		return this.lock.target();
	}

	@Override
	public String owner() {
		return used().owner();
	}

	@Override
	public long fencingToken() {
		return used().fencingToken();
	}

	@Override
	public boolean isHeld() {
		return used().isHeld();
	}

	@Override
	public Duration remaining() {
		return used().remaining();
	}

	@Override
	public boolean verify() {
		return used().verify();
	}

	@Override
	public void extend(Duration additional) {
		requireEntered();
		used().extend(additional);
	}

	@Override
	public void renew() {
		requireEntered();
		used().renew();
	}

	@Override
	public void renew(Duration lease) {
		requireEntered();
		used().renew(lease);
	}

	@Override
	public void downgrade() {
		requireEntered();
		used().downgrade();
	}

	@Override
	public void onLost(Runnable action) {
		used().onLost(action);
	}

	@Override
	public void detach() {
		this.lock.detach();
		ThreadLocks.remove(this.reference);
	}

	@Override
	public ReleaseOutcome release() {
		if (this.lock.isHeld()) {
			if (isUnbound()) {
				joinTransaction();
			}
			synchronized (this) {
				this.left = true;
				if (this.transactions > 0) {
					return ReleaseOutcome.DEFERRED;
				}
			}
		}
		return letGo();
	}

	@Override
	public void close() {
		if (release() == ReleaseOutcome.NOT_HELD && this.onLost != OnLost.IGNORE) {
			this.lock.close();
		}
	}

	@Override
	public HoldHandle entry() {
		return this.lock;
	}

	@Override
	public boolean isLost() {
		return !this.lock.isHeld() && !isOver() && !this.lock.verify();
	}

	@Override
	public synchronized boolean isOver() {
		return this.left && this.transactions == 0;
	}

	/**
	 * Return the lock, for whatever thread uses it now.
	 */
	private HoldHandle used() {
		this.lock.usedBy(Thread.currentThread());
		return this.lock;
	}

	private synchronized boolean isUnbound() {
		return !this.left && this.transactions == 0;
	}

	private void joinTransaction() {
		if (!this.transaction.isActive()) {
			return;
		}
		this.transaction.register(this::beforeCommit, this::afterCompletion);
		synchronized (this) {
			this.transactions++;
		}
	}

	private void beforeCommit() {
		if (this.onLost != OnLost.IGNORE && isLost()) {
			throw this.lock.lost();
		}
	}

	private void afterCompletion() {
		synchronized (this) {
			this.transactions--;
			if (!isOver()) {
				return;
			}
		}
		letGo();
	}

	private ReleaseOutcome letGo() {
		synchronized (this) {
			this.left = true;
		}
		ThreadLocks.remove(this.reference);
		return this.lock.release();
	}

	private synchronized void requireEntered() {
		if (this.left) {
			throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
		}
	}

	@Override
	public String toString() {
		return this.lock.toString();
	}

}
