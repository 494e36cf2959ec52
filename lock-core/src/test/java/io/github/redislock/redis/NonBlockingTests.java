package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.OnLost;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.reactive.ReactiveLockContext;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Locks do not block the threads of Reactor and of the Redis client, or the timer thread.
 */
@Tag("nonblocking")
@ExtendWith(RedisServerExtension.class)
@Tag("promise-13")
class NonBlockingTests {

	private static final List<String> BLOCKED = new CopyOnWriteArrayList<>();

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(6))
		.waitTime(Duration.ofMinutes(1));

	private final LockTemplate template = template();

	private final LockTemplate other = template();

	private final Executor parallel = (task) -> Schedulers.parallel().schedule(task);

	@BeforeAll
	static void watch() {
		Predicate<Thread> ours = (thread) -> thread.getName().startsWith("lettuce-")
				|| thread.getName().startsWith("redis-lock-client") || thread.getName().equals("redis-lock-timer");
		BlockHound.builder()
			// The exceptions that Reactor, Netty and this library declare for themselves.
			.loadIntegrations()
			.nonBlockingThreadPredicate((usual) -> usual.or(ours))
			// Its lock is held only while a buffer is chosen.
			.allowBlockingCallsInside("io.netty.buffer.AdaptivePoolingAllocator$MagazineGroup", "allocate")
			// The threads' task queues.
			.allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "takeTask")
			.allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "addTask")
			.allowBlockingCallsInside("io.netty.util.concurrent.SingleThreadEventExecutor", "confirmShutdown")
			.allowBlockingCallsInside("io.netty.util.HashedWheelTimer$Worker", "waitForNextTick")
			.allowBlockingCallsInside("java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue", "offer")
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "getTask")
			.allowBlockingCallsInside("java.util.concurrent.ThreadPoolExecutor", "addWorker")
			.blockingMethodCallback((method) -> {
				StackTraceElement[] stack = Thread.currentThread().getStackTrace();
				BLOCKED.add(method + " on " + Thread.currentThread().getName() + String.join("",
						IntStream.range(0, Math.min(40, stack.length)).mapToObj((i) -> "\n\tat " + stack[i]).toList()));
			})
			.install();
	}

	@AfterEach
	void nothingWasBlocked() {
		this.template.close();
		this.other.close();
		List<String> found = List.copyOf(BLOCKED);
		BLOCKED.clear();
		assertThat(found).isEmpty();
	}

	@Test
	void blockedThreadIsDetected() {
		Mono.fromRunnable(() -> LockSupport.parkNanos(1_000)).subscribeOn(Schedulers.parallel()).block();
		assertFound(" on parallel-");
		BLOCKED.clear();

		LockTimer timer = LockTimer.system();
		CompletableFuture<Boolean> done = new CompletableFuture<>();
		timer.schedule(() -> {
			LockSupport.parkNanos(1_000);
			done.complete(true);
		}, Duration.ZERO);
		done.join();
		timer.close();
		assertFound(" on redis-lock-timer");
		BLOCKED.clear();

		try (FaultProxy proxy = FaultProxy.before(TestRedis.shared().port());
				LockTemplate behind = template(new LettuceConnectionFactory("127.0.0.1", proxy.port()))) {
			behind.inspect(LockTarget.of("order:42"));
			// Otherwise the reply may arrive first, and the next stages run on this
			// thread.
			proxy.holdReplies();
			CompletableFuture<String> client = behind.async(Runnable::run)
				.inspect(LockTarget.of("order:42"))
				.thenApply((state) -> {
					LockSupport.parkNanos(1_000);
					return Thread.currentThread().getName();
				});
			proxy.flow();
			assertThat(client.join()).startsWith("lettuce-");
		}
		assertFound(" on lettuce-");
		BLOCKED.clear();
	}

	@Test
	void asynchronousCallersDoNotBlockThreads() throws Exception {
		AsyncLockOperations locks = this.template.async(this.parallel);
		AsyncLockOperations others = this.other.async(this.parallel);
		CompletableFuture<List<CompletableFuture<Long>>> begun = new CompletableFuture<>();

		// The lock is requested on a thread that must not block, and handed over between
		// two instances.
		this.parallel.execute(() -> begun.complete(IntStream.range(0, 200)
			.mapToObj((i) -> ((i % 2 == 0) ? locks : others).execute(LockTarget.of("order:" + i % 3), PATIENT,
					(lock) -> lock.renew()
						.exceptionally(NonBlockingTests::requireNoReply)
						.thenCompose((renewed) -> lock.verify())
						.thenApply((held) -> lock.fencingToken())))
			.toList()));

		for (CompletableFuture<Long> each : begun.get(20, TimeUnit.SECONDS)) {
			assertThat(each.get(60, TimeUnit.SECONDS)).isPositive();
		}
	}

	/**
	 * On a busy machine, the renewal of a claim may get no reply within 300 ms.
	 */
	private static @Nullable Void requireNoReply(Throwable failure) {
		assertThat(Futures.unwrap(failure)).isInstanceOfSatisfying(LockStoreException.class,
				(outage) -> assertThat(outage.isOutcomeUnknown()).isTrue());
		return null;
	}

	@Test
	void renewalLossAndReleaseDoNotBlockThreads() throws Exception {
		AsyncLockHandle lock = this.template.async(this.parallel)
			.acquire(LockTarget.of("order:42"), PATIENT)
			.get(20, TimeUnit.SECONDS);
		// Renewed when a third of the lease is over.
		await().until(() -> lock.remaining().compareTo(Duration.ofSeconds(5)) < 0);
		await().until(() -> lock.remaining().compareTo(Duration.ofSeconds(5)) > 0);
		CompletableFuture<Boolean> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(true));

		this.other.async(this.parallel).forceRelease(LockTarget.of("order:42")).get(20, TimeUnit.SECONDS);

		assertThat(lost.get(20, TimeUnit.SECONDS)).isTrue();
		this.parallel.execute(lock::release);
		assertThat(lock.close()).failsWithin(Duration.ofSeconds(20));
	}

	@Test
	void reactiveCallersDoNotBlockThreads() {
		ReactiveLockOperations locks = new ReactiveLockTemplate(this.template);
		ReactiveLockOperations others = new ReactiveLockTemplate(this.other);
		LockTarget target = LockTarget.of("order:42");

		Long done = Flux.range(0, 100)
			.flatMap((i) -> ((i % 2 == 0) ? locks : others).execute(target, PATIENT,
					ReactiveLockContext.current().flatMap((lock) -> lock.verify().then(lock.renew()).thenReturn(i))))
			.concatWith(Flux.range(0, 20)
				.flatMap((i) -> locks.execute(target, PATIENT, Flux.range(0, 3).delayElements(Duration.ofMillis(1)))))
			.subscribeOn(Schedulers.parallel())
			.count()
			.block(Duration.ofMinutes(1));

		assertThat(done).isEqualTo(160);
	}

	@Test
	void reactiveLossAndDisposalDoNotBlockThreads() {
		ReactiveLockOperations locks = new ReactiveLockTemplate(this.template);
		LockTarget target = LockTarget.of("order:42");

		assertThat(locks
			.execute(target, PATIENT.onLost(OnLost.INTERRUPT),
					ReactiveLockContext.current()
						.flatMap((lock) -> locks.forceRelease(target).then(lock.verify()))
						.then(Mono.never()))
			.subscribeOn(Schedulers.parallel())
			.onErrorReturn("lost")
			.block(Duration.ofSeconds(20))).isEqualTo("lost");
		for (int i = 0; i < 20; i++) {
			locks.execute(target, PATIENT, Mono.never())
				.timeout(Duration.ofMillis(5))
				.onErrorComplete()
				.subscribeOn(Schedulers.parallel())
				.block(Duration.ofSeconds(20));
		}
	}

	/**
	 * The client may start its threads late.
	 */
	private static void assertFound(String thread) {
		assertThat(BLOCKED)
			.anyMatch((found) -> found.contains("park") && found.contains(thread) && found.contains("parkNanos"));
	}

	private static LockTemplate template() {
		return template(TestRedis.shared().connectionFactory());
	}

	private static LockTemplate template(RedisConnectionFactory application) {
		return new LockTemplate(RedisLockStore.create(application, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults());
	}

}
