package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

import io.github.redislock.internal.client.Closing;
import io.github.redislock.internal.client.Timeouts;

/**
 * Random pauses, so that instances that ask for the same lock do not keep colliding.
 * Thread-safe.
 */
final class QuorumPauses implements AutoCloseable {

	private static final Duration LEAST = Duration.ofNanos(200_000);

	private static final int LONGEST_MILLIS = 16;

	/** The range of the pause after a yield, which gives other callers a chance. */
	private static final Duration YIELD = Duration.ofMillis(5);

	private final ScheduledExecutorService executor;

	private final LongSupplier nanoTime;

	private final RandomGenerator random;

	QuorumPauses() {
		this(Timeouts.thread(), System::nanoTime, () -> ThreadLocalRandom.current().nextLong());
	}

	/**
	 * Create pauses.
	 * @param executor runs the tasks; closed together with this object
	 * @param random chooses the pauses; must be thread-safe
	 */
	QuorumPauses(ScheduledExecutorService executor, LongSupplier nanoTime, RandomGenerator random) {
		this.executor = executor;
		this.nanoTime = nanoTime;
		this.random = random;
	}

	long nanoTime() {
		return this.nanoTime.getAsLong();
	}

	/**
	 * Return how long to wait before asking again. The limit of this random time grows
	 * with the first rounds.
	 * @param round the number of the round, beginning with 1
	 */
	Duration beforeRound(int round) {
		return upTo(Duration.ofMillis(Math.min(1L << Math.min(round, 10), LONGEST_MILLIS)));
	}

	Duration toYield() {
		return upTo(YIELD);
	}

	/**
	 * Run a task later, or at once if this object is closed.
	 */
	void after(Duration pause, Runnable task) {
		try {
			this.executor.schedule(task, pause.toNanos(), TimeUnit.NANOSECONDS);
		}
		catch (RejectedExecutionException ex) {
			task.run();
		}
	}

	@Override
	public void close() {
		this.executor.shutdown();
		Closing.await(this.executor);
	}

	private Duration upTo(Duration longest) {
		return LEAST.plusNanos(this.random.nextLong(longest.toNanos()));
	}

}
