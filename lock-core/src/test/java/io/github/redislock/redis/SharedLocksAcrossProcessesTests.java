package io.github.redislock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.redislock.redis.Instances.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Processes that share a lock die.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-14")
class SharedLocksAcrossProcessesTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration LEASE = Duration.ofSeconds(2);

	/** Longer than the test. */
	private static final Duration LONG = Duration.ofMinutes(2);

	private final Instances instances = new Instances();

	private RedisLockTemplate locks;

	@BeforeEach
	void start() {
		this.locks = this.instances.start();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void writerWaitsUntilAllReadersHaveDied() {
		try (WorkerProcess one = WorkerProcess.start(this.instances.redis.port());
				WorkerProcess other = WorkerProcess.start(this.instances.redis.port())) {
			one.hold("job/read", LEASE, LONG);
			one.awaitLine("acquired job/read");
			other.hold("job/read", LEASE, LONG);
			other.awaitLine("acquired job/read");
			CompletableFuture<Served> writer = this.instances.queue(this.locks, "job", PATIENT);

			one.kill();
			Instances.work(LEASE.multipliedBy(2));
			assertThat(writer).isNotDone();
			other.kill();

			Instances.get(writer).lock().close();
		}
	}

	@Test
	void permitsOfADeadProcessAreReusedAndNeverExceeded() {
		LockTarget permit = JOB.permits(3);
		try (WorkerProcess worker = WorkerProcess.start(this.instances.redis.port())) {
			worker.hold("job/3", LEASE, LONG);
			worker.hold("job/3", LEASE, LONG);
			Instances.await("both permits")
				.until(() -> worker.lines().stream().filter((line) -> line.startsWith("acquired job/3")).count() == 2);
			RedisLockTemplate others = this.instances.start();
			this.locks.acquire(permit, PATIENT).detach();
			assertThat(others.tryAcquire(permit)).isNull();

			worker.kill();

			others.acquire(permit, PATIENT).detach();
			others.acquire(permit, PATIENT).detach();
			assertThat(this.instances.start().tryAcquire(permit)).isNull();
		}
		this.instances.requireNoLoss();
	}

}
