package io.github.redislock.benchmarks.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

import io.github.redislock.benchmarks.contender.LockClient;
import io.github.redislock.benchmarks.stats.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Threads that acquire and release locks repeatedly, either all the same lock or each its
 * own lock. A single thread without a shared lock acquires many locks in turn.
 * Acquisitions are counted in a window of time that all processes share, which works
 * because {@link System#nanoTime()} is the same for all processes of a Linux machine.
 */
final class LoopTask {

	/** The number of locks that a single thread acquires in turn, if it shares none. */
	private static final int NAMES = 10_000;

	private final LockClient client;

	private final Message order;

	private final @Nullable Guard guard;

	private final long startAt;

	private final long from;

	private final long until;

	/** How many times the lock came from another process. Written under the lock. */
	private long crossings;

	/** The times of hand-overs. Written under the lock. */
	private final Histogram handOvers = new Histogram();

	/** The times of lock and unlock, which are measured only with a single thread. */
	private final Histogram pairs = new Histogram();

	/** The number of bytes that the thread has allocated, if there is only one. */
	private long callerBytes;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	LoopTask(LockClient client, Message order) throws IOException {
		this.client = client;
		this.order = order;
		this.guard = order.flag("shared") ? Guard.map(Path.of(order.text("guard")), order.number("process")) : null;
		this.startAt = order.number("startAt");
		this.from = order.number("from");
		this.until = order.number("until");
	}

	Message run() throws InterruptedException {
		int threads = (int) this.order.number("threads");
		boolean virtual = this.order.flag("virtual");
		long[] counted = new long[threads];
		long[] total = new long[threads];
		List<Thread> started = new ArrayList<>();
		for (int number = 0; number < threads; number++) {
			int index = number;
			started.add(WorkerThreads.start(virtual, () -> loop(index, counted, total, threads == 1)));
		}
		for (Thread thread : started) {
			thread.join();
		}
		Throwable failed = this.failure.get();
		if (failed != null) {
			throw new IllegalStateException(failed);
		}
		return Message.of("ok")
			.with("counts", Arrays.stream(counted).mapToObj(Long::toString).collect(Collectors.joining(",")))
			.with("total", Arrays.stream(total).sum())
			.with("crossings", this.crossings)
			.with("violations", (this.guard != null) ? this.guard.violations() : 0)
			.with("handOvers", this.handOvers.encode())
			.with("callerBytes", this.callerBytes)
			.with("pairs", this.pairs.encode());
	}

	private void loop(int index, long[] counted, long[] total, boolean timed) {
		try {
			String name = this.order.text("key");
			Section section = new Section();
			if (this.guard == null) {
				name += ":" + this.order.number("process") + ":" + index;
			}
			while (System.nanoTime() < this.startAt) {
				LockSupport.parkNanos(this.startAt - System.nanoTime());
			}
			boolean changes = timed && this.guard == null;
			long bytes = timed ? Footprint.allocated() : 0;
			long begin = System.nanoTime();
			while (begin < this.until) {
				this.client.execute(changes ? name + ':' + section.total % NAMES : name, section);
				long end = System.nanoTime();
				if (timed && isCounted(begin)) {
					this.pairs.add(end - begin);
				}
				begin = end;
			}
			if (timed) {
				this.callerBytes = Footprint.allocated() - bytes;
			}
			counted[index] = section.counted;
			total[index] = section.total;
		}
		catch (Throwable ex) {
			this.failure.compareAndSet(null, ex);
		}
	}

	private void count(long handOver, boolean counts) {
		this.crossings++;
		if (counts) {
			this.handOvers.add(handOver);
		}
	}

	private boolean isCounted(long instant) {
		return instant >= this.from && instant < this.until;
	}

	/**
	 * What one thread does while it holds the lock: count the acquisition, and enter and
	 * leave the guard, if there is one.
	 */
	private final class Section implements Runnable {

		private long counted;

		private long total;

		@Override
		public void run() {
			this.total++;
			boolean counts = isCounted(System.nanoTime());
			if (counts) {
				this.counted++;
			}
			Guard watched = LoopTask.this.guard;
			if (watched != null) {
				long handOver = watched.enter();
				if (handOver >= 0) {
					count(handOver, counts);
				}
				watched.leave();
			}
		}

	}

}
