package io.github.redislock.benchmarks.worker;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import io.github.redislock.benchmarks.contender.LockClient;
import org.jspecify.annotations.Nullable;

/**
 * Threads that each wait for the same lock once, record when they were granted it, and
 * release it.
 */
final class WaitTask {

	private final List<Thread> threads = new ArrayList<>();

	/**
	 * The times when each thread was served, in microseconds since 1970 and by
	 * {@link System#nanoTime()}.
	 */
	private final long[] served;

	private final long[] nanos;

	private final Guard guard;

	private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

	WaitTask(LockClient client, Message order) throws IOException {
		int number = (int) order.number("threads");
		String name = order.text("key");
		this.served = new long[number];
		this.nanos = new long[number];
		this.guard = Guard.map(Path.of(order.text("guard")), order.number("process"));
		for (int thread = 0; thread < number; thread++) {
			int index = thread;
			this.threads.add(WorkerThreads.start(false, () -> take(client, name, index)));
		}
	}

	Message served() throws InterruptedException {
		for (Thread thread : this.threads) {
			thread.join();
		}
		Throwable failed = this.failure.get();
		if (failed != null) {
			throw new IllegalStateException(failed);
		}
		return Message.of("ok")
			.with("served", list(this.served))
			.with("nanos", list(this.nanos))
			.with("violations", this.guard.violations());
	}

	private void take(LockClient client, String name, int index) {
		try {
			client.execute(name, () -> {
				this.nanos[index] = System.nanoTime();
				this.served[index] = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
				this.guard.enter();
				this.guard.leave();
			});
		}
		catch (Throwable ex) {
			this.failure.compareAndSet(null, ex);
		}
	}

	private static String list(long[] numbers) {
		return Arrays.stream(numbers).mapToObj(Long::toString).collect(Collectors.joining(","));
	}

}
