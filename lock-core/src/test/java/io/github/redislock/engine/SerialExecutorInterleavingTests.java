package io.github.redislock.engine;

import java.util.ArrayList;
import java.util.List;

import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * However threads interleave, an executor runs each task exactly once, and never two at a
 * time.
 */
@Param(name = "thread", gen = ThreadIdGen.class)
@Tag("interleaving")
@Tag("promise-1")
public class SerialExecutorInterleavingTests {

	private static final int MOST_THREADS = 8;

	/** Used only by tasks, like the state of a queue. */
	private final List<int[]> done = new ArrayList<>();

	private final SerialExecutor<List<int[]>> executor = new SerialExecutor<>(this.done);

	/** How many tasks each thread has submitted. */
	private final int[] brought = new int[MOST_THREADS];

	private int running;

	private boolean overlapped;

	@Operation
	public void run(@Param(name = "thread") int thread) {
		int number = ++this.brought[thread];
		this.executor.run((done) -> runTask(done, thread, number));
	}

	@Operation
	public void runTaskThatBringsAnother(@Param(name = "thread") int thread) {
		int number = ++this.brought[thread];
		this.brought[thread]++;
		this.executor.run((done) -> {
			this.executor.run((later) -> runTask(later, thread, number + 1));
			runTask(done, thread, number);
		});
	}

	private void runTask(List<int[]> done, int thread, int number) {
		this.running++;
		this.overlapped |= this.running != 1;
		done.add(new int[] { thread, number });
		this.running--;
	}

	@Validate
	public void eachTaskWasDoneOnce() {
		if (this.overlapped) {
			throw new IllegalStateException("Two tasks ran at a time");
		}
		int[] last = new int[MOST_THREADS];
		int[] count = new int[MOST_THREADS];
		for (int[] task : this.done) {
			count[task[0]]++;
			last[task[0]] = Math.max(last[task[0]], task[1]);
		}
		for (int thread = 0; thread < MOST_THREADS; thread++) {
			if (count[thread] != this.brought[thread] || last[thread] != this.brought[thread]) {
				throw new IllegalStateException("Thread %d brought %d tasks of which %d were done".formatted(thread,
						this.brought[thread], count[thread]));
			}
		}
	}

	@Test
	void tasksOfTwoThreadsRunOneAtATime() {
		Interleavings.check(SerialExecutorInterleavingTests.class, 2, Effort.of(300, 700));
	}

}
