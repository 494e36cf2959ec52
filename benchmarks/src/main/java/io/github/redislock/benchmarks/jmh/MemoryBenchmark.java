package io.github.redislock.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures the cost of the template itself, with a store that replies at once.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MemoryBenchmark {

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	/** A lock held by the measuring thread, which can therefore acquire it again. */
	private final LockHandle outer = this.locks.acquire(LockTarget.of("outer"));

	@TearDown
	public void close() {
		this.outer.close();
		this.locks.close();
	}

	@Benchmark
	public void freePair() {
		this.locks.acquire(LockTarget.of("free")).close();
	}

	@Benchmark
	public void reentrantPair() {
		this.locks.acquire(LockTarget.of("outer")).close();
	}

}
