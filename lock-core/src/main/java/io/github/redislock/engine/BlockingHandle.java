package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

import io.github.redislock.CallersLock;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.SurroundingTransaction;
import io.github.redislock.ThreadLocks;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a blocking caller. It releases the lock only when the caller's
 * transaction has ended: the one in which the lock was taken or, without one, in which it
 * is released.
 */
final class BlockingHandle extends CallersLock implements LockHandle {

	private final HoldEntry entry;

	private final Machine.Waiting waiting;

	private final SurroundingTransaction transaction;

	/** Referenced, so that it does not count as dropped while the caller has this. */
	@SuppressWarnings("UnusedVariable")
	private final @Nullable AsyncHandle work;

	/**
	 * Everything below is guarded by this handle's monitor, never held while calling out.
	 */
	private int transactions;

	private boolean released;

	/**
	 * Create the handle of a hold that the current thread takes.
	 * @param waiting makes the caller's thread wait for replies
	 */
	BlockingHandle(Hold hold, Machine.Waiting waiting, SurroundingTransaction transaction, OnLost onLost) {
		super(onLost);
		this.waiting = waiting;
		this.transaction = transaction;
		this.work = null;
		this.entry = new HoldEntry(hold, this);
	}

	/**
	 * Create the handle of asynchronous work for code that waits on its own thread. It
	 * references the work's handle.
	 */
	BlockingHandle(AsyncHandle lock, Machine.Waiting waiting) {
		super(lock.onLost());
		this.waiting = waiting;
		this.transaction = SurroundingTransaction.NONE;
		this.work = lock;
		this.entry = lock.entry();
	}

	/**
	 * Begin to use the lock on the current thread, which has just taken it.
	 * @param remembered whether the thread may enter it again
	 */
	void begin(boolean remembered) {
		try {
			joinTransaction();
		}
		catch (Throwable ex) {
			release(this.entry);
			throw ex;
		}
		if (remembered) {
			guardWork();
		}
	}

	/**
	 * Guard the commit of transactions, for work that releases the lock itself.
	 */
	void guardWork() {
		ThreadLocks.add(this.entry.handle());
	}

	@Override
	protected HoldEntry entry() {
		return this.entry;
	}

	/**
	 * Return the lock, and note that the current thread uses it.
	 */
	@Override
	protected HoldEntry used() {
		this.entry.hold().monitor().usedBy(Thread.currentThread());
		return this.entry;
	}

	@Override
	public Reference<? extends CallersLock> reference() {
		return this.entry.handle();
	}

	@Override
	public boolean covers(LockTarget target) {
		return this.entry.hold().covers(target);
	}

	@Override
	public LockLostException lost() {
		return this.entry.hold().lossAsException();
	}

	@Override
	public boolean isLost() {
		return !this.entry.isHeld() && !isOver() && !verify();
	}

	@Override
	public boolean isOver() {
		return this.entry.hasLeft() && !isBound();
	}

	@Override
	public boolean verify() {
		return await(used()::verify);
	}

	@Override
	public void extend(Duration additional) {
		change(() -> this.entry.hold().extend(additional));
	}

	@Override
	public void renew() {
		change(() -> this.entry.hold().renew());
	}

	@Override
	public void renew(Duration lease) {
		change(() -> this.entry.hold().renew(lease));
	}

	@Override
	public void downgrade() {
		change(() -> this.entry.hold().downgrade());
	}

	@Override
	public void detach() {
		this.entry.hold().monitor().detach();
		ThreadLocks.remove(this.entry.handle());
	}

	@Override
	public ReleaseOutcome release() {
		if (this.entry.isHeld()) {
			if (isUnbound()) {
				joinTransaction();
			}
			synchronized (this) {
				this.released = true;
				if (this.transactions > 0) {
					return ReleaseOutcome.DEFERRED;
				}
			}
		}
		return releaseNow();
	}

	@Override
	public void close() {
		if (release() == ReleaseOutcome.NOT_HELD && onLost() != OnLost.IGNORE) {
			throw Loss.atRelease(lost());
		}
	}

	private void change(Supplier<CompletionStage<Void>> change) {
		synchronized (this) {
			if (this.released) {
				throw new IllegalStateException("Lock '%s' was released: acquire it again".formatted(name()));
			}
		}
		used().requireEntered();
		await(change);
	}

	private <T> T await(Supplier<CompletionStage<T>> reply) {
		return StoreReplies.await(this.waiting, this.entry.target(), reply.get());
	}

	private synchronized boolean isBound() {
		return this.transactions > 0;
	}

	private synchronized boolean isUnbound() {
		return !this.released && this.transactions == 0;
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
		if (onLost() != OnLost.IGNORE && isLost()) {
			throw lost();
		}
	}

	private void afterCompletion() {
		synchronized (this) {
			this.transactions--;
			if (!this.released || this.transactions > 0) {
				return;
			}
		}
		releaseNow();
	}

	private ReleaseOutcome releaseNow() {
		synchronized (this) {
			this.released = true;
		}
		ThreadLocks.remove(this.entry.handle());
		return release(this.entry);
	}

	private ReleaseOutcome release(HoldEntry entry) {
		return this.waiting.join(entry.release());
	}

}
