package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;

/**
 * Records the events it receives.
 */
final class RecordingListener implements LockListener {

	final List<String> events = new CopyOnWriteArrayList<>();

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		this.events.add("acquired");
	}

	@Override
	public void refused(LockTarget target, Duration waited, int waitingCallers) {
		this.events.add((waitingCallers > 0) ? "refused at once" : "refused");
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		this.events.add("failed " + failure.getClass().getSimpleName());
	}

	@Override
	public void renewed(HeldLock lock) {
		this.events.add("renewed");
	}

	@Override
	public void renewalFailed(HeldLock lock, LockStoreException failure) {
		this.events.add("renewalFailed");
	}

	@Override
	public void lost(HeldLock lock, LockLostException loss) {
		this.events.add("lost");
	}

	@Override
	public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
		this.events.add("released " + outcome);
	}

}
