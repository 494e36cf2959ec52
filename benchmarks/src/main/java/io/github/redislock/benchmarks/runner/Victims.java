package io.github.redislock.benchmarks.runner;

import java.util.List;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.Message;

/**
 * The processes of a case that kills some of them.
 */
final class Victims implements AutoCloseable {

	private final WorkerPool pool;

	private final Contender contender;

	private final List<WorkerProcess> processes;

	private boolean stuck;

	Victims(Bench bench, Contender contender, int number) throws InterruptedException {
		this.pool = bench.pool();
		this.contender = contender;
		this.processes = this.pool.take(contender, number);
		this.processes
			.forEach((worker) -> worker.open(contender, CrashCase.CLIENT, bench.direct(CrashCase.LEASE, true)));
		for (WorkerProcess worker : this.processes) {
			worker.reply(WorkerProcess.PATIENCE);
			// Acquire a lock once, because code that runs for the first time is slow.
			Waiters alone = new Waiters(bench, contender);
			alone.hold(worker, CrashCase.CLIENT);
			worker.call(Message.of("release"));
		}
	}

	WorkerProcess get(int index) {
		return this.processes.get(index);
	}

	/**
	 * Mark the processes as unusable, because one of them waits for a lock that it may
	 * never get.
	 */
	void stuck() {
		this.stuck = true;
	}

	@Override
	public void close() throws InterruptedException {
		if (this.stuck) {
			this.processes.forEach(WorkerProcess::close);
			return;
		}
		List<WorkerProcess> survivors = this.processes.stream().filter(WorkerProcess::isAlive).toList();
		for (WorkerProcess survivor : survivors) {
			survivor.call(Message.of("close"));
		}
		this.pool.giveBack(this.contender, survivors);
	}

}
