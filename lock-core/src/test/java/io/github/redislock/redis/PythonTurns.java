package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.LockTarget;
import io.github.redislock.testing.PythonProcess;
import io.github.redislock.testing.RedisProcess;

/**
 * Python processes with redis-py and our own processes that constantly contend for one
 * lock.
 *
 * @param python how many processes in Python
 * @param sleep the polling interval of each, in seconds
 * @param java how many of our processes
 * @param threads how many threads each of them has
 * @param work how long each holds the lock, in milliseconds
 * @param pause how long Python pauses after each hold, in milliseconds
 * @param javaPause the pause of our threads
 * @param length how long they contend, in seconds
 */
record PythonTurns(int python, String sleep, int java, int threads, int work, int pause, int javaPause, int length) {

	private static final String NAME = "order";

	Result run() {
		List<WorkerProcess> ours = new ArrayList<>();
		List<PythonProcess> theirs = new ArrayList<>();
		try (RedisProcess redis = RedisProcess.start()) {
			for (int number = 0; number < this.java; number++) {
				ours.add(WorkerProcess.launch(TurnsWorker.class, Integer.toString(redis.port()), NAME,
						Integer.toString(this.threads), Integer.toString(this.work), Integer.toString(this.javaPause)));
			}
			for (int number = 0; number < this.python; number++) {
				theirs.add(PythonProcess.start("redis-py", redis.port()));
			}
			ours.forEach((worker) -> worker.awaitLine("ready"));
			// Another program that cannot join the queue holds the lock until all are
			// ready.
			String key = FaultyNetwork.key(NAME);
			redis.command("SET", key, "starter", "EX", "120");
			ours.forEach((worker) -> worker.order("go"));
			for (PythonProcess program : theirs) {
				program.order("turns", NAME, Integer.toString(this.length), this.sleep, seconds(this.work),
						seconds(this.pause));
			}
			String queue = new String(new LockKeys("distributed_lock:").queue(LockTarget.of(NAME)));
			Instances.await("ours wait")
				.until(() -> redis.command("ZCOUNT", queue, "1", "+inf").equals((long) this.java));
			redis.command("DEL", key);
			List<Turns> python = theirs.stream().map((program) -> Turns.of(program.reply())).toList();
			if (python.isEmpty()) {
				Instances.work(Duration.ofSeconds(this.length));
			}
			ours.forEach((worker) -> worker.order("stop"));
			List<Turns> java = ours.stream()
				.map((worker) -> Turns.of(worker.awaitLine("turns ").substring("turns ".length())))
				.toList();
			return new Result(python, java);
		}
		finally {
			theirs.forEach(PythonProcess::close);
			ours.forEach(WorkerProcess::close);
		}
	}

	@Override
	public String toString() {
		return "%d in Python (sleep=%s), %d × %d of ours, %d ms each, then a pause of %d and %d ms"
			.formatted(this.python, this.sleep, this.java, this.threads, this.work, this.pause, this.javaPause);
	}

	private static String seconds(int millis) {
		return Double.toString(millis / 1_000.0);
	}

	/**
	 * How often each process acquired the lock.
	 */
	record Result(List<Turns> python, List<Turns> java) {

		@Override
		public String toString() {
			return "Python " + this.python + ", ours " + this.java;
		}

		long pythonHolds() {
			return this.python.stream().mapToLong(Turns::holds).sum();
		}

		long javaHolds() {
			return this.java.stream().mapToLong(Turns::holds).sum();
		}

	}

	/**
	 * How often one process acquired the lock, and the longest wait of its callers.
	 */
	record Turns(long holds, Duration longestWait) {

		@Override
		public String toString() {
			return this.holds + " (" + this.longestWait.toMillis() + " ms)";
		}

		static Turns of(String reply) {
			String[] words = reply.split(" ");
			return new Turns(Long.parseLong(words[0]), Duration.ofMillis(Long.parseLong(words[1])));
		}

	}

}
