package io.github.redislock.internal.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.github.redislock.LockTarget;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However threads interleave, a queue runs each step exactly once, and never two at a
 * time.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
@Tag("interleaving")
@Tag("promise-1")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class LocalQueueInterleavingTests {

	private static final int MOST_THREADS = 8;

	private static final EngineParts PARTS = EngineCalls.parts();

	/** Used only by steps, like the state of the queue. */
	private final List<int[]> done = new ArrayList<>();

	private final LocalQueue queue = new LocalQueue(PARTS, LockTarget.of("order:42"), true);

	/** How many steps each thread has submitted. */
	private final int[] brought = new int[MOST_THREADS];

	private int running;

	private boolean overlapped;

	@Operation
	public void run(@Param(name = "thread") int thread) {
		int number = ++this.brought[thread];
		this.queue.run((state) -> runStep(thread, number));
	}

	@Operation
	public void runStepThatBringsAnother(@Param(name = "thread") int thread) {
		int number = ++this.brought[thread];
		this.brought[thread]++;
		this.queue.run((state) -> {
			this.queue.run((later) -> runStep(thread, number + 1));
			runStep(thread, number);
		});
	}

	private void runStep(int thread, int number) {
		this.running++;
		this.overlapped |= this.running != 1;
		this.done.add(new int[] { thread, number });
		this.running--;
	}

	@Validate
	public void eachStepWasDoneOnce() {
		if (this.overlapped) {
			throw new IllegalStateException("Two steps ran at a time");
		}
		int[] last = new int[MOST_THREADS];
		int[] count = new int[MOST_THREADS];
		for (int[] step : this.done) {
			count[step[0]]++;
			last[step[0]] = Math.max(last[step[0]], step[1]);
		}
		for (int thread = 0; thread < MOST_THREADS; thread++) {
			if (count[thread] != this.brought[thread] || last[thread] != this.brought[thread]) {
				throw new IllegalStateException("Thread %d brought %d steps of which %d were done".formatted(thread,
						this.brought[thread], count[thread]));
			}
		}
	}

	@Test
	void stepsOfTwoThreadsRunOneAtATime() {
		Interleavings.check(LocalQueueInterleavingTests.class, 2, Effort.of(300, 700));
	}

}
