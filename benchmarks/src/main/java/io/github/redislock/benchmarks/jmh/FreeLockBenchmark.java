package io.github.redislock.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.contender.LockClient;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Measures a free lock in a real Redis.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class FreeLockBenchmark {

	/** The system property with the port of Redis. */
	public static final String PORT = "benchmarks.redis.port";

	/** The system property with the host of Redis. */
	public static final String HOST = "benchmarks.redis.host";

	/** The number of locks that are acquired in turn. */
	private static final int NAMES = 10_000;

	@Param(Contenders.OURS)
	public String contender = Contenders.OURS;

	private @Nullable LockClient client;

	private long calls;

	@Setup
	public void open() {
		this.client = Contenders.named(this.contender)
			.open(new ClientSettings(System.getProperty(HOST), Integer.getInteger(PORT), ClientSettings.USUAL_LEASE,
					false));
	}

	@TearDown
	public void close() {
		if (this.client != null) {
			this.client.close();
		}
	}

	@Benchmark
	public void pair() {
		if (this.client != null) {
			this.client.execute("free:" + this.calls++ % NAMES, () -> {
			});
		}
	}

}
