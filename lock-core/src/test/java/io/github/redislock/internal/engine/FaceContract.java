package io.github.redislock.internal.engine;

import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

/**
 * Promises to all callers, whether they block, use futures or subscribe, tested with any
 * store in real time.
 */
@Tag("promise-13")
public abstract class FaceContract {

	static final Duration MINUTE = Duration.ofMinutes(1);

	static final Duration SOON = Duration.ofSeconds(20);

	static final LockOptions ONCE = LockOptions.options().retry(0);

	final String name = "contract:" + UUID.randomUUID();

	final LockTarget target = LockTarget.of(this.name);

	/**
	 * If the store has a queue, waiters do not depend on polling. After a failure, such
	 * as a slow first reply, they pause for that long.
	 */
	final LockOptions patient = LockOptions.options()
		.waitTime(MINUTE)
		.retryDelay(handsOver() ? Duration.ofSeconds(5) : Duration.ofMillis(50));

	final List<LockTemplate> templates = new CopyOnWriteArrayList<>();

	final RecordingListener listener = new RecordingListener();

	CountingStore store;

	LockTemplate template;

	/** A caller of this thread. */
	private AsyncLockOperations face;

	/** Callers that share nothing with this thread and that it does not wait for. */
	private AsyncLockOperations callers;

	/**
	 * Return a store; all stores of one test share their locks.
	 */
	protected abstract LockStore createStore();

	/**
	 * Return whether the store has a queue, in which each instance waits with one
	 * request.
	 */
	protected boolean handsOver() {
		return true;
	}

	/**
	 * Return the API that callers of this thread use, adapted to futures.
	 */
	abstract AsyncLockOperations face(LockTemplate template);

	/**
	 * Return the API that other callers use, adapted to futures.
	 */
	AsyncLockOperations callers(LockTemplate template) {
		return face(template);
	}

	/**
	 * Return how many callers may wait at once.
	 */
	int crowd() {
		return 2_000;
	}

	/**
	 * Wait until that many callers are in the local queue.
	 */
	void awaitQueued(int count) {
		await().until(() -> this.template.waiting() == count);
	}

	@BeforeEach
	void openTemplate() {
		this.store = new CountingStore(createStore());
		this.template = template(this.store,
				LockConfiguration.defaults().instance("this-one").listeners(List.of(this.listener)));
		this.face = face(this.template);
		this.callers = callers(this.template);
	}

	@AfterEach
	void closeTemplates() {
		// The interrupt flag of a test must not reach the next.
		Thread.interrupted();
		this.templates.forEach(LockTemplate::close);
	}

	// Acquiring a lock

	@Test
	void freeLockIsGrantedUntilItsRelease() throws Exception {
		assertThat(get(this.face.inspect(this.target))).isEmpty();
		AsyncLockHandle lock = get(this.face.acquire(this.target));

		assertThat(lock.isHeld()).isTrue();
		assertThat(get(lock.verify())).isTrue();
		assertThat(lock.name()).isEqualTo(this.name);
		assertThat(lock.target()).isEqualTo(this.target);
		assertThat(lock.remaining()).isPositive();
		assertThat(lock.fencingToken()).isPositive();
		assertThat(lock.toString()).contains(this.name).doesNotContain(lock.owner());
		assertThat(get(this.face.isLocked(this.target))).isTrue();
		assertThat(get(this.face.inspect(this.target))).hasValueSatisfying((state) -> {
			assertThat(state.name()).isEqualTo(this.name);
			assertThat(state.owner()).isEqualTo(lock.owner());
			assertThat(state.holder()).isEqualTo("this-one");
			assertThat(state.fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(state.toString()).doesNotContain(lock.owner());
		});

		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(lock.isHeld()).isFalse();
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		assertThat(get(this.face.inspect(this.target))).isEmpty();
		awaitIdle();
	}

	@Test
	void tryAcquireWaitsOnlyIfItsOwnOptionsRequestIt() throws Exception {
		LockOptions lease = LockOptions.options().timeout(MINUTE).retryDelay(Duration.ofMillis(10));
		AsyncLockOperations patient = callers(
				template(createStore(), LockConfiguration.defaults().options(LockOptions.options().waitTime(MINUTE))));
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		this.store.reset();
		long begin = System.nanoTime();

		assertThat(get(this.callers.tryAcquire(this.target))).isNull();
		assertThat(get(this.callers.tryAcquire(this.target, lease))).isNull();
		assertThat(get(patient.tryAcquire(this.target, lease))).isNull();
		assertThat(this.store.calls("acquire")).isEqualTo(2);
		assertThat(since(begin)).isLessThan(SOON);

		begin = System.nanoTime();
		assertThat(get(patient.tryAcquire(this.target, lease.retry(10)))).isNull();
		assertThat(get(patient.tryAcquire(this.target, lease.waitTime(Duration.ofMillis(100))))).isNull();
		assertThat(since(begin)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		get(held.close());
	}

	@Test
	void refusalReportsHolderGrantTimeAndRemainingTime() throws Exception {
		LockTemplate other = template("the-other");
		// Long enough for a slow connection.
		Duration lease = Duration.ofMinutes(10);
		try (LockHandle lock = other.acquire(this.target, LockOptions.options().timeout(lease))) {

			Throwable failure = failure(this.face.acquire(this.target, ONCE));

			assertThat(failure).isInstanceOfSatisfying(LockNotAcquiredException.class, (refused) -> {
				assertThat(refused.getTarget()).isEqualTo(this.target);
				assertThat(refused.getLockName()).isEqualTo(this.name);
				assertThat(refused.getMessage()).doesNotContain(lock.owner());
				LockState holder = refused.getHolder();
				assertThat(holder).isNotNull();
				assertThat(holder.holder()).isEqualTo("the-other");
				assertThat(holder.owner()).isNull();
				assertThat(holder.shortOwner()).as("too little to release the lock with")
					.isEqualTo(OwnerTokens.shortened(lock.owner()))
					.startsWith("the-other/")
					.hasSizeLessThan(lock.owner().length());
				assertThat(holder.since()).isNotNull();
				assertThat(holder.freeIn()).isBetween(lease, lease.plusSeconds(30));
				assertThat(holder.fencingToken()).isEqualTo(lock.fencingToken());
			});
			assertThat(get(this.face.tryAcquire(this.target))).isNull();
			assertThat(lock.isHeld()).isTrue();
		}
		awaitIdle();
	}

	@Test
	void storeFailureFailsTheCall() throws Exception {
		AsyncLockOperations broken = face(template(new BrokenStore(createStore()), LockConfiguration.defaults()));

		assertThat(failure(broken.acquire(this.target, ONCE))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.tryAcquire(this.target, ONCE))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.execute(this.target, ONCE, () -> done("never"))))
			.isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.inspect(this.target))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.forceRelease(this.target))).isInstanceOf(LockStoreException.class);
	}

	@Test
	@SuppressWarnings("NullAway")
	void missingTargetIsRefused() throws Exception {
		LockTarget nothing = null;
		List<Callable<CompletableFuture<?>>> calls = List.of(() -> this.face.acquire(nothing),
				() -> this.face.tryAcquire(nothing), () -> this.face.execute(nothing, () -> done("never")),
				() -> this.face.tryExecute(nothing, () -> done("never")));

		assertThat(calls).allSatisfy(FaceContract::refused);
		assertThatIllegalArgumentException().isThrownBy(() -> this.template.acquire(nothing))
			.withMessage("lock target must not be null");
		assertThat(this.store.calls()).isZero();
		get(this.face.execute(this.target, () -> {
			assertThat(calls).allSatisfy(FaceContract::refused);
			return done("under another lock");
		}));
	}

	@Test
	void tryExecuteRunsTheWorkUnderTheLockIfItIsFree() throws Exception {
		AtomicReference<LockState> during = new AtomicReference<>();

		assertThat(get(this.face.tryExecute(this.target, () -> {
			this.template.inspect(this.target).ifPresent(during::set);
			return done("a result that is not told");
		}))).isTrue();

		assertThat(during.get()).isNotNull();
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	@Test
	void tryExecuteOfABusyLockReturnsFalseWithoutRunningTheWork() throws Exception {
		AtomicInteger runs = new AtomicInteger();
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		this.store.reset();

		assertThat(get(this.callers.tryExecute(this.target, () -> done(runs.incrementAndGet())))).isFalse();
		assertThat(this.store.calls("acquire")).isEqualTo(1);
		assertThat(get(this.callers.tryExecute(this.target, LockOptions.options().waitTime(Duration.ofMillis(20)),
				() -> done(runs.incrementAndGet()))))
			.isFalse();

		assertThat(runs).hasValue(0);
		get(held.close());
		awaitIdle();
	}

	@Test
	void tryExecuteFailsIfItsWorkFails() throws Exception {
		LockNotAcquiredException refusedWithin = new LockNotAcquiredException(LockTarget.of("another"), Duration.ZERO,
				Duration.ZERO, null, null, null, null);

		assertThat(failure(this.face.tryExecute(this.target, () -> CompletableFuture.failedFuture(refusedWithin))))
			.isSameAs(refusedWithin);

		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	// Waiting

	@Test
	void unlimitedWaitEndsImmediatelyAfterALocalRelease() throws Exception {
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		// Far longer than this test, so only the release can wake the waiter.
		CompletableFuture<AsyncLockHandle> waiting = this.callers.acquire(this.target,
				LockOptions.options().waitForever().retryDelay(Duration.ofSeconds(30)));
		awaitQueued(1);

		get(held.close());

		get(get(waiting).close());
		awaitIdle();
	}

	@Test
	void waiterOfAnotherTemplateAcquiresAfterTheRelease() throws Exception {
		AsyncLockHandle held = get(this.face.acquire(this.target));
		CompletableFuture<AsyncLockHandle> waiter = callers(template("the-other")).acquire(this.target,
				this.patient.retryDelay(Duration.ofMillis(20)));

		get(held.release());

		assertThat(get(waiter).isHeld()).isTrue();
		get(get(waiter).close());
	}

	@Test
	void manyWaitersAreServedOneAtATime() throws Exception {
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		int[] counter = new int[1];
		List<CompletableFuture<String>> waiters = IntStream.range(0, crowd())
			.mapToObj((i) -> this.callers.execute(this.target, this.patient, () -> {
				counter[0]++;
				return done("done");
			}))
			.toList();

		get(held.close());
		awaitAll(waiters);

		assertThat(counter[0]).isEqualTo(crowd());
		awaitIdle();
	}

	// A limit on waiting

	@Test
	void callersBeyondTheLimitAreRefusedAtOnceAndTheOthersAreServedInOrder() throws Exception {
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		LockOptions limited = this.patient.maxWaiters(2);
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
		for (int i = 0; i < 2; i++) {
			int number = i;
			waiters.add(this.callers.execute(this.target, limited, () -> done(served.add(number))));
			awaitQueued(number + 1);
		}
		this.store.reset();

		for (int i = 0; i < 20; i++) {
			assertThat(failure(this.callers.acquire(this.target, limited))).isInstanceOfSatisfying(
					LockNotAcquiredException.class, (refused) -> assertRefusedAtOnce(refused, held.owner()));
			assertThat(failure(this.callers.execute(this.target, limited, () -> done(served.add(2)))))
				.isInstanceOf(LockNotAcquiredException.class);
			assertThat(get(this.callers.tryAcquire(this.target, limited))).isNull();
			assertThat(get(this.callers.tryExecute(this.target, limited, () -> done(served.add(2))))).isFalse();
		}

		assertThat(this.store.calls("acquire")).isZero();
		assertThat(this.template.local().refusedAtOnce()).isEqualTo(80);
		assertThat(this.template.waiting()).isEqualTo(2);
		get(held.close());
		awaitAll(waiters);
		assertThat(served).containsExactly(0, 1);
		assertThat(this.listener.events).doesNotContain("refused").filteredOn("refused at once"::equals).hasSize(80);
		awaitIdle();
	}

	private void assertRefusedAtOnce(LockNotAcquiredException refused, String owner) {
		assertThat(refused.getWaitingCallers()).isEqualTo(2);
		assertThat(refused.getWaited()).isLessThan(SOON);
		assertThat(refused.getRetryAfter()).isNull();
		assertThat(refused.getHolder()).isNotNull();
		assertThat(refused.getHolder().shortOwner()).isEqualTo(OwnerTokens.shortened(owner));
		assertThat(refused.getHolder().owner()).isNull();
		assertThat(refused).hasMessageContaining("'%s' not acquired: 2 or more callers of this instance wait",
				this.name);
	}

	@Test
	void callerDoesNotWaitIfMaxWaitersIsZero() throws Exception {
		LockOptions none = this.patient.maxWaiters(0);
		AsyncLockHandle held = get(this.callers.acquire(this.target, none));

		assertThat(failure(this.callers.acquire(this.target, none))).isInstanceOf(LockNotAcquiredException.class);
		assertThat(get(this.callers.tryAcquire(this.target, none))).isNull();

		get(held.close());
		get(get(this.callers.acquire(this.target, none)).close());
		awaitIdle();
	}

	@Test
	void reentryIsNotRefusedByMaxWaiters() throws Exception {
		LockOptions one = this.patient.maxWaiters(1);
		AtomicReference<CompletableFuture<AsyncLockHandle>> waiter = new AtomicReference<>();
		CompletableFuture<List<AsyncLockHandle>> work = this.face.execute(this.target, one, (outer) -> {
			OwnThread.run(() -> waiter.set(this.callers.acquire(this.target, one)));
			awaitQueued(1);
			return all(List.of(this.face.acquire(this.target, one), this.face.tryAcquire(this.target, one),
					this.face.acquire(this.target, one.maxWaiters(0))))
				.thenCompose((inner) -> CompletableFuture
					.allOf(inner.stream().map(AsyncLockHandle::close).toArray(CompletableFuture[]::new))
					.thenApply((closed) -> inner));
		});

		assertThat(get(work)).hasSize(3);
		get(get(waiter.get()).close());
		awaitIdle();
	}

	// Cancelling a wait

	@Test
	void timedOutWaitersLeaveTheQueueToTheNextWaiter() throws Exception {
		AsyncLockHandle held = get(this.callers.acquire(this.target));
		List<CompletableFuture<AsyncLockHandle>> impatient = IntStream.range(0, 5)
			.mapToObj(
					(i) -> this.callers.tryAcquire(this.target, this.patient.waitTime(Duration.ofMillis(50 + 10 * i))))
			.toList();
		CompletableFuture<AsyncLockHandle> waiter = this.callers.acquire(this.target, this.patient);

		for (CompletableFuture<AsyncLockHandle> each : impatient) {
			assertThat(get(each)).isNull();
		}
		get(held.release());

		assertThat(get(waiter).isHeld()).isTrue();
		get(get(waiter).close());
	}

	@Test
	void cancelledWaiterLeavesTheQueueToTheNextWaiter() throws Exception {
		waiterLeavesTheQueueToTheNext((waiter) -> waiter.cancel(true));
	}

	void waiterLeavesTheQueueToTheNext(Consumer<CompletableFuture<?>> givingUp) throws Exception {
		LockHandle held = template("the-other").acquire(this.target, this.patient);
		CompletableFuture<AsyncLockHandle> leaving = this.callers.acquire(this.target, this.patient);
		awaitQueued(1);
		awaitWaiters(1);

		givingUp.accept(leaving);

		assertThat(leaving).isDone();
		awaitWaiters(0);
		awaitIdle();
		CompletableFuture<AsyncLockHandle> next = callers(template("the-next")).acquire(this.target, this.patient);
		awaitWaiters(1);
		held.release();
		get(get(next).close());
	}

	@Test
	void workOfACancelledWaiterNeverStarts() throws Exception {
		workOfAWaiterThatStoppedWaitingNeverStarts((waiter) -> waiter.cancel(true));
	}

	void workOfAWaiterThatStoppedWaitingNeverStarts(Consumer<CompletableFuture<?>> givingUp) throws Exception {
		AsyncLockHandle held = get(this.callers.acquire(this.target, this.patient));
		AtomicBoolean begun = new AtomicBoolean();
		CompletableFuture<String> leaving = this.callers.execute(this.target, this.patient, () -> {
			begun.set(true);
			return done("never");
		});
		awaitQueued(1);

		givingUp.accept(leaving);
		awaitQueued(0);
		get(held.close());

		get(this.callers.execute(this.target, this.patient, () -> done("next")));
		awaitIdle();
		assertThat(begun).isFalse();
	}

	// Work under a lock

	@Test
	void lockIsHeldUntilTheWorkHasEnded() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<AsyncLockHandle> given = new AtomicReference<>();
		CompletableFuture<String> result = this.callers.execute(this.target, this.patient, (lock) -> {
			given.set(lock);
			return work;
		});

		await().untilAtomic(given, (lock) -> assertThat(lock).isNotNull());
		assertThat(given.get().isHeld()).isTrue();
		assertThat(get(this.face.isLocked(this.target))).isTrue();
		assertThat(result).isNotDone();
		work.complete("done");

		assertThat(get(result)).isEqualTo("done");
		assertThat(given.get().isHeld()).isFalse();
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	@Test
	void resultIsDeliveredOnlyAfterTheLockIsFree() throws Exception {
		AsyncLockOperations other = face(template("the-other"));
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Boolean> free = this.face.execute(this.target, () -> done("done"))
				.thenCompose((done) -> other.tryAcquire(this.target))
				.thenCompose((lock) -> (lock != null) ? lock.close().thenApply((closed) -> true) : done(false));

			assertThat(get(free)).isTrue();
		}
	}

	@Test
	void workMayReturnNothing() throws Exception {
		assertThat(get(this.face.<@Nullable String>execute(this.target, () -> CompletableFuture.completedFuture(null))))
			.isNull();
		awaitIdle();
	}

	@Test
	void failureOfTheWorkIsPropagatedAndFreesTheLock() throws Exception {
		IOException failure = new IOException("disk full");
		IllegalStateException thrown = new IllegalStateException("work");

		assertThat(failure(this.face.execute(this.target, () -> CompletableFuture.failedFuture(failure))))
			.isSameAs(failure);
		assertThat(failure(this.face.execute(this.target, () -> {
			throw thrown;
		}))).isSameAs(thrown);

		assertThat(failure).hasNoSuppressedExceptions();
		assertThat(thrown).hasNoSuppressedExceptions();
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	@Test
	void fencingTokensGrow() throws Exception {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			// Also across blocking and other callers.
			long token = (i % 2 == 0)
					? get(this.face.execute(this.target, this.patient, (lock) -> done(lock.fencingToken())))
					: this.template.execute(this.name, () -> LockContext.current().fencingToken());
			assertThat(token).isGreaterThan(last);
			last = token;
		}
	}

	// Reentry

	@Test
	void nestedWorkReentersTheLockInsideAnotherLock() throws Exception {
		CompletableFuture<Long> inner = this.face.execute(this.target, this.patient,
				(outer) -> this.face.execute(LockTarget.of(this.name + ":b"), this.patient,
						(between) -> this.face.execute(this.target, this.patient, (again) -> {
							assertThat(again.fencingToken()).isEqualTo(outer.fencingToken());
							return done(again.fencingToken());
						})));

		assertThat(get(inner)).isPositive();
		assertThat(this.store.calls("acquire")).isEqualTo(2);
		awaitIdle();
	}

	@Test
	void reentryNeedsNoStoreRequest() throws Exception {
		List<AsyncLockHandle> entered = get(this.face.execute(this.target, this.patient, this::reenter));

		assertThat(entered).hasSize(3);
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	@Test
	void callerWithAnotherOwnerTokenDoesNotReenter() throws Exception {
		AsyncLockHandle entered = get(this.face.execute(this.target, this.patient,
				(lock) -> this.face.tryAcquire(this.target, ONCE.owner("job-17"))));

		assertThat(entered).isNull();
		awaitIdle();
	}

	@Test
	void nonReentrantLockIsNotReentered() throws Exception {
		LockOptions once = ONCE.reentrant(false);

		AsyncLockHandle within = get(this.face.execute(this.target, this.patient,
				(outer) -> whileHeld(outer, this.face.tryAcquire(this.target, once))));
		AsyncLockHandle withinUnshared = get(
				this.face.execute(this.target, once, (outer) -> whileHeld(outer, this.face.tryAcquire(this.target))));

		assertThat(within).isNull();
		assertThat(withinUnshared).isNull();
		awaitIdle();
	}

	@Test
	void anotherCallerDoesNotReenter() throws Exception {
		AsyncLockHandle lock = get(this.face.acquire(this.target));

		assertThat(get(this.callers.tryAcquire(this.target))).isNull();
		assertThat(get(face(template("the-other")).tryAcquire(this.target))).isNull();

		assertThat(lock.isHeld()).isTrue();
		get(lock.close());
	}

	// The handle

	@Test
	void releasingTwiceReturnsTheSameOutcome() throws Exception {
		AsyncLockHandle lock = get(this.face.acquire(this.target));
		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);
		AsyncLockHandle next = get(this.callers.acquire(this.target));

		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);
		get(lock.close());

		assertThat(get(next.verify())).isTrue();
		get(next.close());
	}

	@Test
	@Tag("promise-processes-release")
	void releaseAfterTheLeaseRanOutReportsLoss() throws Exception {
		AsyncLockHandle lock = get(
				this.face.acquire(this.target, this.patient.timeout(Duration.ofMillis(300)).autoRenew(false)));
		await().until(() -> !lock.isHeld());

		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(failure(lock.close())).isInstanceOf(LockLostException.class)
			.hasMessageContaining("its lease ran out and no renewal was confirmed in time");
	}

	@Test
	void intervalLongerThanHalfOfTheLeaseIsRefused() {
		LockOptions options = LockOptions.options().timeout(MINUTE).renewEvery(Duration.ofSeconds(31));

		refused(() -> this.face.acquire(this.target, options)).hasMessage(
				"Lock '%s' with a lease of 1m needs time for a second renewal if one is lost: renewEvery (at least"
						+ " 100ms) must be at most 30s but is 31s",
				this.name);
		refused(() -> this.face.tryAcquire(this.target, options));
		assertThat(this.store.calls()).isZero();
	}

	@Test
	void extensionAddsToTheLeaseAndRenewalReplacesIt() throws Exception {
		AsyncLockHandle lock = get(this.face.acquire(this.target, LockOptions.options().timeout(MINUTE)));

		get(lock.extend(MINUTE));
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(110), Duration.ofSeconds(119));
		assertThat(stored()).isBetween(Duration.ofSeconds(110), Duration.ofSeconds(127));
		get(lock.renew(Duration.ofSeconds(20)));
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(12), Duration.ofSeconds(20));
		assertThat(stored()).isBetween(Duration.ofSeconds(12), Duration.ofSeconds(21));
		get(lock.renew());
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(50), MINUTE);

		get(lock.close());
	}

	@Test
	void extendingOrRenewingAReleasedLockFails() throws Exception {
		AsyncLockHandle lock = get(this.face.acquire(this.target));
		get(lock.release());

		assertThat(failure(lock.extend(MINUTE))).isInstanceOf(IllegalStateException.class);
		assertThat(failure(lock.renew(MINUTE))).isInstanceOf(IllegalStateException.class);
		assertThat(failure(lock.renew())).isInstanceOf(IllegalStateException.class);
		assertThat(get(lock.verify())).isFalse();
		assertThat(lock.remaining()).isZero();
	}

	@Test
	void invalidLeaseIsRejected() throws Exception {
		AsyncLockHandle lock = get(this.face.acquire(this.target));

		refused(() -> lock.extend(Duration.ofSeconds(-1)))
			.hasMessage("extend(additional) must be at least 1ms but is -1s");
		refused(() -> lock.extend(Duration.ofSeconds(Long.MAX_VALUE)))
			.hasMessage("extend(additional) must be at most 3650d but is forever");
		refused(() -> lock.extend(Duration.ofDays(3_650)))
			.hasMessageMatching("the lease after extend\\(additional\\) must be at most 3650d but is 3650d.*");
		refused(() -> lock.renew(Duration.ZERO)).hasMessage("renew(lease) must be at least 10ms but is 0ms");
		refused(() -> lock.renew(Duration.ofDays(4_000))).hasMessage("renew(lease) must be at most 3650d but is 4000d");

		assertThat(lock.isHeld()).isTrue();
		get(lock.close());
	}

	@Test
	@Tag("promise-locks-without-end")
	void lockThatNeverExpiresReportsForeverAndCannotBeRenewed() throws Exception {
		LockOptions endless = LockOptions.options().waitTime(Duration.ofSeconds(Long.MAX_VALUE)).neverExpires();
		AsyncLockHandle lock = get(this.face.acquire(this.target, endless));

		assertThat(lock.remaining()).isEqualTo(ChronoUnit.FOREVER.getDuration());
		assertThat(stored()).isEqualTo(ChronoUnit.FOREVER.getDuration());
		assertThat(failure(lock.extend(MINUTE))).isInstanceOf(IllegalStateException.class);
		assertThat(failure(lock.renew())).isInstanceOf(IllegalStateException.class);
		assertThat(failure(face(template("the-other")).acquire(this.target, ONCE))).isInstanceOfSatisfying(
				LockNotAcquiredException.class,
				(refused) -> assertThat(refused.getHolder()).isNotNull()
					.extracting(LockState::freeIn)
					.isEqualTo(ChronoUnit.FOREVER.getDuration()));
		assertThat(this.store.calls("renew")).isZero();

		get(lock.close());
		assertThat(get(this.face.isLocked(this.target))).isFalse();
		awaitIdle();
	}

	@Test
	void lockIsResumedByItsOwnerToken() throws Exception {
		LockOptions job = LockOptions.options().timeout(MINUTE).owner("job-17");
		AsyncLockHandle lock = get(this.face.acquire(this.target, job));

		AsyncLockHandle resumed = get(face(template("the-other")).acquire(this.target, job.retry(0)));

		if (handsOver()) {
			assertThat(resumed.fencingToken()).isEqualTo(lock.fencingToken());
		}
		else {
			// A server of a quorum that granted the lock late may have a greater token.
			assertThat(resumed.fencingToken()).isGreaterThanOrEqualTo(lock.fencingToken());
		}
		assertThat(get(resumed.release())).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(get(lock.verify())).isFalse();
		get(lock.release());
	}

	// Loss

	@Test
	void forcedReleaseTakesTheLockOnlyFromTheInspectedHolder() throws Exception {
		AsyncLockOperations operator = face(template("operator"));
		AsyncLockHandle former = get(this.face.acquire(this.target));
		LockState seen = get(operator.inspect(this.target)).orElseThrow();
		get(former.close());
		AsyncLockHandle present = get(this.face.acquire(this.target));

		assertThat(get(operator.forceRelease(this.target, seen))).isFalse();
		assertThat(get(present.verify())).isTrue();

		seen = get(operator.inspect(this.target)).orElseThrow();
		assertThat(get(operator.forceRelease(this.target, seen))).isTrue();
		assertThat(get(present.verify())).isFalse();
		assertThat(get(present.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	@Test
	void forcedReleaseIsReportedToTheHolderAsALoss() throws Exception {
		AtomicInteger losses = new AtomicInteger();
		AsyncLockHandle lock = get(this.face.acquire(this.target));
		lock.onLost(losses::incrementAndGet);

		assertThat(get(face(template("operator")).forceRelease(this.target))).isTrue();
		assertThat(get(this.face.forceRelease(this.target))).as("free").isFalse();

		assertThat(get(lock.verify())).isFalse();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThat(get(lock.verify())).isFalse();
		await().until(() -> losses.get() == 1);
		assertThat(failure(lock.renew())).isInstanceOf(LockLostException.class);
		assertThat(failure(lock.close())).isInstanceOf(LockLostException.class);
		assertThat(failure(lock.close())).isInstanceOf(LockLostException.class);
		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(losses).hasValue(1);
		await().untilAsserted(
				() -> assertThat(this.listener.events).containsExactly("acquired", "lost", "released NOT_HELD"));
		awaitIdle();
	}

	@Test
	void lossIsReportedAfterSuccessfulWork() throws Exception {
		CompletableFuture<String> result = this.face.execute(this.target, this.patient,
				(lock) -> lose(lock).thenApply((lost) -> "done"));

		assertThat(failure(result)).isInstanceOfSatisfying(LockLostException.class,
				(lost) -> assertThat(lost.getLockName()).isEqualTo(this.name));
		awaitIdle();
	}

	@Test
	void lossIsSuppressedInTheFailureOfTheWork() throws Exception {
		CompletableFuture<String> result = this.face.execute(this.target, this.patient,
				(lock) -> lose(lock).thenApply((lost) -> {
					throw new IllegalStateException("work");
				}));

		assertThat(failure(result)).isInstanceOf(IllegalStateException.class)
			.hasMessage("work")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(LockLostException.class));
		awaitIdle();
	}

	@Test
	void ignoredLossIsNeitherThrownNorSuppressed() throws Exception {
		LockOptions ignoring = this.patient.onLost(OnLost.IGNORE);

		String result = get(this.face.execute(this.target, ignoring, (lock) -> lose(lock).thenApply((lost) -> "done")));
		assertThat(result).isEqualTo("done");
		assertThat(failure(this.face.execute(this.target, ignoring, (lock) -> lose(lock).thenApply((lost) -> {
			throw new IllegalStateException("work");
		})))).hasMessage("work").hasNoSuppressedExceptions();
		AsyncLockHandle lock = get(this.face.acquire(this.target, ignoring));
		get(lose(lock));
		get(lock.close());
		awaitIdle();
	}

	// Closing the template

	@Test
	void closingEndsWaitsReleasesLocksAndRefusesLaterCalls() throws Exception {
		LockTemplate closing = template("closing");
		AsyncLockOperations calls = callers(closing);
		AsyncLockHandle held = get(calls.acquire(this.target));
		CompletableFuture<Void> told = new CompletableFuture<>();
		held.onLost(() -> told.complete(null));
		LockHandle blocker = this.template.acquire(LockTarget.of(this.name + ":2"));
		List<CompletableFuture<?>> waiters = List.of(calls.acquire(this.target, this.patient),
				calls.tryAcquire(LockTarget.of(this.name + ":2"), this.patient),
				calls.execute(this.target, this.patient, () -> done("never")));
		await().until(() -> closing.waiting() == 3);

		closing.close();

		for (CompletableFuture<?> waiter : waiters) {
			assertThat(failure(waiter)).isInstanceOf(LockShutdownException.class);
		}
		assertThat(held.isHeld()).isFalse();
		get(told);
		assertThat(get(held.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(failure(held.close())).isInstanceOf(LockLostException.class)
			.hasMessageContaining("this instance shut down while it was held");
		assertThat(this.template.isLocked(this.target)).isFalse();
		assertThat(failure(calls.acquire(this.target))).isInstanceOf(LockShutdownException.class);
		assertThat(failure(calls.execute(this.target, () -> done("never")))).isInstanceOf(LockShutdownException.class);
		blocker.close();
		assertThat(this.template.isLocked(LockTarget.of(this.name + ":2"))).isFalse();
	}

	/**
	 * Lose a lock, and return a future that completes when the loss is known.
	 */
	CompletableFuture<Boolean> lose(AsyncLockHandle lock) {
		return face(template("thief")).forceRelease(lock.target()).thenCompose((released) -> lock.verify());
	}

	/**
	 * Return for how long the store still keeps the lock.
	 */
	final Duration stored() {
		return this.template.inspect(this.target).orElseThrow().freeIn();
	}

	final void awaitWaiters(int count) {
		await().until(() -> waiters() == count);
	}

	final long waiters() {
		return handsOver() ? this.template.inspect(this.target).map(LockState::waiters).orElse(0L)
				: this.templates.stream().filter((instance) -> instance.waiting() > 0).count();
	}

	final void awaitIdle() {
		await().until(this.template::isIdle);
	}

	final LockTemplate template(String instance) {
		return template(createStore(), LockConfiguration.defaults().instance(instance));
	}

	final LockTemplate template(LockStore store, LockConfiguration configuration) {
		LockTemplate created = new LockTemplate(store, configuration);
		this.templates.add(created);
		return created;
	}

	static Duration since(long begin) {
		return Duration.ofNanos(System.nanoTime() - begin);
	}

	static <T> CompletableFuture<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
	}

	static void awaitAll(List<? extends CompletableFuture<?>> all) {
		CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
			.handle((done, failure) -> true)
			.orTimeout(1, TimeUnit.MINUTES)
			.join();
	}

	/**
	 * Return why a call fails: the cause that the future itself failed with.
	 */
	static Throwable failure(CompletableFuture<?> future) {
		try {
			Object value = get(future);
			throw new AssertionError("expected a failure but it is " + value);
		}
		catch (ExecutionException ex) {
			return ex.getCause();
		}
		catch (CancellationException | CompletionException ex) {
			return ex;
		}
		catch (Exception ex) {
			throw new AssertionError(ex);
		}
	}

	private CompletableFuture<List<AsyncLockHandle>> reenter(AsyncLockHandle outer) {
		this.store.reset();
		CompletableFuture<List<AsyncLockHandle>> entered = all(List.of(this.face.acquire(this.target, ONCE),
				this.face.tryAcquire(this.target), this.face.tryAcquire(this.target, ONCE.owner(outer.owner()))));
		return entered.thenCompose((locks) -> {
			for (AsyncLockHandle inner : locks) {
				assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
				assertThat(inner.owner()).isEqualTo(outer.owner());
				assertThat(inner.isHeld()).isTrue();
			}
			CompletableFuture<Void> closed = CompletableFuture
				.allOf(locks.stream().map(AsyncLockHandle::close).toArray(CompletableFuture[]::new));
			return closed.thenApply((done) -> {
				assertThat(this.store.calls()).isZero();
				assertThat(outer.isHeld()).isTrue();
				return locks;
			});
		});
	}

	private static CompletableFuture<AsyncLockHandle> whileHeld(AsyncLockHandle outer,
			CompletableFuture<AsyncLockHandle> reply) {
		return reply.whenComplete((inner, failure) -> assertThat(outer.isHeld()).isTrue());
	}

	/**
	 * Check that a call is refused for its arguments, either immediately or by its
	 * result.
	 */
	private static AbstractThrowableAssert<?, ?> refused(Callable<CompletableFuture<?>> call) {
		Throwable refusal;
		try {
			refusal = failure(call.call());
		}
		catch (Exception ex) {
			refusal = ex;
		}
		return assertThat(refusal).isInstanceOf(IllegalArgumentException.class);
	}

	private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> futures) {
		return CompletableFuture.allOf(futures.toArray(CompletableFuture[]::new))
			.thenApply((done) -> futures.stream().map(CompletableFuture::join).toList());
	}

	/**
	 * A store that cannot be reached, and for which a retry does not help.
	 */
	private static final class BrokenStore extends CountingStore {

		BrokenStore(LockStore store) {
			super(store);
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			return CompletableFuture.failedFuture(outage());
		}

		@Override
		public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
			return CompletableFuture.failedFuture(outage());
		}

		@Override
		public CompletionStage<Boolean> forceRelease(LockTarget target, @Nullable LockState seen) {
			throw outage();
		}

		private static LockStoreException outage() {
			return new LockStoreException(LockTarget.of("any"), "the store is away", null, false, false);
		}

	}

}
