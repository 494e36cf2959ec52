package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.Traffic;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.Message;

/**
 * Many callers of one process wait for a lock that another process holds for a while.
 * After the release, they get the lock one by one.
 */
final class WaitersCase implements Case {

	private static final int CROWD = 200;

	private static final String MEASURED = "measured";

	private static final String COUNTED = "counted";

	@Override
	public String name() {
		return "waiters";
	}

	@Override
	public String title() {
		return CROWD + " waiters in one JVM";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.RAW_QUEUE_16, Contenders.OURS, Contenders.REDISSON, Contenders.REDISSON_FAIR,
				Contenders.SPRING_SPIN, Contenders.SPRING_PUBSUB);
	}

	@Override
	public Run prepare(Bench bench, Contender contender) throws Exception {
		List<WorkerProcess> workers = bench.pool().take(contender, 2);
		for (WorkerProcess worker : workers) {
			worker.open(contender, MEASURED, bench.direct(ClientSettings.USUAL_LEASE, false));
			worker.open(contender, COUNTED, Bench.through(bench.counting(), ClientSettings.USUAL_LEASE));
			worker.reply(WorkerProcess.PATIENCE);
			worker.reply(WorkerProcess.PATIENCE);
		}
		WaitersRun run = new WaitersRun(bench, contender, workers);
		run.serve();
		return run;
	}

	private record WaitersRun(Bench bench, Contender contender, List<WorkerProcess> workers) implements Run {

		private static final Duration ENOUGH = Duration.ofSeconds(60);

		@Override
		public Map<String, Double> round() throws InterruptedException {
			Map<String, Double> values = new LinkedHashMap<>();
			count(values);
			values.put(Metrics.SERVE_ALL, serve());
			return values;
		}

		private void count(Map<String, Double> values) throws InterruptedException {
			Waiters waiters = new Waiters(this.bench, this.contender);
			waiters.hold(holder(), MEASURED);
			Traffic before = this.bench.counting().traffic();
			waiters.await(crowd(), COUNTED, CROWD);
			Bench.sleep(settling());
			Traffic enqueued = this.bench.counting().traffic();
			long window = this.bench.pace().window().toMillis() * 2;
			Bench.sleep(window);
			Traffic waited = this.bench.counting().traffic().since(enqueued);
			holder().call(Message.of("release"));
			crowd().send(Message.of("served"));
			waiters.check(0, crowd().reply(ENOUGH));
			values.put(Metrics.REQUESTS_TO_ENQUEUE, (double) enqueued.since(before).requests());
			values.put(Metrics.REQUESTS_WAITING, waited.requests() * 1_000.0 / window);
		}

		/**
		 * Return the time in milliseconds from the release until the last caller was
		 * served.
		 */
		double serve() throws InterruptedException {
			Waiters waiters = new Waiters(this.bench, this.contender);
			waiters.hold(holder(), MEASURED);
			waiters.await(crowd(), MEASURED, CROWD);
			Bench.sleep(settling());
			long released = holder().call(Message.of("release")).number("nanos");
			crowd().send(Message.of("served"));
			Message served = crowd().reply(ENOUGH);
			waiters.check(0, served);
			long last = Arrays.stream(served.numbers("nanos")).max().orElseThrow();
			return (last - released) / (double) TimeUnit.MILLISECONDS.toNanos(1);
		}

		/**
		 * Return how long to wait until all callers are in the queue.
		 */
		private long settling() {
			return this.bench.pace().is(Pace.SMOKE) ? 200 : 700;
		}

		private WorkerProcess holder() {
			return this.workers.get(0);
		}

		private WorkerProcess crowd() {
			return this.workers.get(1);
		}

		@Override
		public void close() throws InterruptedException {
			for (WorkerProcess worker : this.workers) {
				worker.call(Message.of("close"));
			}
			this.bench.pool().giveBack(this.contender, this.workers);
		}

	}

}
