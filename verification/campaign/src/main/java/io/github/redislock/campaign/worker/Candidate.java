package io.github.redislock.campaign.worker;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.campaign.history.Outcome;
import io.github.redislock.campaign.history.Recorder;
import io.github.redislock.leadership.LockLeadership;
import org.jspecify.annotations.Nullable;

/**
 * An instance's candidacy for the role that all instances want. As soon as the listener
 * is called, the leadership is watched and recorded like the hold of a lock.
 */
final class Candidate {

	private static final Duration LOOK = Duration.ofMillis(2);

	/** How long the watcher may take to notice that the candidacy is closed. */
	private static final Duration IDLE = Duration.ofMillis(50);

	/** A time longer than any delay of a listener. */
	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final Setup setup;

	private final LockOperations locks;

	private final Recorder recorder;

	private final Witness witness;

	private final LockLeadership leadership;

	private final Random random = new Random();

	private final Closing closing = new Closing();

	private final BlockingQueue<Begun> begun = new LinkedBlockingQueue<>();

	private final BlockingQueue<Long> told = new LinkedBlockingQueue<>();

	private final Thread watcher = new Thread(this::watch, "leader");

	/**
	 * The number of the current attempt, which is recorded before the lock is requested.
	 */
	private volatile long attempt;

	/**
	 * The current term, or 0 if this instance does not lead. Set by one listener and
	 * cleared by the other.
	 */
	private volatile long term;

	private volatile boolean resigning;

	private volatile boolean stopped;

	Candidate(Setup setup, LockOperations locks, Recorder recorder, Witness witness) {
		this.setup = setup;
		this.locks = locks;
		this.recorder = recorder;
		this.witness = witness;
		this.leadership = new LockLeadership(Setup.ROLE, locks, LockOptions.options().timeout(setup.lease()));
		this.leadership.onGranted(this::granted);
		this.leadership.onRevoked(this::revoked);
	}

	void start() {
		this.attempt = asks();
		this.watcher.start();
		this.leadership.start();
	}

	void resign() {
		this.resigning = true;
	}

	void close() {
		if (this.closing.isBegun()) {
			return;
		}
		this.closing.begin();
		this.leadership.stop();
		this.stopped = true;
		try {
			this.watcher.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		this.recorder.isDenied(this.attempt, Outcome.CLOSED, System.nanoTime(), null);
	}

	private long asks() {
		return this.recorder.asks(Setup.lock(Setup.ROLE_KEY), null, Recorder.FOREVER);
	}

	private void granted(long term) {
		if (this.term != 0) {
			this.recorder.unexpected("Leads in term %d while it still leads in term %d".formatted(term, this.term));
		}
		this.term = term;
		this.begun.add(new Begun(this.attempt, term, System.nanoTime()));
	}

	private void revoked(long term) {
		long now = System.nanoTime();
		if (this.term == 0) {
			// The leadership ended before the listener for its beginning could be called.
			return;
		}
		if (this.term != term) {
			this.recorder
				.unexpected("Leads in term %d, but the end of term %d was reported".formatted(this.term, term));
		}
		this.term = 0;
		// The role is requested again after this listener has returned.
		this.attempt = asks();
		this.told.add(now);
	}

	private void watch() {
		try {
			while (!this.stopped || !this.begun.isEmpty()) {
				Begun next = poll(this.begun, IDLE);
				if (next != null) {
					watch(next);
				}
			}
		}
		catch (Throwable ex) {
			this.recorder.unexpected(ex.toString());
			ex.printStackTrace();
		}
	}

	private void watch(Begun leader) {
		Led led = new Led(leader.term());
		Section section = new Section(led, this.recorder, this.witness, this.closing, leader.attempt(), Setup.ROLE_KEY,
				this.witness.nextEntry(this.setup.number()), leader.at());
		this.resigning = false;
		if (section.enter()) {
			long end = System.nanoTime() + length().toNanos();
			while (section.work() && System.nanoTime() - end < 0 && !this.resigning) {
				Pause.of(LOOK);
			}
		}
		long due = section.end();
		Long told = poll(this.told, PATIENCE);
		this.recorder.told(due, (told != null) ? told : System.nanoTime());
	}

	/**
	 * Return how long to lead, which is sometimes a moment and sometimes longer than a
	 * lease. Without contenders, a leader stays until it is ordered to resign.
	 */
	private Duration length() {
		if (this.setup.threads() == 0) {
			return Duration.ofDays(1);
		}
		long lease = this.setup.lease().toMillis();
		return Duration.ofMillis(this.random.nextLong(this.random.nextBoolean() ? lease / 4 : 4 * lease));
	}

	private static <T> @Nullable T poll(BlockingQueue<T> queue, Duration patience) {
		try {
			return queue.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private record Begun(long attempt, long term, long at) {
	}

	/**
	 * A leadership, presented as a lock.
	 */
	private final class Led implements Held {

		private final long term;

		Led(long term) {
			this.term = term;
		}

		@Override
		public long token() {
			return this.term;
		}

		@Override
		public String owner() {
			return Candidate.this.setup.client() + "/leader";
		}

		@Override
		public boolean isHeld() {
			return Candidate.this.leadership.term().orElse(0) == this.term;
		}

		@Override
		public Duration remaining() {
			return Candidate.this.locks.local()
				.held()
				.stream()
				.filter((held) -> held.target().name().equals(Setup.lock(Setup.ROLE_KEY)))
				.filter((held) -> held.fencingToken() == this.term)
				.findAny()
				.map((held) -> held.remaining())
				.orElse(Duration.ZERO);
		}

		@Override
		public void renew(Duration lease) {
			throw new UnsupportedOperationException();
		}

		@Override
		public void extend(Duration additional) {
			throw new UnsupportedOperationException();
		}

		@Override
		public ReleaseOutcome release() {
			boolean held = isHeld();
			Candidate.this.leadership.resign();
			// A resignation does not report the outcome of the release.
			return held ? ReleaseOutcome.UNKNOWN : ReleaseOutcome.NOT_HELD;
		}

	}

}
