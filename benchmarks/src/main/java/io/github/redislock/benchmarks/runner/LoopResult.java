package io.github.redislock.benchmarks.runner;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.redis.RedisCounters;
import io.github.redislock.benchmarks.redis.Traffic;
import io.github.redislock.benchmarks.report.Metrics;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.benchmarks.worker.Message;

/**
 * The results of all processes in one window.
 */
final class LoopResult {

	private final Duration window;

	private final Histogram handOvers = new Histogram();

	private final Histogram pairs = new Histogram();

	/** The number of acquisitions of each thread in the window. */
	private long[] acquisitions = {};

	private long total;

	private long violations;

	private long crossings;

	private long callerBytes;

	private RedisCounters counters = new RedisCounters(Map.of(), 0, 0);

	private Traffic traffic = new Traffic(0, 0);

	LoopResult(Duration window) {
		this.window = window;
	}

	void add(Message report) {
		this.acquisitions = LongStream.concat(Arrays.stream(this.acquisitions), Arrays.stream(report.numbers("counts")))
			.toArray();
		this.total += report.number("total");
		this.callerBytes += report.number("callerBytes");
		this.crossings += report.number("crossings");
		this.violations += report.number("violations");
		this.handOvers.addAll(Histogram.decode(report.text("handOvers")));
		this.pairs.addAll(Histogram.decode(report.text("pairs")));
	}

	/**
	 * Add the counts of Redis and the proxy while all processes ran.
	 */
	void addServer(RedisCounters counted, Traffic passed) {
		this.counters = counted;
		this.traffic = passed;
	}

	void check(Contender contender, long entries) {
		Exclusion.check(contender, this.violations, this.total, entries);
	}

	void addTimesTo(Map<String, Double> values) {
		values.put(Metrics.RATE, acquired() * TimeUnit.SECONDS.toNanos(1) / this.window.toNanos());
		if (this.acquisitions.length > 1) {
			long most = Arrays.stream(this.acquisitions).max().orElse(0);
			long least = Arrays.stream(this.acquisitions).min().orElse(0);
			values.put(Metrics.FAIRNESS, (double) most / Math.max(1, least));
		}
		if (this.pairs.count() > 0) {
			values.put(Metrics.PAIR_P50, micros(this.pairs.percentile(0.5)));
			values.put(Metrics.PAIR_P99, micros(this.pairs.percentile(0.99)));
		}
		if (this.callerBytes > 0) {
			values.put(Metrics.CALLER_BYTES, this.callerBytes / all());
		}
		if (this.handOvers.count() > 0) {
			values.put(Metrics.HAND_OVER_P50, micros(this.handOvers.percentile(0.5)));
			values.put(Metrics.HAND_OVER_P99, micros(this.handOvers.percentile(0.99)));
		}
	}

	void addServerTo(Map<String, Double> values) {
		values.put(Metrics.EXECUTED, this.counters.executed() / all());
		values.put(Metrics.WIRE_BYTES, this.counters.wireBytes() / all());
		values.put(Metrics.SERVER_CPU, TimeUnit.SECONDS.toMicros(1) * this.counters.cpuSeconds() / all());
	}

	void addTrafficTo(Map<String, Double> values) {
		values.put(Metrics.REQUESTS, this.traffic.requests() / all());
		if (this.crossings > 0) {
			values.put(Metrics.MESSAGES, (double) this.traffic.messages() / this.crossings);
		}
	}

	private double acquired() {
		return Arrays.stream(this.acquisitions).sum();
	}

	private double all() {
		return Math.max(1, this.total);
	}

	private static double micros(double nanos) {
		return nanos / TimeUnit.MICROSECONDS.toNanos(1);
	}

}
