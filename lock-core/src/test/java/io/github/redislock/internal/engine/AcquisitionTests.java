package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockListener;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.ScriptedStore.Question;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.Test;

import static io.github.redislock.internal.engine.ScriptedStore.last;
import static io.github.redislock.internal.engine.ScriptedStore.only;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class AcquisitionTests {

	private final EngineCalls calls = new EngineCalls();

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final AcquireReply GRANTED = new AcquireReply.Granted(7);

	private static final AcquireReply HELD = new AcquireReply.Held(
			LockState.of("order:42", "other/secret", Duration.ofSeconds(12), 3L, null, 0L, true, 1), false, false);

	private static final LockOptions PATIENT = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofSeconds(10))
		.retryDelay(Duration.ofSeconds(1));

	private static final LockOptions IMPATIENT = LockOptions.options().timeout(Duration.ofSeconds(30)).retry(0);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(1_100);

	private final ManualLockTimer clock = new ManualLockTimer();

	private final HookedTimer timer = new HookedTimer(this.clock);

	private final ScriptedStore store = new ScriptedStore();

	private final RecordingListener listener = new RecordingListener();

	private final LockEngine engine = engine(LockConfiguration.defaults());

	@Test
	void requestAsksForTheLeasePlusGraceOrTheMinimumTime() {
		acquire(LockOptions.options().timeout(Duration.ofSeconds(30)));
		acquire(LockOptions.options().timeout(Duration.ofSeconds(1)).retry(0));
		acquire(LockOptions.options().neverExpires().retry(0));
		acquire(LockOptions.options().timeout(Duration.ofSeconds(1)).atLeastFor(Duration.ofMinutes(1)).retry(0));

		assertThat(this.store.acquires).extracting(Question::duration)
			.containsExactly(Duration.ofMillis(31_500), Duration.ofMillis(1_100), null, Duration.ofMinutes(1));
	}

	@Test
	void refusedLockIsRetriedEveryRetryDelayAndOnceAtTheEnd() {
		this.clock.advance(Duration.ofHours(1));
		long begin = this.clock.nanoTime();
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		List<Duration> asked = new ArrayList<>();

		while (!acquisition.outcome().isDone()) {
			asked.add(Duration.ofNanos(this.clock.nanoTime() - begin));
			last(this.store.acquires).reply(HELD);
			while (this.store.acquires.size() == asked.size() && !acquisition.outcome().isDone()) {
				this.clock.advance(Duration.ofMillis(1));
			}
		}

		assertThat(asked).hasSizeBetween(10, 13);
		for (int i = 1; i < asked.size() - 1; i++) {
			assertThat(asked.get(i).minus(asked.get(i - 1))).isBetween(Duration.ofMillis(900),
					Duration.ofMillis(1_101));
		}
		assertThat(asked.get(asked.size() - 1)).isEqualTo(Duration.ofSeconds(10));
		assertThat(acquisition.outcome().getNow(null)).isInstanceOfSatisfying(AcquireOutcome.Refused.class,
				(refused) -> {
					assertThat(refused.waited()).isEqualTo(Duration.ofSeconds(10));
					assertThat(refused.holder()).isEqualTo(((AcquireReply.Held) HELD).holder());
				});
		assertThat(this.store.withdraws).isEmpty();
		assertThat(this.listener.events).containsExactly("refused");
	}

	@Test
	void requestWithoutAReplyIsRetriedWithTheSameRequestId() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		only(this.store.acquires).loseReply();
		this.clock.advance(LONGEST_PAUSE);

		last(this.store.acquires).reply(GRANTED);

		assertThat(this.store.acquires).hasSize(2).extracting(Question::requestId).containsOnly(requestId());
		assertThat(this.store.acquires).extracting(Question::owner).containsOnly(lock(acquisition).owner());
		assertThat(this.store.withdraws).isEmpty();
	}

	@Test
	void lastingOutageFailsTheAcquisitionAndWithdrawsTheRequest() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		while (!acquisition.outcome().isDone()) {
			last(this.store.acquires).loseReply();
			this.clock.advance(Duration.ofMillis(100));
		}

		assertThat(acquisition.outcome().getNow(null)).isInstanceOfSatisfying(AcquireOutcome.Failed.class,
				(failed) -> assertThat(failed.failure()).isInstanceOf(LockStoreException.class));
		assertThat(only(this.store.withdraws).requestId()).isEqualTo(requestId());
		assertThat(this.listener.events).containsExactly("failed LockStoreException");
	}

	@Test
	void callerThatDoesNotWaitFailsOnTheFirstStoreFailure() {
		Acquisition<BlockingHandle> acquisition = acquire(IMPATIENT);

		only(this.store.acquires).loseReply();

		assertFailed(acquisition);
		assertThat(this.store.withdraws).hasSize(1);
	}

	@Test
	void nonRetryableFailureEndsTheWaitImmediately() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		only(this.store.acquires).refuseForGood();

		assertFailed(acquisition);
		assertThat(this.store.log).containsExactly("acquire");
	}

	@Test
	void conflictOfKeysEndsTheWaitImmediately() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		only(this.store.acquires).future()
			.completeExceptionally(new LockKeyConflictException(TARGET, "lock:order:42", "not a lock", null));

		assertThat(acquisition.outcome().getNow(null)).isInstanceOfSatisfying(AcquireOutcome.Failed.class,
				(failed) -> assertThat(failed.failure()).isInstanceOfSatisfying(LockKeyConflictException.class,
						(conflict) -> assertThat(conflict.getKey()).isEqualTo("lock:order:42")));
		assertThat(this.listener.events).containsExactly("failed LockKeyConflictException");
	}

	@Test
	void requestKnownToHaveHadNoEffectIsNotWithdrawn() {
		acquire(IMPATIENT);
		assertThat(this.engine.isIdle()).isFalse();

		only(this.store.acquires).reject();

		assertThat(this.store.withdraws).isEmpty();
		assertThat(this.engine.isIdle()).isTrue();
	}

	@Test
	void requestRefusedAfterALostReplyIsWithdrawn() {
		acquire(PATIENT);
		only(this.store.acquires).loseReply();

		replyAllFor(Duration.ofSeconds(11));

		// The first request may still be on the network and acquire the lock later.
		assertThat(this.store.withdraws).hasSize(1);
		assertThat(this.listener.events).containsExactly("refused");
	}

	@Test
	void requestGrantedAfterALostReplyIsWithdrawnAfterTheRelease() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		only(this.store.acquires).loseReply();
		this.clock.advance(LONGEST_PAUSE);
		last(this.store.acquires).reply(GRANTED);

		Thread releasing = OwnThread.start(lock(acquisition)::release);
		await().until(() -> this.store.releases.size() == 1);
		OwnThread.awaitRest(releasing);
		only(this.store.releases).reply(true);

		assertThat(only(this.store.withdraws).requestId()).isEqualTo(requestId());
	}

	@Test
	void withdrawalIsRetriedUntilItIsConfirmed() {
		acquire(IMPATIENT);
		only(this.store.acquires).loseReply();

		last(this.store.withdraws).loseReply();
		this.clock.advance(Duration.ofMillis(50));
		last(this.store.withdraws).loseReply();
		this.clock.advance(Duration.ofMillis(100));
		last(this.store.withdraws).reply(null);
		this.clock.advance(Duration.ofMinutes(1));

		assertThat(this.store.withdraws).hasSize(3);
	}

	@Test
	void grantAfterACancellationIsIgnored() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		assertThat(acquisition.cancel(new LockInterruptedException(TARGET))).isTrue();
		assertThat(this.store.withdraws).hasSize(1);
		only(this.store.acquires).reply(GRANTED);

		assertFailed(acquisition);
		assertThat(this.listener.events).containsExactly("failed LockInterruptedException");
		this.clock.advance(Duration.ofMinutes(1));
		assertThat(this.store.renews).isEmpty();
	}

	@Test
	void grantDuringACancellationIsReleasedOrReachesTheCaller() {
		int look = 0;
		while (cancelAt(++look)) {
			this.store.releases.clear();
		}
		// The clock is read at each step from the grant to the caller.
		assertThat(look).isGreaterThan(10);
	}

	/**
	 * Grant a lock, and cancel the wait for it when the clock is read.
	 * @param look which reading of the clock
	 * @return whether the clock was read so often
	 */
	private boolean cancelAt(int look) {
		LockTarget target = LockTarget.of("order", look);
		Acquisition<BlockingHandle> acquisition = this.calls.acquire(this.engine, target,
				this.engine.settings(target, PATIENT));
		List<Boolean> cancelled = new ArrayList<>();
		AtomicInteger looks = new AtomicInteger();
		this.timer.onEachLook(() -> {
			if (looks.incrementAndGet() == look) {
				cancelled.add(acquisition.cancel(new LockInterruptedException(target)));
			}
		});
		last(this.store.acquires).reply(GRANTED);
		this.timer.onEachLook(null);

		if (acquisition.outcome().getNow(null) instanceof AcquireOutcome.Failed) {
			assertThat(cancelled).containsExactly(true);
			assertThat(this.store.releases).hasSize(1);
		}
		else {
			assertThat(lock(acquisition).isHeld()).isTrue();
			assertThat(cancelled).doesNotContain(true);
			assertThat(this.store.releases).isEmpty();
		}
		return looks.get() >= look;
	}

	@Test
	void cancellationBetweenRequestsSendsNothing() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		only(this.store.acquires).reply(HELD);

		acquisition.cancel(new LockInterruptedException(TARGET));
		this.clock.advance(Duration.ofMinutes(1));

		assertThat(this.store.log).containsExactly("acquire");
	}

	@Test
	void callerThatDoesNotWaitFailsAndWithdrawsAnExpiredGrant() {
		Acquisition<BlockingHandle> acquisition = acquire(IMPATIENT.timeout(Duration.ofSeconds(1)));
		this.clock.advance(Duration.ofSeconds(1));

		only(this.store.acquires).reply(GRANTED);

		assertFailed(acquisition);
		assertThat(this.store.withdraws).hasSize(1);
	}

	@Test
	void throwingStoreFailsTheAcquisitionsOfAllWaiters() {
		this.store.onAcquire((request) -> {
			throw new IllegalStateException("broken store");
		});

		Acquisition<BlockingHandle> first = acquire(PATIENT);
		Acquisition<BlockingHandle> second = acquire(PATIENT);
		replyAllFor(Duration.ofSeconds(11));

		assertThat(Stream.of(first, second)).allSatisfy((acquisition) -> assertThat(acquisition.outcome().getNow(null))
			.isInstanceOfSatisfying(AcquireOutcome.Failed.class,
					(failed) -> assertThat(failed.failure()).hasMessageContaining("broken store")));
	}

	@Test
	void nullReplyFromTheStoreFailsTheAcquisition() {
		this.store.onAcquire((request) -> null);
		assertFailed(acquire(PATIENT));

		this.store.onAcquire((request) -> CompletableFuture.completedFuture(null));
		assertFailed(acquire(PATIENT));
	}

	@Test
	void withdrawnReplyFailsTheAcquisition() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);

		only(this.store.acquires).reply(new AcquireReply.Withdrawn());

		assertFailed(acquisition);
	}

	@Test
	void waiterBehindTheHeadSendsOneRequestWhenItsWaitTimeEnds() {
		Acquisition<BlockingHandle> head = acquire(
				PATIENT.waitTime(Duration.ofMinutes(1)).retryDelay(Duration.ofMinutes(1)));
		last(this.store.acquires).reply(HELD);
		Acquisition<BlockingHandle> second = acquire(PATIENT);

		this.clock.advance(Duration.ofSeconds(10).minusNanos(1));
		assertThat(this.store.acquires).hasSize(1);
		this.clock.advance(Duration.ofNanos(1));
		assertThat(this.store.acquires).hasSize(2);
		last(this.store.acquires).reply(HELD);

		assertThat(second.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Refused.class);
		assertThat(head.outcome()).isNotDone();
	}

	@Test
	void callerIsRefusedEvenIfTheLastWaiterHasJustLeft() {
		LockOptions one = PATIENT.maxWaiters(1);
		Acquisition<BlockingHandle> waiter = acquire(one);
		only(this.store.acquires).reply(HELD);
		this.timer.onNextLook(() -> waiter.cancel(new LockInterruptedException(TARGET)));

		Acquisition<BlockingHandle> refused = acquire(one);

		assertThat(waiter.outcome()).isDone();
		assertThat(refused.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Refused.class);
	}

	@Test
	void lockGrantedJustBeforeTheInterruptOfItsCallerIsReleased() {
		LockConfiguration configuration = LockConfiguration.defaults();
		SystemResources system = SystemResources.system();
		LockEngine engine = new LockEngine(new InMemoryLockStore(), configuration,
				new SystemResources(system.nanoTime(), system.random(), system.secrets(), system.actions(),
						new InterruptedAfterTheReply()));
		try (LockTemplate locks = new LockTemplate(engine, configuration, SurroundingTransaction.NONE)) {
			assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> locks.acquire(TARGET));

			assertThat(Thread.interrupted()).isTrue();
			assertThat(locks.isLocked(TARGET)).isFalse();
		}
	}

	@Test
	void endOfTheWaitTimeOfACancelledWaiterSendsNoRequest() {
		acquire(PATIENT.waitTime(Duration.ofMinutes(1)).retryDelay(Duration.ofMinutes(1)));
		last(this.store.acquires).reply(HELD);
		acquire(PATIENT).cancel(new LockInterruptedException(TARGET));

		this.clock.advance(Duration.ofSeconds(10));

		assertThat(this.store.acquires).hasSize(1);
	}

	@Test
	void requestRefusedAfterALocalReleaseIsRepeatedImmediately() {
		LockHandle lock = granted(IMPATIENT);
		Acquisition<BlockingHandle> waiter = acquire(PATIENT.retryDelay(Duration.ofSeconds(10)));
		Question<AcquireReply> asked = last(this.store.acquires);

		release(lock);
		asked.reply(HELD);
		assertThat(this.store.acquires).hasSize(3);
		last(this.store.acquires).reply(GRANTED);

		assertThat(waiter.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
	}

	@Test
	void listenerIsNotifiedBeforeTheCallerReceivesTheLock() {
		Acquisition<BlockingHandle> acquisition = acquire(IMPATIENT);
		List<String> order = new ArrayList<>();
		acquisition.outcome().thenRun(() -> order.addAll(this.listener.events));

		only(this.store.acquires).reply(GRANTED);

		assertThat(order).containsExactly("acquired");
	}

	@Test
	void throwingListenerDoesNotAffectCallersOrOtherListeners() {
		RecordingListener after = new RecordingListener();
		LockEngine noisy = new LockEngine(this.store,
				LockConfiguration.defaults().timer(this.timer).listeners(List.of(new ThrowingListener(), after)));
		Acquisition<BlockingHandle> acquisition = this.calls.acquire(noisy, TARGET, noisy.settings(TARGET, IMPATIENT));
		last(this.store.acquires).reply(GRANTED);
		LockHandle lock = lock(acquisition);
		this.clock.advance(Duration.ofSeconds(10));
		last(this.store.renews).loseReply();
		this.clock.advance(Duration.ofMillis(1_500));
		last(this.store.renews).reply(true);
		this.clock.advance(Duration.ofSeconds(30));

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);

		assertThat(after.events).containsExactly("acquired", "renewalFailed", "renewed", "lost", "released NOT_HELD");
	}

	@Test
	void closingWaitsForPendingWithdrawals() {
		Acquisition<BlockingHandle> waiting = acquire(PATIENT);

		CompletableFuture<Void> closed = CompletableFuture.runAsync(this.engine::close, OwnThread::run);
		await().until(() -> this.store.withdraws.size() == 1);
		assertThat(waiting.outcome()).isDone();
		assertThat(closed).isNotDone();
		last(this.store.withdraws).loseReply();
		this.clock.advance(Duration.ofMillis(50));
		last(this.store.withdraws).reply(null);

		closed.join();
	}

	@Test
	void grantReceivedDuringCloseIsReleased() {
		Acquisition<BlockingHandle> acquisition = acquire(PATIENT);
		List<Thread> closing = new ArrayList<>();
		this.timer.onNextLook(() -> {
			closing.add(OwnThread.start(this.engine::close));
			await().until(() -> acquisition.outcome().isDone());
			await().until(() -> closing.get(0).getState() == Thread.State.TIMED_WAITING || !closing.get(0).isAlive());
		});

		only(this.store.acquires).reply(GRANTED);

		assertFailed(acquisition);
		only(this.store.releases).reply(true);
		await().until(() -> !closing.get(0).isAlive());
		assertThat(this.store.log).containsExactly("acquire", "release", "close");
	}

	private Acquisition<BlockingHandle> acquire(LockOptions options) {
		return this.calls.acquireForThread(this.engine, TARGET, this.engine.settings(TARGET, options));
	}

	private LockHandle granted(LockOptions options) {
		Acquisition<BlockingHandle> acquisition = acquire(options);
		last(this.store.acquires).reply(GRANTED);
		return lock(acquisition);
	}

	private static void assertFailed(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Failed.class);
	}

	private static LockHandle lock(Acquisition<BlockingHandle> acquisition) {
		assertThat(acquisition.outcome().getNow(null)).isInstanceOf(AcquireOutcome.Acquired.class);
		return EngineCalls.lock(acquisition);
	}

	/**
	 * Release and reply. The release runs on another thread, because it waits for the
	 * reply.
	 */
	private void release(LockHandle lock) {
		CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(lock::release, OwnThread::run);
		await().until(() -> !this.store.releases.isEmpty());
		last(this.store.releases).reply(true);
		assertThat(released.join()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void listenerOfOneAcquisitionReceivesOnlyItsOwnEvents() {
		List<RecordingListener> own = new CopyOnWriteArrayList<>();
		LockListener factory = new LockListener() {

			@Override
			public LockListener acquiring(LockTarget target) {
				own.add(new RecordingListener());
				return own.get(own.size() - 1);
			}

		};
		LockEngine engine = new LockEngine(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(this.timer).listeners(List.of(factory, this.listener)));
		AcquireSettings settings = engine.settings(TARGET, LockOptions.options().retry(0));
		Acquisition<BlockingHandle> first = this.calls.acquire(engine, LockTarget.of("first"), settings);
		Acquisition<BlockingHandle> second = this.calls.acquire(engine, LockTarget.of("second"), settings);
		this.calls.acquire(engine, LockTarget.of("first"), settings);

		EngineCalls.lock(second).release();

		assertThat(first.outcome()).isCompleted();
		assertThat(own).extracting((listener) -> String.join(", ", listener.events))
			.containsExactly("acquired", "acquired, released RELEASED", "refused");
		assertThat(this.listener.events).containsExactly("acquired", "acquired", "refused", "released RELEASED");
	}

	private void replyAllFor(Duration duration) {
		for (int i = 0; i < 100; i++) {
			this.store.acquires.stream()
				.filter((question) -> !question.future().isDone())
				.forEach((question) -> question.reply(HELD));
			this.clock.advance(duration.dividedBy(100));
		}
		this.clock.advance(duration.minus(duration.dividedBy(100).multipliedBy(100)));
		this.store.acquires.stream()
			.filter((question) -> !question.future().isDone())
			.forEach((question) -> question.reply(HELD));
	}

	private String requestId() {
		return this.store.acquires.get(0).requestId();
	}

	private LockEngine engine(LockConfiguration configuration) {
		return new LockEngine(this.store, configuration.timer(this.timer).listeners(List.of(this.listener)));
	}

	/**
	 * Interrupts each wait for a reply, but only once the reply is there.
	 */
	private static final class InterruptedAfterTheReply implements SystemResources.Waiting {

		@Override
		public boolean await(CompletableFuture<Void> done, Duration limit) {
			return done.isDone();
		}

		@Override
		public <T> T get(CompletableFuture<T> reply) throws InterruptedException {
			reply.join();
			throw new InterruptedException();
		}

	}

	/**
	 * Fails in every way.
	 */
	private static final class ThrowingListener implements LockListener {

		@Override
		public LockListener acquiring(LockTarget target) {
			throw new IllegalStateException("test");
		}

		@Override
		public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
			throw new AssertionError("test");
		}

		@Override
		public void renewed(HeldLock lock) {
			throw new IllegalStateException("test");
		}

		@Override
		public void renewalFailed(HeldLock lock, LockStoreException failure) {
			throw new NoClassDefFoundError("test");
		}

		@Override
		public void lost(HeldLock lock, LockLostException loss) {
			throw new IllegalStateException("test");
		}

		@Override
		public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
			throw new AssertionError("test");
		}

	}

}
