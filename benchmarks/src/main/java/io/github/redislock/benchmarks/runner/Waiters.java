package io.github.redislock.benchmarks.runner;

import java.nio.file.Path;
import java.util.Arrays;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.worker.Message;

/**
 * A lock, its holder, and callers that each wait for the lock once.
 */
final class Waiters {

	private final Contender contender;

	private final String key;

	private final Path guard;

	private long waiting;

	Waiters(Bench bench, Contender contender) {
		this.contender = contender;
		this.key = bench.newName("lock");
		this.guard = bench.newGuard();
	}

	String key() {
		return this.contender.key(this.key);
	}

	void hold(WorkerProcess holder, String client) throws InterruptedException {
		holder.call(Message.of("hold").with("client", client).with("key", this.key).with("locks", 1));
	}

	void await(WorkerProcess process, String client, int threads) throws InterruptedException {
		this.waiting += threads;
		process.call(Message.of("wait")
			.with("client", client)
			.with("key", this.key)
			.with("threads", threads)
			.with("guard", this.guard)
			.with("process", process.number()));
	}

	/**
	 * Throw an exception if two waiters were in the critical section at once.
	 * @param dead the number of waiters that were killed before their turn
	 */
	void check(int dead, Message... served) {
		long violations = Arrays.stream(served).mapToLong((reply) -> reply.number("violations")).sum();
		Exclusion.check(this.contender, violations, this.waiting - dead, Exclusion.entries(this.guard));
	}

}
