package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.stream.Stream;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.redislock.LockFence;
import io.github.redislock.LockHandle;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.internal.support.OwnerTokens;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The handle of a blocking caller. If the caller is in a transaction, the lock is
 * released only when that transaction has ended. This is the transaction that was active
 * when the lock was acquired or, if there was none, when {@code release()} is called.
 */
final class BlockingHandle extends HoldHandle implements LockHandle {

	private static final Log logger = LogFactory.getLog(BlockingHandle.class);

	private final SurroundingTransaction transaction;

	private final @Nullable LockFence fence;

	/** A reference that keeps the work's handle from being detected as dropped. */
	@SuppressWarnings("UnusedVariable")
	private final @Nullable AsyncHandle work;

	private @GuardedBy("this") int transactions;

	private @GuardedBy("this") boolean released;

	/** Whether the fence has decided, or there is no reason to warn that it has not. */
	private volatile boolean fenced;

	/**
	 * Create the handle of a hold that the current thread has acquired.
	 * @param waiting lets the caller's thread wait for replies
	 */
	BlockingHandle(Hold hold, SystemResources.Waiting waiting, SurroundingTransaction transaction,
			AcquireSettings settings) {
		super(hold, waiting, settings.onLost());
		this.transaction = transaction;
		this.fence = settings.fence();
		this.work = null;
	}

	/**
	 * Create a blocking handle for asynchronous work.
	 */
	BlockingHandle(AsyncHandle lock) {
		super(lock);
		this.transaction = SurroundingTransaction.NONE;
		this.fence = null;
		this.work = lock;
	}

	/**
	 * Begin to use the lock on the current thread, which has just acquired it.
	 * @param remembered whether the thread may re-enter the lock
	 */
	void begin(boolean remembered) {
		try {
			if (this.fence != null) {
				// First, because a refusal releases the lock before the transaction ends.
				FenceRow.admit(fenceRows());
			}
			joinTransaction();
		}
		catch (Throwable ex) {
			releaseNow();
			throw ex;
		}
		if (remembered) {
			guardWork();
		}
	}

	/**
	 * Register the lock with the current thread, so that
	 * {@link io.github.redislock.LockContext} and re-entrant calls find it.
	 */
	void guardWork() {
		ThreadLocks.add(reference());
	}

	/**
	 * Do not warn that the work was not fenced, because it failed.
	 */
	void workFailed() {
		this.fenced = true;
	}

	/**
	 * Return the hold, and record that the current thread uses it.
	 */
	@Override
	Hold used() {
		hold().monitor().usedBy(Thread.currentThread());
		return hold();
	}

	@Override
	public Stream<FenceRow> fenceRows() {
		LockFence fence = this.fence;
		if (fence == null || !fence.isInTransaction()) {
			return Stream.empty();
		}
		this.fenced = true;
		String holder = OwnerTokens.shortened(hold().owner());
		return names().stream().map((name) -> new FenceRow(fence, name, hold().fencingToken(), holder));
	}

	@Override
	public boolean isOver() {
		return hasLeft() && !isBound();
	}

	@Override
	public boolean verify() {
		return await(askOwner());
	}

	@Override
	public void extend(Duration additional) {
		await(change((hold) -> hold.extend(additional)));
	}

	@Override
	public void renew() {
		await(change(Hold::renew));
	}

	@Override
	public void renew(Duration lease) {
		await(change((hold) -> hold.renew(lease)));
	}

	@Override
	public void detach() {
		hold().monitor().detach();
		ThreadLocks.remove(reference());
	}

	@Override
	public ReleaseOutcome release() {
		if (this.fence != null && !this.fenced) {
			this.fenced = true;
			logger.warn(("Lock '%s' is released, but its fence admitted its holder in no transaction: the work was not"
					+ " fenced. Begin a transaction of the fence's DataSource inside the lock, or remove the fence")
				.formatted(hold().target()));
		}
		if (!hasLeft() && hold().standing().isOpen()) {
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

	@Override
	synchronized boolean isReleased() {
		return this.released || super.isReleased();
	}

	private synchronized boolean isBound() {
		return this.transactions > 0;
	}

	private synchronized boolean isUnbound() {
		return !this.released && this.transactions == 0;
	}

	private void joinTransaction() {
		if (this.transaction.join(this::beforeCommit, this::afterCompletion)) {
			synchronized (this) {
				this.transactions++;
			}
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
		ThreadLocks.remove(reference());
		return await(CallingThread.begin(ChronoUnit.FOREVER.getDuration(), this::leave, (outcome) -> outcome));
	}

}
