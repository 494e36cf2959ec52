package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.RedisCounters;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.Message;

/**
 * A process holds very many locks, which must be renewed. The process is used only for
 * this case, because its memory, threads and CPU time are measured.
 */
final class RenewedCase implements Case {

	private static final String CLIENT = "measured";

	/** How many times each library renews a lock within a lease. */
	private static final int RENEWALS_PER_LEASE = 3;

	@Override
	public String name() {
		return "renewed";
	}

	@Override
	public String title() {
		return "10 000 renewed locks";
	}

	@Override
	public List<String> contenders() {
		return List.of(Contenders.OURS, Contenders.REDISSON, Contenders.SPRING_SPIN);
	}

	@Override
	public int rounds(Pace pace) {
		return 1;
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new RenewedRun(bench, contender);
	}

	private record RenewedRun(Bench bench, Contender contender) implements Run {

		/** The time in ms after which nothing may be left of a released lock. */
		private static final long AFTER_RELEASE = 3_000;

		private static final int SAMPLES = 50;

		private static final long SAMPLING_MILLIS = 20;

		@Override
		public Map<String, Double> round() throws InterruptedException {
			try (WorkerProcess worker = this.bench.pool().fresh()) {
				return measure(worker, this.bench.newName("held") + "-", this.bench.pace().locks());
			}
		}

		private Map<String, Double> measure(WorkerProcess worker, String prefix, int locks)
				throws InterruptedException {
			Duration lease = this.bench.pace().lease();
			long threadsBefore = worker.call(Message.of("footprint")).number("threads");
			worker.open(this.contender, CLIENT, this.bench.direct(lease, true));
			worker.reply(WorkerProcess.PATIENCE);
			// Memory that is allocated only once must not be counted as memory of a lock.
			hold(worker, this.bench.newName("first"), 50);
			worker.call(Message.of("release"));
			Bench.sleep(AFTER_RELEASE);
			long keysBefore = this.bench.console().keys();
			long memoryBefore = this.bench.console().memory();
			long heapBefore = worker.call(Message.of("heap")).number("heap");
			hold(worker, prefix, locks);
			long heap = worker.call(Message.of("heap")).number("heap") - heapBefore;
			double keys = this.bench.console().keys() - keysBefore;
			double memory = this.bench.console().memory() - memoryBefore;
			Bench.sleep(settling(lease));

			RedisCounters countersBefore = this.bench.console().counters();
			Message before = worker.call(Message.of("footprint"));
			double renewals = watchRenewals(prefix, locks, lease);
			Message after = worker.call(Message.of("footprint"));
			RedisCounters counters = this.bench.console().counters().since(countersBefore);

			Map<String, Double> values = new LinkedHashMap<>();
			values.put(Metrics.SCRIPTS_PER_RENEWAL, counters.scripts() / renewals);
			double wallTime = after.number("nanos") - before.number("nanos");
			values.put(Metrics.CLIENT_CPU, 100 * (after.number("cpuNanos") - before.number("cpuNanos")) / wallTime);
			values.put(Metrics.THREADS, (double) after.number("threads") - threadsBefore);
			values.put(Metrics.BYTES, (double) heap / locks);
			values.put(Metrics.REDIS_KEYS, keys / locks);
			values.put(Metrics.REDIS_BYTES, memory / locks);
			worker.call(Message.of("release"));
			Bench.sleep(AFTER_RELEASE);
			values.put(Metrics.REDIS_KEYS_AFTER, (double) (this.bench.console().keys() - keysBefore) / locks);
			return values;
		}

		/**
		 * Return how long to wait before the measurement, so that the code for renewals
		 * is warmed up.
		 */
		private long settling(Duration lease) {
			return this.bench.pace().is(Pace.FULL) ? lease.toMillis() / RENEWALS_PER_LEASE : 1_500;
		}

		private static void hold(WorkerProcess worker, String prefix, int locks) throws InterruptedException {
			worker.call(Message.of("hold").with("client", CLIENT).with("key", prefix).with("locks", locks));
		}

		/**
		 * Watch some of the locks, for one lease at the pace "full" and for one renewal
		 * interval otherwise.
		 * @return the number of renewals, extrapolated to all locks
		 */
		private double watchRenewals(String prefix, int locks, Duration lease) {
			Duration window = this.bench.pace().is(Pace.FULL) ? lease : lease.dividedBy(RENEWALS_PER_LEASE);
			long end = System.nanoTime() + window.toNanos();
			long[] last = new long[SAMPLES];
			int renewals = 0;
			while (System.nanoTime() < end) {
				for (int sample = 0; sample < SAMPLES; sample++) {
					String key = this.contender.key(prefix + (long) sample * locks / SAMPLES);
					long left = this.bench.console().timeToLive(key);
					renewals += (last[sample] > 0 && left > last[sample]) ? 1 : 0;
					last[sample] = left;
				}
				Bench.sleep(SAMPLING_MILLIS);
			}
			return Math.max(1.0, renewals) * locks / SAMPLES;
		}

		@Override
		public void close() {
		}

	}

}
