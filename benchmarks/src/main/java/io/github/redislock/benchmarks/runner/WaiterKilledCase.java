package io.github.redislock.benchmarks.runner;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.worker.Message;

/**
 * The first of three waiters is killed, and then the holder releases the lock. Measures
 * the time until one of the other waiters has the lock, and the time from then until the
 * last waiter has it.
 */
final class WaiterKilledCase extends CrashCase {

	@Override
	public String name() {
		return "waiter-killed";
	}

	@Override
	public String title() {
		return "First waiter killed, then release: next one in";
	}

	@Override
	public Run prepare(Bench bench, Contender contender) {
		return new WaiterKilledRun(bench, contender);
	}

	private record WaiterKilledRun(Bench bench, Contender contender) implements Run {

		private static final int PROCESSES = 4;

		private static final long BETWEEN_ARRIVALS = 200;

		@Override
		public Map<String, Double> round() throws InterruptedException {
			try (Victims victims = new Victims(this.bench, this.contender, PROCESSES)) {
				WorkerProcess holder = victims.get(0);
				Waiters waiters = new Waiters(this.bench, this.contender);
				waiters.hold(holder, CLIENT);
				for (int process = 1; process < PROCESSES; process++) {
					waiters.await(victims.get(process), CLIENT, 1);
					Bench.sleep(BETWEEN_ARRIVALS);
				}
				victims.get(1).kill();
				Bench.sleep(BETWEEN_ARRIVALS);
				long released = holder.call(Message.of("release")).number("nanos");
				return delays(waiters, victims, released);
			}
		}

		private static Map<String, Double> delays(Waiters waiters, Victims victims, long released)
				throws InterruptedException {
			Map<String, Double> values = new LinkedHashMap<>();
			victims.get(2).send(Message.of("served"));
			victims.get(3).send(Message.of("served"));
			try {
				Message second = victims.get(2).reply(GIVE_UP);
				Message third = victims.get(3).reply(GIVE_UP);
				waiters.check(1, second, third);
				long one = second.numbers("nanos")[0];
				long other = third.numbers("nanos")[0];
				values.put(Metrics.AFTER_RELEASE, millis(Math.min(one, other) - released));
				values.put(Metrics.FOLLOWING, millis(Math.abs(one - other)));
			}
			catch (WorkerProcess.NoReplyException ex) {
				victims.stuck();
				values.put(Metrics.AFTER_RELEASE, Metrics.NEVER);
			}
			return values;
		}

		private static double millis(long nanos) {
			return nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
		}

		@Override
		public void close() {
		}

	}

}
