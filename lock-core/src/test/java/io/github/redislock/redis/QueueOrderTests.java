package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.NeedsRedisServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.redislock.redis.Instances.PATIENT;
import static io.github.redislock.redis.Instances.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * First come, first served, both among instances in Redis and among the threads of an
 * instance.
 */
@NeedsRedisServer
@Tag("fault")
class QueueOrderTests {

	private Instances instances;

	@BeforeEach
	void start() {
		this.instances = new Instances();
	}

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void instancesAreServedInOrderOfArrival() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		List<CompletableFuture<Served>> waiters = new ArrayList<>();
		for (int instance = 0; instance < 3; instance++) {
			waiters.add(this.instances.queue(this.instances.start(), "job", PATIENT));
		}

		long token = held.fencingToken();
		held.close();

		for (int turn = 0; turn < waiters.size(); turn++) {
			Served served = get(waiters.get(turn));
			assertThat(waiters.subList(turn + 1, waiters.size())).noneMatch(CompletableFuture::isDone);
			assertThat(served.lock().fencingToken()).isGreaterThan(token);
			token = served.lock().fencingToken();
			served.lock().close();
		}
	}

	@Test
	void callerThatDoesNotWaitNeverOvertakesAWaiter() {
		// The holder lets its lease expire, so the lock is not handed over.
		this.instances.start()
			.acquire(LockTarget.of("job"),
					LockOptions.options().timeout(Duration.ofSeconds(2)).autoRenew(false).waitTime(Duration.ZERO));
		List<CompletableFuture<Served>> waiters = List.of(this.instances.queue(this.instances.start(), "job", PATIENT),
				this.instances.queue(this.instances.start(), "job", PATIENT));
		RedisLockTemplate newcomer = this.instances.start();

		for (CompletableFuture<Served> waiter : waiters) {
			while (!waiter.isDone()) {
				assertThat(newcomer.tryAcquire(LockTarget.of("job"), LockOptions.options().retry(0))).isNull();
			}
			get(waiter).lock().close();
		}

		LockHandle lock = newcomer.tryAcquire(LockTarget.of("job"),
				LockOptions.options().waitTime(Duration.ofSeconds(10)));
		assertThat(lock).isNotNull();
		lock.close();
	}

	@Test
	void threadsOfOneInstanceAreServedInOrderOfArrival() {
		LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		List<Integer> order = new CopyOnWriteArrayList<>();
		List<Thread> threads = new ArrayList<>();
		for (int number = 0; number < 8; number++) {
			int mine = number;
			Thread thread = new Thread(() -> locks.execute(LockTarget.of("job"), PATIENT, () -> order.add(mine)));
			thread.setDaemon(true);
			thread.start();
			Instances.awaitInLine(locks, thread, mine + 1);
			threads.add(thread);
		}
		Instances.await("place in the queue").until(() -> this.instances.queueLength("job") == 1);

		held.close();

		Instances.await("end of all threads").until(() -> threads.stream().noneMatch(Thread::isAlive));
		assertThat(order).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
	}

	@Test
	void callersOfOneInstanceCountAsOneWaiter() {
		RedisLockTemplate holder = this.instances.start();
		holder.acquire(LockTarget.of("job"), PATIENT);
		RedisLockTemplate locks = this.instances.start();
		this.instances.acquire(locks, "job", PATIENT);
		this.instances.acquire(locks, "job", PATIENT);

		Instances.await("both callers")
			.until(() -> locks.local().waiting().stream().anyMatch((waiting) -> waiting.callers() == 2));
		Instances.await("place in the queue").until(() -> this.instances.queueLength("job") == 1);

		assertThat(holder.inspect(LockTarget.of("job"))).map(LockState::waiters).hasValue(1L);
	}

}
