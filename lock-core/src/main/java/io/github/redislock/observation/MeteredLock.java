package io.github.redislock.observation;

import java.time.Duration;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.ReleaseOutcome;
import io.micrometer.core.instrument.LongTaskTimer;
import org.jspecify.annotations.Nullable;

/**
 * Measures one caller's wait for a lock and its hold.
 */
final class MeteredLock implements LockListener {

	private final LockMeters meters;

	private volatile LongTaskTimer.@Nullable Sample held;

	/**
	 * Count a caller that begins to wait.
	 */
	MeteredLock(LockMeters meters) {
		this.meters = meters;
		meters.waiting();
	}

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		this.meters.waitsNoMore();
		this.held = this.meters.acquired(from);
	}

	@Override
	public void refused(String lockName, Duration waited) {
		this.meters.waitsNoMore();
		this.meters.timedOut();
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		this.meters.waitsNoMore();
	}

	@Override
	public void renewed(HeldLock lock) {
		this.meters.renewed();
	}

	@Override
	public void renewalFailed(HeldLock lock, LockStoreException failure) {
		this.meters.renewalFailed();
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		this.meters.lost();
		stop();
	}

	@Override
	public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
		this.meters.released(outcome, held);
		stop();
	}

	/**
	 * Stop measuring the hold. After a loss, the later release calls this method again.
	 */
	private void stop() {
		LongTaskTimer.Sample running = this.held;
		if (running != null) {
			this.held = null;
			running.stop();
		}
	}

}
