package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.HandOver;
import io.github.redislock.store.HandOverListener;
import io.github.redislock.testing.HoldingCaller;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

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

	private final Channel channel = new Channel();

	private final InMemoryLockStore memory = new InMemoryLockStore(this.timer);

	private final List<LockTemplate> instances = new ArrayList<>();

	private final List<HoldingCaller> callers = new ArrayList<>();

	private final LogRecorder log = LogRecorder.warningsOf(DeadlockDetector.class.getName());

	@AfterEach
	void close() {
		this.callers.forEach(HoldingCaller::close);
		Awaitility.await("all is released").until(() -> {
			this.timer.advance(Duration.ofMillis(100));
			return this.instances.stream().allMatch(LockTemplate::isIdle);
		});
		this.instances.forEach(LockTemplate::close);
		this.log.close();
	}

	@Test
	void localDeadlockIsLoggedAndReportedToBothCallers() {
		LockTemplate shop = instance("shop");
		HoldingCaller first = caller(shop, "first", A);
		HoldingCaller second = caller(shop, "second", B);

		waitFor(shop, first, B, 1);
		waitFor(shop, second, A, 2);
		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log.lines()).singleElement()
			.asString()
			.startsWith("WARN Deadlock of 2 callers since 2026-01-01T00:00:00Z: ")
			.contains("thread 'first' of 'shop' holds 'a' and waits for 'b'",
					"thread 'second' of 'shop' holds 'b' and waits for 'a'")
			.endsWith(ADVICE);
		this.timer.advance(Duration.ofSeconds(8));
		assertReported(first, "Lock 'b' not acquired within 10s: held by shop since ");
		assertReported(second, "Lock 'a' not acquired within 10s: held by shop since ");
		assertThat(this.log.lines()).hasSize(1);
	}

	@Test
	void deadlockBetweenThreeInstancesIsReportedByEach() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		LockTemplate three = instance("three");
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller second = caller(two, "second", B);
		HoldingCaller third = caller(three, "third", C);
		waitFor(one, first, B, 1);
		this.timer.advance(Duration.ofSeconds(4));
		waitFor(two, second, C, 1);
		this.timer.advance(Duration.ofSeconds(1));
		waitFor(three, third, A, 1);

		this.timer.advance(Duration.ofMillis(2_500));

		assertThat(this.log.lines()).hasSize(3).containsOnly(this.log.lines().get(0));
		assertThat(this.log.lines().get(0)).startsWith("WARN Deadlock of 3 callers since 2026-01-01T00:00:05Z: ")
			.contains("thread 'first' of 'one' holds 'a' and waits for 'b'",
					"thread 'second' of 'two' holds 'b' and waits for 'c'",
					"thread 'third' of 'three' holds 'c' and waits for 'a'");
		this.timer.advance(Duration.ofSeconds(10));
		assertReported(first, "Lock 'b' not acquired");
		assertReported(second, "Lock 'c' not acquired");
		assertReported(third, "Lock 'a' not acquired");
		assertThat(this.log.lines()).hasSize(3);
	}

	@Test
	void deadlockIsFoundIfAnotherLocalCallerWaitsForTheSameLock() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller second = caller(two, "second", B);
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller bystander = caller(one, "bystander", C);
		waitFor(one, bystander, B, 1);
		waitFor(one, first, B, 2);
		waitFor(two, second, A, 1);

		this.timer.advance(Duration.ofSeconds(11));

		assertReported(first, "Lock 'b' not acquired");
		assertReported(second, "Lock 'a' not acquired");
		assertThat(bystander.refusal().join().getDeadlock()).isNull();
	}

	@Test
	void duplicateMessagesReportADeadlockOncePerInstance() {
		this.channel.copies = 3;
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller second = caller(two, "second", B);
		waitFor(one, first, B, 1);
		waitFor(two, second, A, 1);

		this.timer.advance(Duration.ofSeconds(9));

		assertThat(this.log.lines()).hasSize(2);
		assertThat(this.channel.messages).hasSizeLessThan(30);
	}

	@Test
	void deadlockInvolvingSeveralLocksIsReported() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = caller(one, "first", LockTarget.allOf(A, B));
		HoldingCaller second = caller(two, "second", C);
		waitFor(one, first, C, 1);
		waitFor(two, second, LockTarget.allOf(B, LockTarget.of("d")), 1);

		this.timer.advance(Duration.ofSeconds(11));

		assertReported(first, "Lock 'c' not acquired");
		assertReported(second, "Lock 'b + d' not acquired");
	}

	@Test
	void deadlockOfAsyncWorkIsReported() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller second = caller(two, "second", B);
		CompletableFuture<@Nullable Object> work = one.async()
			.execute(A, PATIENT, (lock) -> one.async().execute(B, PATIENT, (inner) -> new CompletableFuture<>()));
		Awaitility.await().until(() -> one.waiting() == 1);
		waitFor(two, second, A, 1);

		this.timer.advance(Duration.ofSeconds(3));

		assertThat(this.log.lines()).hasSize(2)
			.allSatisfy((line) -> assertThat(line).contains("asynchronous work of 'one' holds 'a'"));
		this.timer.advance(Duration.ofSeconds(8));
		assertThat(work).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.havingCause()
			.isInstanceOfSatisfying(LockNotAcquiredException.class, (ex) -> assertThat(ex.getDeadlock()).isNotNull());
	}

	@Test
	void chainOfWaitersIsNotADeadlock() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		LockHandle end = two.acquire(LockTarget.of("0"), PATIENT.reentrant(false));
		for (int index = 0; index < 20; index++) {
			LockTemplate own = (index % 3 == 0) ? two : one;
			HoldingCaller caller = caller(own, "caller-" + index, LockTarget.of(Integer.toString(index + 1)));
			waitFor(own, caller, LockTarget.of(Integer.toString(index)), own.waiting() + 1);
		}

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
		assertThat(this.callers).allSatisfy((caller) -> assertThat(caller.refusal().join().getDeadlock()).isNull());
		end.close();
	}

	@Test
	void longWaitIsCheckedEachTimeItsDurationDoubles() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		LockHandle held = two.acquire(B, PATIENT);
		HoldingCaller caller = HoldingCaller.of(one, "first", A, PATIENT.waitTime(Duration.ofMinutes(2)));
		this.callers.add(caller);
		waitFor(one, caller, B, 1);

		this.timer.advance(Duration.ofSeconds(70));

		assertThat(this.channel.messages).as("after 2, 4, 8, 16, 32 and 64 s").hasSize(6);
		held.close();
	}

	@Test
	void deadlockResolvedInTimeIsNotReported() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = HoldingCaller.of(one, "first", A, PATIENT.waitTime(Duration.ofMillis(1_500)));
		HoldingCaller second = caller(two, "second", B);
		waitFor(two, second, A, 1);
		this.timer.advance(Duration.ofSeconds(3));
		waitFor(one, first, B, 1);

		this.timer.advance(Duration.ofSeconds(8));

		assertThat(first.refusal().join().getDeadlock()).isNull();
		assertThat(second.refusal().join().getDeadlock()).isNull();
		assertThat(this.log.lines()).isEmpty();
		first.close();
	}

	@Test
	void staleChainIsNotReportedAsADeadlock() {
		this.channel.held = true;
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller second = caller(two, "second", B);
		waitFor(one, first, B, 1);
		waitFor(two, second, A, 1);

		for (int round = 0; round < 3; round++) {
			this.timer.advance(Duration.ofSeconds(3));
			this.channel.deliver();
		}

		assertThat(this.channel.messages).isNotEmpty().noneMatch((message) -> message.startsWith("circle"));
		assertThat(this.log.lines()).isEmpty();
		this.timer.advance(Duration.ofSeconds(3));
	}

	@Test
	void deadlockThroughASharedLockIsNotLogged() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller reader = caller(one, "reader", A.forReading());
		HoldingCaller writer = caller(two, "writer", B);
		waitFor(one, reader, B, 1);
		waitFor(two, writer, A, 1);

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@Test
	void deadlockThroughALockUsedByAnotherThreadIsNotLogged() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller second = caller(two, "second", B);
		assertThat(first.held().isHeld()).isTrue();
		waitFor(one, first, B, 1);
		waitFor(two, second, A, 1);

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@Test
	void deadlockThroughALockWithACallerSuppliedOwnerTokenIsNotLogged() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = HoldingCaller.of(one, "first", A, PATIENT.owner("one/job-17-of-the-night"));
		this.callers.add(first);
		HoldingCaller second = caller(two, "second", B);
		waitFor(one, first, B, 1);
		waitFor(two, second, A, 1);

		this.timer.advance(Duration.ofSeconds(11));

		assertThat(this.log.lines()).isEmpty();
	}

	@Test
	void deadlockIsClearedWhenTheLockIsPassedOn() {
		LockTemplate one = instance("one");
		LockTemplate two = instance("two");
		HoldingCaller first = caller(one, "first", A);
		HoldingCaller second = HoldingCaller.of(two, "second", B, PATIENT.waitTime(Duration.ofSeconds(4)));
		waitFor(two, second, A, 1);
		LockTemplate three = instance("three");
		CompletableFuture<LockHandle> next = new CompletableFuture<>();
		OwnThread.run(() -> next.complete(three.acquire(B, PATIENT)));
		Awaitility.await().until(() -> three.waiting() == 1);
		waitFor(one, first, B, 1);
		this.timer.advance(Duration.ofSeconds(5));
		assertReported(second, "Lock 'a' not acquired within 4s");

		second.close();
		LockHandle passedOn = next.join();
		this.timer.advance(Duration.ofSeconds(6));

		assertThat(first.refusal().join().getDeadlock()).isNull();
		passedOn.close();
	}

	private LockTemplate instance(String name) {
		LockTemplate instance = new LockTemplate(new Connected(),
				LockConfiguration.defaults().instance(name).timer(this.timer));
		this.instances.add(instance);
		return instance;
	}

	private HoldingCaller caller(LockTemplate locks, String thread, LockTarget first) {
		HoldingCaller caller = HoldingCaller.of(locks, thread, first, PATIENT);
		this.callers.add(caller);
		return caller;
	}

	private static void waitFor(LockTemplate locks, HoldingCaller caller, LockTarget target, int waiting) {
		caller.waitFor(target);
		Awaitility.await("caller that waits").until(() -> locks.waiting() == waiting);
		// The lock is polled only once the thread waits.
		OwnThread.awaitRest(caller.thread());
	}

	private static void assertReported(HoldingCaller caller, String message) {
		assertThat(caller.refusal()).succeedsWithin(Duration.ofSeconds(10)).satisfies((refusal) -> {
			assertThat(refusal).hasMessageStartingWith(message).hasMessageContaining(". Deadlock of ");
			assertThat(refusal.getDeadlock()).startsWith("Deadlock of ").endsWith(ADVICE);
		});
	}

	/**
	 * Delivers messages to all instances.
	 */
	private static final class Channel implements HandOverListener {

		private final List<HandOverListener> listeners = new CopyOnWriteArrayList<>();

		private final List<String> messages = new CopyOnWriteArrayList<>();

		private final Queue<String> underWay = new ArrayDeque<>();

		private int copies = 1;

		private boolean held;

		void tell(String message) {
			this.messages.add(message);
			this.underWay.add(message);
			if (!this.held) {
				deliver();
			}
		}

		void deliver() {
			for (int left = this.underWay.size(); left > 0; left--) {
				String message = this.underWay.remove();
				for (int copy = 0; copy < this.copies; copy++) {
					all((listener) -> listener.waitsPublished(message));
				}
			}
		}

		@Override
		public void handedOver(HandOver handOver) {
			all((listener) -> listener.handedOver(handOver));
		}

		@Override
		public void turnHasCome(String requestId) {
			all((listener) -> listener.turnHasCome(requestId));
		}

		@Override
		public void changed() {
			all(HandOverListener::changed);
		}

		private void all(Consumer<HandOverListener> told) {
			this.listeners.forEach(told);
		}

	}

	/**
	 * The connection of one instance.
	 */
	private final class Connected extends CountingStore {

		Connected() {
			super(DeadlockDetectorTests.this.memory);
		}

		@Override
		public Consumer<String> listen(HandOverListener listener) {
			DeadlockDetectorTests.this.channel.listeners.add(listener);
			super.listen(DeadlockDetectorTests.this.channel);
			return DeadlockDetectorTests.this.channel::tell;
		}

		@Override
		public List<LockTarget> groups(LockTarget target) {
			return List.of(target);
		}

		@Override
		public void close() {
			// Do not close the store, because the other instances still use it.
		}

	}

}
