package io.github.redislock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Remembers what it heard.
 */
final class RecordingListener implements LockListener {

	final List<String> events = new CopyOnWriteArrayList<>();

	@Override
	public void acquired(LockHandle lock, Duration waited) {
		this.events.add("acquired");
	}

	@Override
	public void refused(String lockName, Duration waited) {
		this.events.add("refused");
	}

	@Override
	public void failed(LockException failure, Duration waited) {
		this.events.add("failed " + failure.getClass().getSimpleName());
	}

	@Override
	public void renewed(LockHandle lock) {
		this.events.add("renewed");
	}

	@Override
	public void renewalFailed(LockHandle lock, LockStoreException failure) {
		this.events.add("renewalFailed");
	}

	@Override
	public void lost(LockHandle lock, LockLostException loss) {
		this.events.add("lost");
	}

	@Override
	public void released(LockHandle lock, ReleaseOutcome outcome, Duration held) {
		this.events.add("released " + outcome);
	}

}
