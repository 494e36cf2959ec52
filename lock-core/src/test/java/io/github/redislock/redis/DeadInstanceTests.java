package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.Instances.Served;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.FaultProxy.Cut;
import io.github.redislock.testing.NeedsRedisServer;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static io.github.redislock.redis.Instances.PATIENT;
import static io.github.redislock.redis.Instances.get;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holders and waiters that die, lose their network connection, or miss their turn.
 */
@NeedsRedisServer
@Tag("fault")
@Tag("promise-1")
@Tag("promise-7")
@Tag("promise-what-a-failure-may-leave")
class DeadInstanceTests {

	/**
	 * Long enough for a busy machine, but shorter than the lease of instances that die.
	 */
	private static final Duration ROOM = Duration.ofSeconds(5);

	/** How long a dead waiter keeps a lock that was handed to it. */
	private static final Duration CLAIM = Duration.ofSeconds(1);

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
	void lockOfAKilledHolderIsHandedOverWhenItsLeaseEnds() {
		try (WorkerProcess worker = WorkerProcess.start(this.instances.redis.port())) {
			worker.hold("job", Duration.ofSeconds(2), Duration.ofMinutes(1));
			worker.awaitLine("acquired job");
			CompletableFuture<Served> waiter = this.instances.queue(this.instances.start(), "job", PATIENT);

			worker.kill();
			long begin = System.nanoTime();
			Duration left = Duration.ofMillis(this.instances.timeToLive("job"));

			Served served = get(waiter);
			// Redis replies in milliseconds.
			assertThat(served.since(begin)).isBetween(left.minusMillis(2), left.plus(ROOM));
			served.lock().close();
		}
	}

	@Test
	void killedWaiterDoesNotDelayOtherWaiters() {
		try (WorkerProcess worker = WorkerProcess.start(this.instances.redis.port())) {
			LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
			worker.hold("job", Duration.ofSeconds(10), Duration.ZERO);
			awaitInQueue(worker);
			this.instances.awaitTold("job");
			List<CompletableFuture<Served>> waiters = queueTwo();

			worker.kill();
			long released = System.nanoTime();
			String next = handOver(held);

			assertThat(get(waiters.get(0)).lock().owner()).as("served without a claim of the dead").isEqualTo(next);
			assertServedInOrder(waiters, released, ROOM);
		}
	}

	@ParameterizedTest
	@MethodSource("noticedOrNot")
	@Tag("thorough")
	@Tag("promise-processes-die")
	void survivorsAreServedWhenHalfOfAHundredInstancesDie(boolean noticed) {
		ClientResources resources = DefaultClientResources.builder().ioThreadPoolSize(4).build();
		try {
			FaultProxy proxy = this.instances.proxy();
			RedisLockTemplate holder = this.instances.start();
			LockHandle held = holder.acquire(LockTarget.of("job"), PATIENT);
			List<CompletableFuture<Served>> living = new ArrayList<>();
			for (int instance = 0; instance < 50; instance++) {
				this.instances.queue(start(proxy.port(), resources), "job", PATIENT);
				living.add(this.instances.queue(start(this.instances.redis.port(), resources), "job", PATIENT));
			}
			this.instances.awaitTold("job");

			cutOff(proxy);
			if (noticed) {
				proxy.cutClients(Cut.RST);
			}
			long released = System.nanoTime();
			held.close();
			long last = released;
			for (CompletableFuture<Served> waiter : living) {
				Served served = get(waiter);
				last = Math.max(last, served.at());
				served.lock().close();
			}

			// A waiter that has been silent for three seconds gets no claim.
			Duration lost = noticed ? Duration.ZERO : Duration.ofSeconds(3).plus(CLAIM);
			System.out.println("[dead instances] 50 living among 50 dead ones served within "
					+ Duration.ofNanos(last - released).toMillis() + " ms, closed connections: " + noticed);
			// A claim for each dead waiter would take fifty seconds.
			assertThat(Duration.ofNanos(last - released)).isLessThan(lost.plusSeconds(20));
			this.instances.requireNoLoss();
		}
		finally {
			this.instances.close();
			resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
		}
	}

	@Test
	@Tag("promise-processes-stall")
	void waiterSuspendedPastItsClaimDoesNotHoldTheLock() {
		try (WorkerProcess worker = WorkerProcess.start(this.instances.redis.port())) {
			LockHandle held = this.instances.start().acquire(LockTarget.of("job"), PATIENT);
			worker.hold("job", Duration.ofSeconds(10), Duration.ZERO);
			awaitInQueue(worker);
			this.instances.awaitTold("job");
			CompletableFuture<Served> waiter = this.instances.queue(this.instances.start(), "job", PATIENT);

			worker.stop();
			String owner = held.owner();
			held.close();
			// The message is in the waiter's socket.
			assertThat(FaultyNetwork.ownerIn(this.instances.redis.command("GET", FaultyNetwork.key("job"))))
				.isNotEqualTo(owner);
			Served served = get(waiter);
			worker.resume();

			awaitInQueue(worker);
			Instances.work(Duration.ofSeconds(1));
			assertThat(worker.hasSaid("acquired")).isFalse();
			assertThat(served.lock().verify()).isTrue();
			served.lock().close();
			String line = worker.awaitLine("acquired job");
			assertThat(Long.parseLong(line.split(" ")[2])).isGreaterThan(served.lock().fencingToken());
			assertThat(worker.awaitLine("released job")).endsWith("RELEASED");
			this.instances.requireNoLoss();
		}
	}

	/**
	 * Wait until a worker has its place in the queue, or fail with its output and its
	 * threads.
	 */
	private void awaitInQueue(WorkerProcess worker) {
		try {
			Instances.await("worker in the queue").until(() -> this.instances.queueLength("job") == 1);
		}
		catch (ConditionTimeoutException ex) {
			throw new AssertionError("Redis: %s\n%s\n%s\nWorker: %s".formatted(
					this.instances.redis.command("PTTL", FaultyNetwork.key("job")), this.instances.keysInUse("job"),
					this.instances.redis.command("CLIENT", "LIST"), worker.threads()), ex);
		}
	}

	private List<CompletableFuture<Served>> queueTwo() {
		List<CompletableFuture<Served>> waiters = List.of(this.instances.queue(this.instances.start(), "job", PATIENT),
				this.instances.queue(this.instances.start(), "job", PATIENT));
		this.instances.awaitTold("job");
		return waiters;
	}

	private void assertServedInOrder(List<CompletableFuture<Served>> waiters, long released, Duration bound) {
		Served first = get(waiters.get(0));
		assertThat(first.since(released)).isLessThan(bound);
		assertThat(waiters.get(1)).isNotDone();
		String next = handOver(first.lock());
		Served second = get(waiters.get(1));
		assertThat(second.lock().owner()).as("served without a claim of the dead").isEqualTo(next);
		assertThat(second.lock().fencingToken()).isGreaterThan(first.lock().fencingToken());
		second.lock().close();
		this.instances.requireNoLoss();
	}

	/**
	 * Release a lock and return the owner to which Redis hands it.
	 */
	private String handOver(LockHandle lock) {
		lock.close();
		return String.valueOf(FaultyNetwork.ownerIn(this.instances.redis.command("GET", FaultyNetwork.key("job"))));
	}

	private RedisLockTemplate start(int port, ClientResources resources) {
		LettuceConnectionFactory application = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration("127.0.0.1", port),
				LettuceClientConfiguration.builder().clientResources(resources).build());
		return this.instances.start(this.instances.redis.connectionFactory(application));
	}

	private static void cutOff(FaultProxy proxy) {
		proxy.refuse();
		proxy.holdRequests();
		proxy.holdReplies();
	}

	static Stream<Boolean> noticedOrNot() {
		return Effort.cases(false, true);
	}

}
