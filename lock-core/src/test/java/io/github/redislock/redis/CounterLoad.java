package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Threads that increment a counter under a lock during a fault, with separate steps for
 * read and write.
 */
final class CounterLoad {

	private final List<Thread> threads = new ArrayList<>();

	private final List<Throwable> failures = new CopyOnWriteArrayList<>();

	private final AtomicInteger inside = new AtomicInteger();

	private final AtomicLong steps = new AtomicLong();

	private volatile boolean ended;

	private volatile long value;

	/**
	 * Begin to count.
	 * @param templates one instance each
	 */
	static CounterLoad start(List<RedisLockTemplate> templates, LockTarget target, LockOptions options) {
		CounterLoad load = new CounterLoad();
		for (RedisLockTemplate locks : templates) {
			for (int number = 0; number < 2; number++) {
				Thread thread = new Thread(() -> load.run(locks, target, options), "counting");
				thread.setDaemon(true);
				load.threads.add(thread);
			}
		}
		load.threads.forEach(Thread::start);
		load.awaitMore(10);
		return load;
	}

	/**
	 * Wait for that many more increments.
	 */
	void awaitMore(int more) {
		long before = this.steps.get();
		Awaitility.await("steps")
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.steps.get() >= before + more || !this.failures.isEmpty());
	}

	/**
	 * End the load, and check that no thread failed, no two held the lock at once, and no
	 * increment was lost.
	 */
	void endWithoutLoss() throws InterruptedException {
		this.ended = true;
		for (Thread thread : this.threads) {
			thread.join(Duration.ofSeconds(40).toMillis());
			assertThat(thread.isAlive()).isFalse();
		}
		assertThat(this.failures).isEmpty();
		assertThat(this.value).isEqualTo(this.steps.get());
	}

	private void run(RedisLockTemplate locks, LockTarget target, LockOptions options) {
		try {
			while (!this.ended) {
				LockHandle lock = locks.acquire(target, options);
				assertThat(this.inside.incrementAndGet()).as("holders").isEqualTo(1);
				long read = this.value;
				Instances.work(Duration.ofMillis(1));
				this.value = read + 1;
				this.steps.incrementAndGet();
				this.inside.decrementAndGet();
				// The outcome is unknown if the node died during the call.
				lock.release();
			}
		}
		catch (Throwable ex) {
			this.failures.add(ex);
		}
	}

}
