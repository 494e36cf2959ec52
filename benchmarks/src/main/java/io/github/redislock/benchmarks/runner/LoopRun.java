package io.github.redislock.benchmarks.runner;

import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contender;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.redis.RedisCounters;
import io.github.redislock.benchmarks.redis.RedisProxy;
import io.github.redislock.benchmarks.redis.Traffic;
import io.github.redislock.benchmarks.worker.Message;

/**
 * A contender in a {@link LoopCase}.
 * <p>
 * A round has two windows. In the first one, clients connect through a proxy that counts
 * requests and messages, and times are ignored. The second one measures times and reads
 * the counters of Redis. With the slow network, one window does both.
 */
final class LoopRun implements Run {

	private static final String MEASURED = "measured";

	private static final String COUNTED = "counted";

	/**
	 * The time from the order until the threads begin, which should be enough for all of
	 * them to start.
	 */
	private static final Duration START = Duration.ofMillis(40);

	/** The longest time that the last waiters may need after the end of the window. */
	private static final Duration DRAIN = Duration.ofSeconds(90);

	private final Bench bench;

	private final Contender contender;

	private final LoopCase.Load load;

	private final Pace pace;

	private final List<WorkerProcess> workers;

	private final RedisProxy proxy;

	private final boolean remote;

	private LoopRun(Bench bench, Contender contender, LoopCase.Load load, Pace pace) throws InterruptedException {
		this.bench = bench;
		this.contender = contender;
		this.load = load;
		this.pace = pace;
		this.proxy = isSlow() ? bench.slow() : bench.counting();
		this.remote = !contender.name().equals(Contenders.LOCAL);
		this.workers = bench.pool().take(contender, load.processes());
		ClientSettings counted = Bench.through(this.proxy, ClientSettings.USUAL_LEASE);
		open(COUNTED, counted);
		if (!isSlow()) {
			open(MEASURED, bench.direct(ClientSettings.USUAL_LEASE, false));
		}
	}

	/**
	 * Connect a contender, and warm it up.
	 */
	static LoopRun warm(Bench bench, Contender contender, LoopCase.Load load, Pace pace) throws InterruptedException {
		LoopRun run = new LoopRun(bench, contender, load, pace);
		try {
			run.warmUp();
			return run;
		}
		catch (RuntimeException ex) {
			run.close();
			throw ex;
		}
	}

	private void warmUp() throws InterruptedException {
		Duration warmUp = this.pace.warmUp();
		loop(COUNTED, isSlow() ? warmUp : warmUp.dividedBy(4));
		if (!isSlow()) {
			loop(MEASURED, warmUp);
		}
	}

	@Override
	public Map<String, Double> round() throws InterruptedException {
		Map<String, Double> values = new LinkedHashMap<>();
		LoopResult counted = isSlow() ? loop(COUNTED, this.pace.window()) : count();
		LoopResult measured = isSlow() ? counted : measure();
		measured.addTimesTo(values);
		if (this.remote) {
			measured.addServerTo(values);
			counted.addTrafficTo(values);
		}
		return values;
	}

	/**
	 * Count requests and messages, without measuring times.
	 */
	LoopResult count() throws InterruptedException {
		return loop(COUNTED, this.pace.counting());
	}

	LoopResult measure() throws InterruptedException {
		return loop(MEASURED, this.pace.window());
	}

	/**
	 * Return the process IDs of the workers and of Redis.
	 */
	LongStream processes() {
		LongStream processes = this.workers.stream().mapToLong(WorkerProcess::pid);
		return LongStream.concat(LongStream.of(this.bench.server().pid()), processes);
	}

	/**
	 * Return a number that differs between the processes of all runs.
	 */
	long number() {
		return this.workers.get(0).number();
	}

	@Override
	public void close() throws InterruptedException {
		for (WorkerProcess worker : this.workers) {
			worker.call(Message.of("close"));
		}
		this.bench.pool().giveBack(this.contender, this.workers);
	}

	private boolean isSlow() {
		return this.load.is(LoopCase.Condition.SLOW_NETWORK);
	}

	private void open(String client, ClientSettings settings) throws InterruptedException {
		this.workers.forEach((worker) -> worker.open(this.contender, client, settings));
		for (WorkerProcess worker : this.workers) {
			worker.reply(WorkerProcess.PATIENCE);
		}
	}

	private LoopResult loop(String client, Duration window) throws InterruptedException {
		Path guard = this.bench.newGuard();
		long startAt = System.nanoTime() + START.toNanos();
		long from = startAt + this.pace.lead().toNanos();
		long until = from + window.toNanos();
		Message order = Message.of("loop")
			.with("client", client)
			.with("key", this.bench.newName("lock"))
			.with("guard", guard)
			.with("threads", this.load.threads())
			.with("virtual", this.load.is(LoopCase.Condition.VIRTUAL_THREADS))
			.with("shared", this.load.shared())
			.with("startAt", startAt)
			.with("from", from)
			.with("until", until);
		RedisCounters before = this.bench.console().counters();
		Traffic trafficBefore = this.proxy.traffic();
		this.workers.forEach((worker) -> worker.send(order.with("process", worker.number())));
		LoopResult result = new LoopResult(window);
		for (WorkerProcess worker : this.workers) {
			result.add(worker.reply(DRAIN));
		}
		result.addServer(this.bench.console().counters().since(before), this.proxy.traffic().since(trafficBefore));
		if (this.load.shared()) {
			result.check(this.contender, Exclusion.entries(guard));
		}
		return result;
	}

}
