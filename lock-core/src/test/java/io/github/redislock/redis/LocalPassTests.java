package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.redislock.redis.Instances.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lock passes from thread to thread inside an instance without Redis.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-3")
class LocalPassTests {

	private final AtomicBoolean stopped = new AtomicBoolean();

	private final AtomicInteger holds = new AtomicInteger();

	/** The fencing token of the latest hold. */
	private final AtomicLong latest = new AtomicLong();

	private final List<Long> wrongTokens = new CopyOnWriteArrayList<>();

	@Test
	void tenAcquisitionsNeedAtMostOneRequestOnAverage() {
		try (Instances instances = new Instances()) {
			// On a slow machine, only a few of them fit into the usual time of a turn.
			RedisLockTemplate locks = instances.start(LockConfiguration.defaults().slice(Duration.ofMinutes(1)));
			List<CompletableFuture<Void>> callers = Stream
				.generate(() -> CompletableFuture.runAsync(() -> contend(locks), OwnThread::run))
				.limit(16)
				.toList();
			Instances.await("warm JVM").until(() -> this.holds.get() > 2_000);
			int holdsBefore = this.holds.get();
			instances.redis.command("CONFIG", "RESETSTAT");

			Instances.await("many holds").until(() -> this.holds.get() > holdsBefore + 20_000);
			long requests = instances.redis.commandCounts().get("evalsha");
			int measured = this.holds.get() - holdsBefore;
			this.stopped.set(true);
			callers.forEach(Instances::get);

			System.out.println("[local passes] " + measured + " holds, " + requests + " requests");
			assertThat((double) requests / measured).isLessThanOrEqualTo(0.1);
			assertThat(this.wrongTokens).isEmpty();
			instances.requireNoLoss();
		}
	}

	private void contend(RedisLockTemplate locks) {
		while (!this.stopped.get()) {
			try (LockHandle lock = locks.acquire(LockTarget.of("job"), PATIENT)) {
				if (this.latest.getAndSet(lock.fencingToken()) >= lock.fencingToken()) {
					this.wrongTokens.add(lock.fencingToken());
				}
				this.holds.incrementAndGet();
			}
		}
	}

}
