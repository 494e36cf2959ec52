package io.github.redislock.engine;

import java.lang.ref.Reference;
import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.ReleaseOutcome;

/**
 * The lock of asynchronous work for code that waits on its own thread. Whoever has it has
 * the work's handle.
 */
final class BlockingHandle extends EntryHandle implements LockHandle {

	private final AsyncHandle lock;

	BlockingHandle(AsyncHandle lock) {
		super(lock.entry(), lock.onLost());
		this.lock = lock;
	}

	@Override
	public Reference<? extends EnteredLock> reference() {
		return this.lock.reference();
	}

	@Override
	public boolean verify() {
		return entry().verify();
	}

	@Override
	public void extend(Duration additional) {
		entry().extend(additional);
	}

	@Override
	public void renew() {
		entry().renew();
	}

	@Override
	public void renew(Duration lease) {
		entry().renew(lease);
	}

	@Override
	public void downgrade() {
		entry().downgrade();
	}

	@Override
	public void detach() {
		// Was never any thread's.
	}

	@Override
	public ReleaseOutcome release() {
		return entry().release();
	}

	@Override
	public void close() {
		LockLostException lost = this.lock.lossAfter(release());
		if (lost != null) {
			throw lost;
		}
	}

}
