package io.github.redislock.internal.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.HoldingCaller;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("promise-16")
class DeadlockDetectorTests {

	private static final LockTarget A = LockTarget.of("a");

	private static final LockTarget B = LockTarget.of("b");

	private static final LockTarget C = LockTarget.of("c");

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofSeconds(10));

	private static final String ADVICE = "Acquire these locks together with LockTarget.allOf, or everywhere in the same"
			+ " order";

	private final ManualLockTimer timer = new ManualLockTimer();

	private final InMemoryLockStore memory = new InMemoryLockStore(this.timer);

	/** Searches run at once, and on this thread, unless a test replaces the executor. */
	private Executor searches = Runnable::run;

	private final LockTemplate shop = template();

	private final List<HoldingCaller> callers = new ArrayList<>();

	private final LogRecorder log = LogRecorder.warningsOf(DeadlockDetector.class.getName());

	@AfterEach
	void close() {
		this.callers.forEach(HoldingCaller::close);
		Awaitility.await("all is released").until(() -> {
			this.timer.advance(Duration.ofMillis(100));
			return this.shop.isIdle();
		});
		this.shop.close();
		this.log.close();
	}

	@Test
	void deadlockIsLoggedAndReportedToBothCallers() {
		HoldingCaller first = caller("first", A);
		HoldingCaller second = caller("second", B);

		waitFor(first, B);
		waitFor(second, A);
		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log.lines()).containsExactly("WARN Deadlock since 2026-01-01T00:00:00Z: thread 'first' holds"
				+ " 'a' and waits for 'b'; thread 'second' holds 'b' and waits for 'a'. " + ADVICE);
		this.timer.advance(Duration.ofSeconds(8));
		assertReported(first, "Lock 'b' not acquired within 10s: held by shop since ");
		assertReported(second, "Lock 'a' not acquired within 10s: held by shop since ");
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void deadlockOfFourCallersIsFoundWhenTheLastHasWaitedLongEnough() {
		List<LockTarget> locks = List.of(A, B, C, LockTarget.of("d"));
		for (LockTarget lock : locks) {
			caller("holder of " + lock, lock);
		}
		for (int index = 0; index < 4; index++) {
			waitFor(this.callers.get(index), locks.get((index + 1) % 4));
			this.timer.advance(Duration.ofMillis(1_500));
		}
		assertThat(this.log.lines()).isEmpty();

		this.timer.advance(Duration.ofMillis(1_000));

		assertThat(this.log.lines()).singleElement()
			.asString()
			.startsWith("WARN Deadlock since 2026-01-01T00:00:04Z: ")
			.contains("thread 'holder of a' holds 'a' and waits for 'b'", "'b' and waits for 'c'",
					"'c' and waits for 'd'", "thread 'holder of d' holds 'd' and waits for 'a'");
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(this.callers).allSatisfy((caller) -> assertReported(caller, "Lock '"));
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void callersThatWaitForADeadlockedOneAreNotReported() {
		HoldingCaller bystander = caller("bystander", C);
		HoldingCaller first = caller("first", A);
		HoldingCaller second = caller("second", B);
		waitFor(bystander, B);
		waitFor(first, B);
		waitFor(second, A);

		this.timer.advance(Duration.ofSeconds(11));

		assertReported(first, "Lock 'b' not acquired");
		assertReported(second, "Lock 'a' not acquired");
		assertThat(bystander.refusal().join().getDeadlock()).isNull();
	}

	@Test
	void callerThatWaitsForItsOwnLockIsNamedAlone() {
		CompletableFuture<@Nullable Object> work = this.shop.async()
			.execute(A, PATIENT, (lock) -> this.shop.async()
				.execute(A, PATIENT.reentrant(false), (inner) -> new CompletableFuture<>()));
		Awaitility.await().until(() -> this.shop.waiting() == 1);

		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log.lines())
			.containsExactly("WARN Deadlock since 2026-01-01T00:00:00Z: asynchronous work holds 'a' and waits for 'a'."
					+ " This caller waits for its own lock: release that lock first");
		this.timer.advance(Duration.ofSeconds(8));
		assertThat(work).failsWithin(Duration.ofSeconds(10));
	}

	@Test
	void deadlockInvolvingSeveralLocksIsReported() {
		HoldingCaller first = caller("first", LockTarget.allOf(A, B));
		HoldingCaller second = caller("second", C);
		waitFor(first, C);
		waitFor(second, LockTarget.allOf(B, LockTarget.of("d")));

		this.timer.advance(Duration.ofSeconds(11));

		assertReported(first, "Lock 'c' not acquired");
		assertReported(second, "Lock 'b + d' not acquired");
	}

	@Test
	void chainOfWaitersIsNotADeadlock() {
		LockHandle end = this.shop.acquire(LockTarget.of("0"), PATIENT.reentrant(false));
		for (int index = 0; index < 20; index++) {
			waitFor(caller("caller-" + index, LockTarget.of(Integer.toString(index + 1))),
					LockTarget.of(Integer.toString(index)));
		}

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
		assertThat(this.callers).allSatisfy((caller) -> assertThat(caller.refusal().join().getDeadlock()).isNull());
		end.close();
	}

	@Test
	void searchNeverRunsOnTheThreadOfTheTimer() {
		Queue<Runnable> submitted = new ArrayDeque<>();
		this.searches = submitted::add;
		HoldingCaller first = caller("first", A);
		HoldingCaller second = caller("second", B);
		waitFor(first, B);
		waitFor(second, A);

		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log.lines()).isEmpty();
		this.searches = Runnable::run;
		submitted.forEach(Runnable::run);
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void searchReadsTheLongestWaitsFirstAndTakesLittleTime() {
		LockHandle end = this.shop.acquire(LockTarget.of("lock", 0), PATIENT.reentrant(false));
		List<CompletableFuture<?>> works = IntStream.range(0, 3_000).<CompletableFuture<?>>mapToObj((index) -> {
			// Callers of one moment share a hash code.
			this.timer.advance(Duration.ofNanos(1));
			return this.shop.async()
				.execute(LockTarget.of("lock", index + 1), PATIENT.waitTime(Duration.ofSeconds(60)),
						(lock) -> this.shop.async()
							.execute(LockTarget.of("lock", index), PATIENT.waitTime(Duration.ofSeconds(60)),
									(inner) -> CompletableFuture.completedFuture(null)));
		}).toList();
		Awaitility.await().until(() -> this.shop.waiting() == works.size());
		HoldingCaller first = caller("first", A);
		HoldingCaller second = caller("second", B);
		waitFor(first, B);
		waitFor(second, A);
		List<Long> cpu = new ArrayList<>();
		this.searches = (search) -> {
			long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
			search.run();
			cpu.add(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin);
		};

		this.timer.advance(Duration.ofSeconds(4));

		assertThat(this.log.lines()).as("only the longest waits were searched").isEmpty();
		assertThat(cpu).isNotEmpty().allSatisfy((nanos) -> assertThat(nanos).isLessThan(200_000_000L));
		end.close();
		Awaitility.await().until(() -> works.stream().allMatch(CompletableFuture::isDone));
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void deadlockResolvedInTimeIsNotReported() {
		HoldingCaller first = HoldingCaller.of(this.shop, "first", A, PATIENT.waitTime(Duration.ofMillis(1_500)));
		HoldingCaller second = caller("second", B);
		waitFor(second, A);
		this.timer.advance(Duration.ofSeconds(3));
		waitFor(first, B);

		this.timer.advance(Duration.ofSeconds(8));

		assertThat(first.refusal().join().getDeadlock()).isNull();
		assertThat(second.refusal().join().getDeadlock()).isNull();
		assertThat(this.log.lines()).isEmpty();
		first.close();
	}

	@Test
	void deadlockThroughASharedLockIsNotLogged() {
		HoldingCaller reader = caller("reader", A.forReading());
		HoldingCaller writer = caller("writer", B);
		waitFor(reader, B);
		waitFor(writer, A);

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void deadlockThroughALockUsedByAnotherThreadIsNotLogged(boolean beforeTheWait) {
		HoldingCaller first = caller("first", A);
		HoldingCaller second = caller("second", B);
		if (beforeTheWait) {
			assertThat(first.held().isHeld()).isTrue();
		}
		waitFor(first, B);
		waitFor(second, A);
		assertThat(first.held().isHeld()).isTrue();

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@Test
	void deadlockThroughALockWithACallerSuppliedOwnerTokenIsNotLogged() {
		HoldingCaller first = HoldingCaller.of(this.shop, "first", A, PATIENT.owner("one/job-17-of-the-night"));
		this.callers.add(first);
		HoldingCaller second = caller("second", B);
		waitFor(first, B);
		waitFor(second, A);

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@Test
	void deadlockIsClearedWhenTheLockIsPassedOn() {
		HoldingCaller first = caller("first", A);
		HoldingCaller second = HoldingCaller.of(this.shop, "second", B, PATIENT.waitTime(Duration.ofSeconds(4)));
		waitFor(second, A);
		CompletableFuture<AsyncLockHandle> next = this.shop.async().acquire(B, PATIENT);
		waitFor(first, B, 3);
		this.timer.advance(Duration.ofSeconds(5));
		assertReported(second, "Lock 'a' not acquired within 4s");

		second.close();
		AsyncLockHandle passedOn = next.join();
		this.timer.advance(Duration.ofSeconds(6));

		assertThat(first.refusal().join().getDeadlock()).isNull();
		passedOn.release();
	}

	private LockTemplate template() {
		LockConfiguration configuration = LockConfiguration.defaults().instance("shop").timer(this.timer);
		SystemResources system = SystemResources.system();
		SystemResources resources = new SystemResources(system.nanoTime(), system.random(), system.secrets(),
				(name) -> (task) -> this.searches.execute(task), system.waiting());
		return new LockTemplate(new LockEngine(this.memory, configuration, resources), configuration,
				SurroundingTransaction.NONE);
	}

	private HoldingCaller caller(String thread, LockTarget first) {
		return caller(thread, first, PATIENT);
	}

	private HoldingCaller caller(String thread, LockTarget first, LockOptions options) {
		HoldingCaller caller = HoldingCaller.of(this.shop, thread, first, options);
		this.callers.add(caller);
		return caller;
	}

	private void waitFor(HoldingCaller caller, LockTarget target) {
		waitFor(caller, target, this.shop.waiting() + 1);
	}

	private void waitFor(HoldingCaller caller, LockTarget target, int waiting) {
		caller.waitFor(target);
		Awaitility.await("caller that waits").until(() -> this.shop.waiting() == waiting);
		// The lock is polled only once the thread waits.
		OwnThread.awaitRest(caller.thread());
	}

	private static void assertReported(HoldingCaller caller, String message) {
		assertThat(caller.refusal()).succeedsWithin(Duration.ofSeconds(10)).satisfies((refusal) -> {
			assertThat(refusal).hasMessageStartingWith(message).hasMessageContaining(". Deadlock since ");
			assertThat(refusal.getDeadlock()).startsWith("Deadlock since ").endsWith(ADVICE);
		});
	}

}
