package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.AcquireRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Many threads contend for few locks with short waits and interrupts. No two callers hold
 * a lock at once, no caller is forgotten, and no lock remains.
 */
class LockEngineStressTests {

	private final EngineCalls calls = new EngineCalls();

	private static final int THREADS = 64;

	private static final Duration LENGTH = Duration.ofSeconds(3);

	private final InMemoryLockStore store = new InMemoryLockStore();

	private final LockTemplate locks = new LockTemplate(this.store, LockConfiguration.defaults());

	/** Guarded only by the lock "stress:0". */
	private int counter;

	private final AtomicInteger successes = new AtomicInteger();

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicReference<Throwable> failure = new AtomicReference<>();

	private volatile boolean stopped;

	@ParameterizedTest
	@ValueSource(ints = { 1, 7 })
	void nothingIsLostOrLeftBehindUnderStress(int names) {
		List<Thread> workers = new ArrayList<>();
		for (int i = 0; i < THREADS; i++) {
			Thread worker = new Thread(() -> work(names), "worker-" + i);
			worker.setDaemon(true);
			workers.add(worker);
		}
		workers.forEach(Thread::start);

		long end = System.nanoTime() + LENGTH.toNanos();
		await().pollInterval(Duration.ofMillis(5)).atMost(Duration.ofMinutes(1)).until(() -> {
			workers.get(ThreadLocalRandom.current().nextInt(THREADS)).interrupt();
			return System.nanoTime() - end > 0;
		});
		this.stopped = true;
		await().atMost(Duration.ofMinutes(1)).until(() -> workers.stream().noneMatch(Thread::isAlive));

		assertThat(this.failure.get()).isNull();
		assertThat(this.successes.get()).isPositive();
		assertThat(this.counter).isEqualTo(this.successes.get());
		await().until(this.locks::isIdle);
		for (int i = 0; i < names; i++) {
			assertThat(this.locks.isLocked(LockTarget.of("stress:" + i))).isFalse();
		}
		this.locks.close();
	}

	@Test
	void thousandsOfWaitersAreCancelledTogether() {
		LockEngine engine = new LockEngine(this.store, LockConfiguration.defaults());
		LockTarget target = LockTarget.of("order:42");
		this.store.acquire(new AcquireRequest(target, "other/secret", "request-1", null));
		AcquireSettings settings = engine.settings(target, LockOptions.options().waitTime(Duration.ofHours(1)));
		List<Acquisition<BlockingHandle>> waiters = new ArrayList<>();
		for (int i = 0; i < 20_000; i++) {
			waiters.add(this.calls.acquire(engine, target, settings));
		}

		engine.close();

		assertThat(waiters).allSatisfy(
				(waiter) -> assertThat(waiter.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Failed.class));
		assertThat(engine.isIdle()).isTrue();
	}

	private void work(int names) {
		try {
			while (!this.stopped) {
				workOnce(names);
			}
		}
		catch (Throwable ex) {
			this.failure.set(ex);
		}
	}

	private void workOnce(int names) {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		int number = random.nextInt(names);
		LockOptions options = LockOptions.options()
			.waitTime(Duration.ofMillis(random.nextInt(60)))
			.retryDelay(Duration.ofMillis(1 + random.nextInt(200)));
		try (LockHandle lock = this.locks.tryAcquire(LockTarget.of("stress:" + number), options)) {
			if (lock != null && number == 0) {
				count(random.nextBoolean());
			}
			else if (lock != null && random.nextInt(10) == 0) {
				lock.renew(Duration.ofSeconds(10));
			}
		}
		catch (LockInterruptedException ex) {
			assertThat(Thread.interrupted()).isTrue();
		}
	}

	private void count(boolean again) {
		assertThat(this.inside.incrementAndGet()).isEqualTo(1);
		this.counter++;
		this.successes.incrementAndGet();
		if (again) {
			this.locks.execute("stress:0", () -> assertThat(this.inside.get()).isEqualTo(1));
		}
		Thread.yield();
		this.inside.decrementAndGet();
	}

}
