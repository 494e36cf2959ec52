package io.github.redislock.benchmarks.runner;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.Message;

/**
 * The holder of a lock is killed. Measures the time from the expiry of the lock's key in
 * Redis until the next caller has the lock.
 */
final class HolderKilledCase extends CrashCase {

	@Override
	public String name() {
		return "holder-killed";
	}

	@Override
	public String title() {
		return "Holder killed: next one in, after the key expired";
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new HolderKilledRun(bench, contender);
	}

	private record HolderKilledRun(Bench bench, Contender contender) implements Run {

		@Override
		public Map<String, Double> round() throws InterruptedException {
			try (Victims victims = new Victims(this.bench, this.contender, 2)) {
				WorkerProcess holder = victims.get(0);
				WorkerProcess waiter = victims.get(1);
				Waiters waiters = new Waiters(this.bench, this.contender);
				waiters.hold(holder, CLIENT);
				waiters.await(waiter, CLIENT, 1);
				Bench.sleep(500);
				holder.kill();
				long expiry = this.bench.console().expiry(waiters.key());
				waiter.send(Message.of("served"));
				return Map.of(Metrics.AFTER_EXPIRY, delay(waiters, victims, expiry));
			}
		}

		private static double delay(Waiters waiters, Victims victims, long expiry) throws InterruptedException {
			try {
				Message served = victims.get(1).reply(LEASE.plus(GIVE_UP));
				waiters.check(0, served);
				return served.numbers("served")[0] / (double) TimeUnit.MILLISECONDS.toMicros(1) - expiry;
			}
			catch (WorkerProcess.NoReplyException ex) {
				victims.stuck();
				return Metrics.NEVER;
			}
		}

		@Override
		public void close() {
		}

	}

}
