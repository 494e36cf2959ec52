package io.github.redislock.autoconfigure.scheduled;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.redislock.LockContext;

/**
 * A run of a job in any application of this JVM.
 *
 * @param token its fencing token
 */
record JobRun(long token) {

	private static final List<JobRun> BEGUN = new CopyOnWriteArrayList<>();

	private static final AtomicInteger TOGETHER = new AtomicInteger();

	private static final AtomicInteger MOST_TOGETHER = new AtomicInteger();

	private static volatile CountDownLatch end = new CountDownLatch(1);

	/**
	 * Run as a job.
	 */
	static void work(Duration length) {
		begin();
		LockSupport.parkNanos(length.toNanos());
		TOGETHER.decrementAndGet();
	}

	/**
	 * Run as a job that ends only when the test allows it.
	 */
	static void workUntilTheEnd() {
		begin();
		try {
			end.await(60, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			TOGETHER.decrementAndGet();
		}
	}

	static void letAllEnd() {
		end.countDown();
	}

	static void forgetAll() {
		BEGUN.clear();
		MOST_TOGETHER.set(0);
		end = new CountDownLatch(1);
	}

	static List<JobRun> begun() {
		return List.copyOf(BEGUN);
	}

	/**
	 * Return the greatest number of simultaneous runs.
	 */
	static int mostTogether() {
		return MOST_TOGETHER.get();
	}

	private static void begin() {
		MOST_TOGETHER.accumulateAndGet(TOGETHER.incrementAndGet(), Math::max);
		BEGUN.add(new JobRun(LockContext.current().fencingToken()));
	}

}
