package io.github.redislock.redis;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Records when this JVM stalled. A lock that is handed over belongs to its new holder for
 * 900 ms until it is renewed, so an instance that stalls for so long loses it, as it
 * should.
 */
final class Stalls implements AutoCloseable {

	private static final long BEAT_NANOS = Duration.ofMillis(10).toNanos();

	/** Shorter stalls are not recorded. */
	private static final long LEAST_NANOS = Duration.ofMillis(20).toNanos();

	/** The longest time between a stall and the report of the loss that it caused. */
	private static final long REACH_NANOS = Duration.ofMillis(1_500).toNanos();

	private final Queue<Stall> noted = new ConcurrentLinkedQueue<>();

	private final AtomicLong beats = new AtomicLong();

	private volatile boolean closed;

	Stalls() {
		Thread heart = new Thread(this::beat, "stalls");
		heart.setDaemon(true);
		heart.start();
	}

	/**
	 * Return how long this JVM stalled shortly before a moment.
	 * @param moment by the monotonic clock
	 */
	Duration before(long moment) {
		long present = this.beats.get();
		// By then, a stall that is still going on is recorded.
		Instances.await("beat").until(() -> this.beats.get() > present + 1);
		return Duration.ofNanos(this.noted.stream()
			.filter((stall) -> stall.begin() - moment < 0 && moment - stall.end() < REACH_NANOS)
			.mapToLong((stall) -> stall.end() - stall.begin())
			.sum());
	}

	@Override
	public void close() {
		this.closed = true;
	}

	private void beat() {
		while (!this.closed) {
			long due = System.nanoTime() + BEAT_NANOS;
			LockSupport.parkNanos(BEAT_NANOS);
			long now = System.nanoTime();
			if (now - due > LEAST_NANOS) {
				this.noted.add(new Stall(due, now));
			}
			this.beats.incrementAndGet();
		}
	}

	private record Stall(long begin, long end) {
	}

}
