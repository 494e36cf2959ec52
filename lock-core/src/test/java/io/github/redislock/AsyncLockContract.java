package io.github.redislock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

import io.github.redislock.testing.OwnThread;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * What callers who wait with a future are promised, whatever the store: with real time.
 */
public abstract class AsyncLockContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration SOON = Duration.ofSeconds(20);

	/** Far longer than any test asks again by itself. */
	private final String name = "async:" + UUID.randomUUID();

	/** Where there is a queue, nobody is served by asking again. */
	private final LockOptions patient = LockOptions.defaults()
		.waitTime(MINUTE)
		.retryDelay(handsOver() ? MINUTE : Duration.ofMillis(50));

	private final List<LockTemplate> templates = new ArrayList<>();

	private final Executor threads = (task) -> {
		Thread thread = new Thread(task, "caller");
		thread.setDaemon(true);
		thread.start();
	};

	private CountingStore store;

	private LockTemplate template;

	private AsyncLockOperations locks;

	/**
	 * Return a store; all stores of one test share their locks.
	 */
	protected abstract LockStore createStore();

	/**
	 * Return whether the store has a queue, in which one request of an instance waits.
	 */
	protected boolean handsOver() {
		return true;
	}

	@BeforeEach
	void openTemplate() {
		this.store = new CountingStore(createStore());
		this.template = template(this.store, LockConfiguration.defaults().instance("this-one"));
		this.locks = this.template.async();
	}

	@AfterEach
	void closeTemplates() {
		Thread.interrupted();
		this.templates.forEach(LockTemplate::close);
	}

	// Asking for a lock

	@Test
	void freeLockIsGrantedUntilItsRelease() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name));

		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.name()).isEqualTo(this.name);
		assertThat(lock.remaining()).isPositive();
		assertThat(lock.fencingToken()).isPositive();
		assertThat(lock.toString()).contains(this.name).doesNotContain(lock.owner());
		assertThat(get(this.locks.isLocked(this.name))).isTrue();
		assertThat(get(this.locks.inspect(this.name))).hasValueSatisfying((state) -> {
			assertThat(state.owner()).isEqualTo(lock.owner());
			assertThat(state.holder()).isEqualTo("this-one");
			assertThat(state.fencingToken()).isEqualTo(lock.fencingToken());
		});

		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(lock.isHeld()).isFalse();
		assertThat(get(this.locks.isLocked(this.name))).isFalse();
		assertThat(get(this.locks.inspect(this.name))).isEmpty();
		awaitIdle();
	}

	@Test
	void refusalTellsWhoHoldsTheLock() throws Exception {
		LockTemplate other = template("the-other");
		try (LockHandle held = other.acquire(this.name, LockOptions.timeout(MINUTE))) {
			CompletableFuture<AsyncLockHandle> refused = this.locks.acquire(this.name, LockOptions.defaults().retry(0));

			assertThat(failure(refused)).isInstanceOfSatisfying(LockNotAcquiredException.class, (failure) -> {
				assertThat(failure.getLockName()).isEqualTo(this.name);
				assertThat(failure).hasMessageContaining("held by the-other since ");
				assertThat(failure.getHolder()).extracting(LockState::fencingToken).isEqualTo(held.fencingToken());
			});
			assertThat(get(this.locks.tryAcquire(this.name))).isNull();
			assertThat(get(this.locks.tryAcquire(this.name, LockOptions.defaults().waitTime(Duration.ofMillis(50)))))
				.isNull();
			AtomicBoolean begun = new AtomicBoolean();
			assertThat(failure(this.locks.execute(this.name, LockOptions.defaults().retry(0), () -> {
				begun.set(true);
				return done("never");
			}))).isInstanceOf(LockNotAcquiredException.class);
			assertThat(begun).isFalse();
		}
		awaitIdle();
	}

	@Test
	void tryAcquireAnswersTheLockWhenFree() throws Exception {
		AsyncLockHandle lock = get(this.locks.tryAcquire(this.name));

		assertThat(lock).isNotNull();
		assertThat(get(lock.verify())).isTrue();
		get(lock.close());
	}

	@Test
	void storeThatDoesNotAnswerFailsTheFuture() {
		AsyncLockOperations broken = template(new BrokenStore(createStore()), LockConfiguration.defaults()).async();
		LockOptions once = LockOptions.defaults().retry(0);

		assertThat(failure(broken.acquire(this.name, once))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.tryAcquire(this.name, once))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.execute(this.name, once, () -> done("never"))))
			.isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.inspect(this.name))).isInstanceOf(LockStoreException.class);
		assertThat(failure(broken.forceRelease(this.name))).isInstanceOf(LockStoreException.class);
	}

	@Test
	void whatNoStoreHasToBeAskedAboutIsRefusedAtOnce() throws Exception {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(" "));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.execute("", () -> done("never")));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.inspect("a\nb"));
		assertThat(this.store.calls()).isZero();

		AsyncLockHandle lock = get(this.locks.acquire(this.name));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ofSeconds(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ofSeconds(Long.MAX_VALUE)));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.renew(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.renew(Duration.ofSeconds(Long.MAX_VALUE)));
		assertThat(lock.isHeld()).isTrue();
		get(lock.close());
	}

	@Test
	void interruptedThreadAsksAndStaysInterrupted() throws Exception {
		Thread.currentThread().interrupt();
		CompletableFuture<String> result = this.locks.execute(this.name, () -> done("done"));
		assertThat(Thread.interrupted()).isTrue();

		assertThat(get(result)).isEqualTo("done");
	}

	@Test
	void longestWaitAndLeaseAreTaken() throws Exception {
		LockOptions endless = LockOptions.defaults().waitTime(Duration.ofSeconds(Long.MAX_VALUE)).neverExpires();

		AsyncLockHandle lock = get(this.locks.acquire(this.name, endless));

		assertThat(failure(lock.renew())).isInstanceOf(IllegalStateException.class)
			.hasMessageContaining("never expires");
		get(lock.close());
		awaitIdle();
	}

	// Giving up

	@ParameterizedTest
	@EnumSource(GivingUp.class)
	void waiterThatGivesUpLeavesTheQueueToTheNext(GivingUp way) throws Exception {
		LockTemplate other = template("the-other");
		LockHandle held = other.acquire(this.name, this.patient);
		CompletableFuture<AsyncLockHandle> leaving = this.locks.acquire(this.name, this.patient);
		awaitWaiters(1);

		way.end.accept(leaving);

		assertThat(leaving).isDone();
		awaitWaiters(0);
		awaitIdle();
		CompletableFuture<AsyncLockHandle> next = template("the-next").async().acquire(this.name, this.patient);
		awaitWaiters(1);
		held.release();
		get(get(next).close());
	}

	@ParameterizedTest
	@EnumSource(GivingUp.class)
	void workOfAWaiterThatGaveUpNeverBegins(GivingUp way) throws Exception {
		AsyncLockHandle held = get(this.locks.acquire(this.name, this.patient));
		AtomicBoolean begun = new AtomicBoolean();
		CompletableFuture<String> leaving = this.locks.execute(this.name, this.patient, () -> {
			begun.set(true);
			return done("never");
		});

		way.end.accept(leaving);
		get(held.close());

		get(this.locks.execute(this.name, this.patient, () -> done("next")));
		awaitIdle();
		assertThat(begun).isFalse();
	}

	@Test
	void grantThatCrossesACancellationIsLetGo() throws Exception {
		AsyncLockOperations other = template("the-other").async();
		Random random = new Random(42);
		List<CompletableFuture<?>> all = new ArrayList<>();
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger granted = new AtomicInteger();
		AtomicInteger violations = new AtomicInteger();
		int rounds = handsOver() ? 4_000 : 400;
		for (int i = 0; i < rounds; i++) {
			AsyncLockOperations caller = (random.nextInt(4) == 0) ? other : this.locks;
			CompletableFuture<?> result = random.nextBoolean()
					? caller.acquire(this.name, this.patient).thenCompose((lock) -> {
						granted.incrementAndGet();
						return lock.release();
					}) : caller.execute(this.name, this.patient, () -> {
						violations.addAndGet((inside.incrementAndGet() == 1) ? 0 : 1);
						granted.incrementAndGet();
						return CompletableFuture.runAsync(inside::decrementAndGet,
								this.threadsOrHere(random.nextInt(3)));
					});
			all.add(result);
			if (random.nextBoolean()) {
				// Only what was not derived tells the lock of its cancellation.
				CompletableFuture<?> victim = caller.execute(this.name, this.patient, () -> done("short"));
				all.add(victim);
				int spins = random.nextInt(5_000);
				this.threads.execute(() -> {
					for (int spin = 0; spin < spins; spin++) {
						Thread.onSpinWait();
					}
					victim.cancel(true);
				});
				CompletableFuture<AsyncLockHandle> second = caller.acquire(this.name, this.patient);
				all.add(second);
				second.thenCompose(AsyncLockHandle::release);
				if (random.nextBoolean()) {
					second.cancel(random.nextBoolean());
				}
			}
			if (i % 100 == 99) {
				awaitAll(all);
				all.clear();
			}
		}

		awaitIdle();
		assertThat(violations).hasValue(0);
		assertThat(granted).hasPositiveValue();
		assertThat(get(this.locks.isLocked(this.name))).isFalse();
	}

	// Work under a lock

	@Test
	void lockIsHeldUntilTheFutureOfTheWorkHasCompleted() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<AsyncLockHandle> given = new AtomicReference<>();
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name), this.patient, (lock) -> {
			given.set(lock);
			return work;
		});

		await().untilAtomic(given, (lock) -> assertThat(lock).isNotNull());
		assertThat(given.get().isHeld()).isTrue();
		assertThat(get(this.locks.isLocked(this.name))).isTrue();
		assertThat(result).isNotDone();
		work.complete("done");

		assertThat(get(result)).isEqualTo("done");
		assertThat(given.get().isHeld()).isFalse();
		assertThat(get(this.locks.isLocked(this.name))).isFalse();
		awaitIdle();
	}

	@Test
	void resultCompletesOnlyAfterTheLockIsFree() throws Exception {
		AsyncLockOperations other = template("the-other").async();
		for (int i = 0; i < 100; i++) {
			CompletableFuture<Boolean> free = this.locks.execute(this.name, () -> done("done"))
				.thenCompose((done) -> other.tryAcquire(this.name))
				.thenCompose((lock) -> (lock != null) ? lock.close().thenApply((closed) -> true) : done(false));

			assertThat(get(free)).isTrue();
		}
	}

	@Test
	void failureOfTheWorkIsTheResultAndFreesTheLock() {
		IllegalStateException failure = new IllegalStateException("work");

		assertThat(failure(this.locks.execute(this.name, () -> CompletableFuture.failedFuture(failure))))
			.isSameAs(failure);
		assertThat(failure(this.locks.execute(this.name, () -> CompletableFuture.supplyAsync(() -> {
			throw failure;
		}, OwnThread::run)))).isSameAs(failure);
		assertThat(failure(this.locks.execute(this.name, () -> {
			throw failure;
		}))).isSameAs(failure);
		assertThat(failure).hasNoSuppressedExceptions();
		assertThat(failure(this.locks.execute(this.name, () -> {
			throw new StackOverflowError("work");
		}))).isInstanceOf(StackOverflowError.class);
		assertThat(failure(this.locks.execute(this.name, () -> null))).isInstanceOf(NullPointerException.class)
			.hasMessageContaining("no future");
		awaitIdle();
	}

	@Test
	void workMayAnswerNullAndMayCancelItself() throws Exception {
		assertThat(get(this.locks.<@Nullable String>execute(this.name, () -> CompletableFuture.completedFuture(null))))
			.isNull();
		CompletableFuture<String> cancelled = new CompletableFuture<>();
		cancelled.cancel(true);

		assertThat(failure(this.locks.execute(this.name, () -> cancelled))).isInstanceOf(CancellationException.class);
		awaitIdle();
	}

	@Test
	void cancellingTheResultCancelsTheWorkAndFreesTheLock() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(this.locks, () -> work);

		result.cancel(true);

		await().until(work::isCancelled);
		awaitIdle();
		assertThat(get(this.locks.isLocked(this.name))).isFalse();
	}

	@Test
	void workThatDoesNotLetItselfBeCancelledKeepsTheLock() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(this.locks, () -> work.minimalCompletionStage());

		result.cancel(true);
		assertThat(get(this.locks.isLocked(this.name))).isTrue();
		work.complete("done");

		awaitIdle();
	}

	@Test
	void resultGivenUpInAnotherWayLeavesTheWorkItsLock() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(this.locks, () -> work);

		result.orTimeout(1, TimeUnit.MILLISECONDS);

		assertThat(failure(result)).isInstanceOf(TimeoutException.class);
		assertThat(work).isNotDone();
		assertThat(get(this.locks.isLocked(this.name))).isTrue();
		work.complete("done");
		awaitIdle();
	}

	@Test
	void failingCallbackOfTheResultHarmsNobody() throws Exception {
		CompletableFuture<String> result = this.locks.execute(this.name, () -> done("done"));
		CompletableFuture<String> failing = result.whenComplete((value, failure) -> {
			throw new IllegalStateException("callback");
		});

		assertThat(get(result)).isEqualTo("done");
		assertThat(failure(failing)).hasMessage("callback");
		awaitIdle();
	}

	@Test
	void fencingTokensGrowAlsoBetweenBlockingAndAsynchronousHolders() throws Exception {
		long last = 0;
		for (int i = 0; i < 20; i++) {
			long token = (i % 2 == 0)
					? get(this.locks.execute(LockTarget.of(this.name), this.patient,
							(lock) -> done(lock.fencingToken())))
					: this.template.execute(this.name, () -> LockContext.current().fencingToken());
			assertThat(token).isGreaterThan(last);
			last = token;
		}
	}

	// The handle

	@Test
	void leaseIsExtendedRenewedAndVerified() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name, LockOptions.timeout(MINUTE)));

		get(lock.extend(MINUTE));
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(105), Duration.ofSeconds(119));
		get(lock.renew(Duration.ofSeconds(40)));
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(40));
		get(lock.renew());
		assertThat(lock.remaining()).isBetween(Duration.ofSeconds(45), MINUTE);
		assertThat(get(lock.verify())).isTrue();
		LockHandle blocking = lock.blocking();
		blocking.extend(MINUTE);
		blocking.renew();
		blocking.renew(MINUTE.multipliedBy(2));
		blocking.detach();
		assertThat(blocking.verify()).isTrue();
		assertThat(blocking.remaining()).isBetween(Duration.ofSeconds(105), Duration.ofSeconds(119));
		assertThat(blocking.fencingToken()).isEqualTo(lock.fencingToken());

		assertThat(blocking.release()).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(lock.isHeld()).isFalse();
		assertThat(get(lock.verify())).isFalse();
		assertThat(failure(lock.extend(MINUTE))).isInstanceOf(IllegalStateException.class)
			.hasMessage("Lock '%s' was released: acquire it again", this.name);
		assertThat(failure(lock.renew())).isInstanceOf(IllegalStateException.class);
		assertThatIllegalStateException().isThrownBy(blocking::renew);
		awaitIdle();
	}

	@Test
	void releasingTwiceIsHarmlessAndAnswersTheSame() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name));
		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);
		AsyncLockHandle next = get(this.locks.acquire(this.name));

		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.RELEASED);
		get(lock.close());
		lock.blocking().close();

		assertThat(get(next.verify())).isTrue();
		get(next.close());
	}

	@Test
	void cancellingTheReleaseDoesNotStopIt() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name));

		lock.release().cancel(true);

		get(get(this.locks.acquire(this.name, this.patient)).close());
		awaitIdle();
	}

	@Test
	void workMayLetItsLockGoItself() throws Exception {
		String result = get(this.locks.execute(LockTarget.of(this.name), this.patient,
				(lock) -> lock.release().thenApply(Object::toString)));

		assertThat(result).isEqualTo("RELEASED");
		awaitIdle();
	}

	@Test
	void forcedReleaseIsALossForTheHolder() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name));
		CompletableFuture<String> told = new CompletableFuture<>();
		lock.onLost(() -> {
			throw new IllegalStateException("an action that fails");
		});
		lock.onLost(() -> told.complete("told"));

		assertThat(get(template("operator").async().forceRelease(this.name))).isTrue();
		assertThat(get(this.locks.forceRelease(this.name))).isFalse();

		assertThat(get(lock.verify())).isFalse();
		assertThat(get(told)).isEqualTo("told");
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.remaining()).isZero();
		assertThat(failure(lock.renew())).isInstanceOf(LockLostException.class);
		assertThat(get(lock.release())).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(failure(lock.close())).isInstanceOf(LockLostException.class)
			.hasMessageContaining("released by force");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.blocking()::close);
		awaitIdle();
	}

	// Loss

	@Test
	void lossIsTheResultOfWorkThatEndedWell() {
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name), this.patient,
				(lock) -> lose(lock).thenApply((lost) -> "done"));

		assertThat(failure(result)).isInstanceOf(LockLostException.class);
		awaitIdle();
	}

	@Test
	void lossIsSuppressedInTheFailureOfTheWork() {
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name), this.patient,
				(lock) -> lose(lock).thenApply((lost) -> {
					throw new IllegalStateException("work");
				}));

		assertThat(failure(result)).hasMessage("work")
			.satisfies((failure) -> assertThat(failure.getSuppressed()).singleElement()
				.isInstanceOf(LockLostException.class));
	}

	@Test
	void ignoredLossIsNeitherResultNorSuppressed() throws Exception {
		LockOptions ignoring = this.patient.onLost(OnLost.IGNORE);

		String result = get(this.locks.execute(LockTarget.of(this.name), ignoring,
				(lock) -> lose(lock).thenApply((lost) -> "done")));
		assertThat(result).isEqualTo("done");
		assertThat(failure(
				this.locks.execute(LockTarget.of(this.name), ignoring, (lock) -> lose(lock).thenApply((lost) -> {
					throw new IllegalStateException("work");
				}))))
			.hasMessage("work")
			.hasNoSuppressedExceptions();
		AsyncLockHandle lock = get(this.locks.acquire(this.name, ignoring));
		get(lose(lock));
		get(lock.close());
		awaitIdle();
	}

	@Test
	void lossCancelsTheWorkWhereThatIsWanted() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name),
				this.patient.onLost(OnLost.INTERRUPT), (lock) -> {
					lose(lock);
					return work;
				});

		assertThat(failure(result)).isInstanceOf(LockLostException.class)
			.satisfies((lost) -> assertThat(lost.getSuppressed()).singleElement()
				.isInstanceOf(CancellationException.class));
		assertThat(work).isCancelled();
		awaitIdle();
	}

	@Test
	void lossDoesNotCancelTheWorkWhereThatIsNotWanted() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<CompletableFuture<Boolean>> lost = new AtomicReference<>();
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name), this.patient, (lock) -> {
			lost.set(lose(lock));
			return work;
		});

		await().untilAtomic(lost, (begun) -> assertThat(begun).isNotNull());
		get(lost.get());
		assertThat(work).isNotDone();
		assertThat(result).isNotDone();
		work.complete("done");

		assertThat(failure(result)).isInstanceOf(LockLostException.class);
	}

	@Test
	void partOfWorkWhoseLockWasLostIsToldSo() {
		CompletableFuture<String> result = this.locks.execute(LockTarget.of(this.name), this.patient, (lock) -> {
			LockContext.requireHeld();
			return lose(lock).thenApply((lost) -> lock.call(() -> {
				lock.call(() -> "a part within a part");
				LockContext.requireHeld();
				return "not reached";
			}));
		});

		assertThat(failure(result)).isInstanceOf(LockLostException.class);
		LockContext.requireHeld();
	}

	// Within a lock

	@Test
	void workFindsItsLockInTheContext() throws Exception {
		String result = get(this.locks.execute(LockTarget.of(this.name), this.patient, (lock) -> {
			assertThat(LockContext.current().fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(LockContext.current().verify()).isTrue();
			return CompletableFuture.supplyAsync(() -> {
				assertThatIllegalStateException().isThrownBy(LockContext::current);
				return lock.call(() -> LockContext.current().name());
			}, this.threads);
		}));

		assertThat(result).isEqualTo(this.name);
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void blockingWorkWithinEntersTheSameLock() throws Exception {
		long[] tokens = get(this.locks.execute(LockTarget.of(this.name), this.patient, (lock) -> done(new long[] {
				lock.fencingToken(), this.template.execute(this.name, () -> LockContext.current().fencingToken()) })));

		assertThat(tokens[1]).isEqualTo(tokens[0]);
		assertThat(this.store.calls("acquire")).isEqualTo(1);
		awaitIdle();
	}

	@Test
	void asynchronousWorkWithinEntersTheSameLock() throws Exception {
		CompletableFuture<Long> inner = this.locks.execute(LockTarget.of(this.name), this.patient,
				(outer) -> this.locks.execute(LockTarget.of(this.name + ":b"), this.patient,
						(between) -> this.locks.execute(LockTarget.of(this.name), this.patient, (again) -> {
							assertThat(again.fencingToken()).isEqualTo(outer.fencingToken());
							return done(again.fencingToken());
						})));

		assertThat(get(inner)).isPositive();
		assertThat(this.store.calls("acquire")).isEqualTo(2);
		awaitIdle();
	}

	@Test
	void laterPartOfTheWorkEntersTheSameLock() throws Exception {
		CompletableFuture<String> result = this.locks.execute(
				LockTarget.of(this.name), this.patient, (
						lock) -> CompletableFuture
							.supplyAsync(
									() -> lock
										.call(() -> this.locks.execute(this.name, this.patient, () -> done("inside"))),
									this.threads)
							.thenCompose((inner) -> inner));

		assertThat(get(result)).isEqualTo("inside");
		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void asynchronousWorkWithinABlockingOneKeepsTheLockAfterIt() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> inner = this.template.execute(this.name, () -> {
			CompletableFuture<String> begun = this.locks.execute(this.name, this.patient, () -> work);
			assertThat(this.store.calls("acquire")).isEqualTo(1);
			return begun;
		});

		assertThat(this.template.isLocked(this.name)).isTrue();
		assertThat(inner).isNotDone();
		work.complete("done");

		assertThat(get(inner)).isEqualTo("done");
		assertThat(this.template.isLocked(this.name)).isFalse();
		awaitIdle();
	}

	@Test
	void endedLockIsNotEnteredThroughAnOldHandle() throws Exception {
		AsyncLockHandle old = get(this.locks.acquire(this.name));
		get(old.close());
		this.store.reset();

		AsyncLockHandle fresh = get(old.call(() -> this.locks.acquire(this.name)));

		assertThat(fresh.fencingToken()).isGreaterThan(old.fencingToken());
		assertThat(this.store.calls("acquire")).isEqualTo(1);
		get(fresh.close());
	}

	@Test
	void lockThatIsNotReentrantIsNotEnteredAgain() throws Exception {
		LockOptions once = LockOptions.defaults().retry(0).reentrant(false);

		AsyncLockHandle within = get(this.locks.execute(LockTarget.of(this.name), this.patient,
				(lock) -> this.locks.tryAcquire(this.name, once)));
		AsyncLockHandle withinUnshared = get(
				this.locks.execute(LockTarget.of(this.name), once, (lock) -> this.locks.tryAcquire(this.name)));

		assertThat(within).isNull();
		assertThat(withinUnshared).isNull();
		awaitIdle();
	}

	@Test
	void whoeverHasNoContextWaits() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.name));

		assertThat(get(this.locks.tryAcquire(this.name))).isNull();
		assertThat(this.template.tryAcquire(this.name)).isNull();
		get(lock.close());
	}

	@Test
	void blockingAndAsynchronousCallersShareOneLine() throws Exception {
		AsyncLockHandle held = get(this.locks.acquire(this.name, this.patient));
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<?>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			callers.add((i % 2 == 0) ? this.locks.execute(this.name, this.patient, () -> done(served.add(number)))
					: CompletableFuture.runAsync(
							() -> this.template.execute(this.name, this.patient, () -> served.add(number)),
							this.threads));
			await().until(() -> this.template.waiting() == number + 1);
		}

		get(held.close());
		awaitAll(callers);

		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		awaitIdle();
	}

	@Test
	void manyWaitersAreAllServedOneAfterTheOther() {
		AsyncLockHandle held = this.locks.acquire(this.name, this.patient).join();
		int[] counter = new int[1];
		List<CompletableFuture<String>> callers = IntStream.range(0, 2_000)
			.mapToObj((i) -> this.locks.execute(this.name, this.patient, () -> {
				counter[0]++;
				return done("done");
			}))
			.toList();

		held.close().join();
		awaitAll(callers);

		assertThat(counter[0]).isEqualTo(2_000);
		awaitIdle();
	}

	// The end of the template

	@Test
	void closingTellsWaitersAndHolders() throws Exception {
		LockTemplate closing = template("closing");
		AsyncLockOperations operations = closing.async();
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> working = operations.execute(LockTarget.of(this.name),
				this.patient.onLost(OnLost.INTERRUPT), (lock) -> work);
		AsyncLockHandle held = get(operations.acquire(this.name + ":2"));
		List<CompletableFuture<?>> waiters = List.of(operations.acquire(this.name, this.patient),
				operations.tryAcquire(this.name + ":2", this.patient),
				operations.execute(this.name, this.patient, () -> done("never")));
		await().until(() -> closing.waiting() == 3);

		closing.close();

		waiters.forEach((waiter) -> assertThat(failure(waiter)).isInstanceOf(LockInterruptedException.class)
			.hasMessageContaining("shutting down"));
		assertThat(failure(working)).isInstanceOf(LockLostException.class);
		assertThat(failure(held.close())).isInstanceOf(LockLostException.class);
		assertThat(failure(operations.acquire(this.name))).isInstanceOf(LockInterruptedException.class);
		assertThat(failure(operations.execute(this.name, () -> done("never"))))
			.isInstanceOf(LockInterruptedException.class);
		assertThat(this.template.isLocked(this.name)).isFalse();
		assertThat(this.template.isLocked(this.name + ":2")).isFalse();
	}

	@Test
	void closingWaitsAWhileForWorkThatEnds() throws Exception {
		LockTemplate closing = template(createStore(), LockConfiguration.defaults().closeWait(MINUTE));
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(closing.async(), () -> work);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close, this.threads);

		await().until(() -> failure(closing.async().tryAcquire(this.name)) instanceof LockInterruptedException);
		assertThat(closed).isNotDone();
		work.complete("done");

		assertThat(get(result)).isEqualTo("done");
		get(closed);
	}

	/**
	 * Work under the lock, and go on when the work has begun: the lock is held in the
	 * store some time before.
	 */
	private CompletableFuture<String> begin(AsyncLockOperations operations, Supplier<CompletionStage<String>> work)
			throws Exception {
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<String> result = operations.execute(this.name, () -> {
			begun.complete(null);
			return work.get();
		});
		get(begun);
		return result;
	}

	/**
	 * Lose a lock, and answer when that is known.
	 */
	private CompletableFuture<Boolean> lose(AsyncLockHandle lock) {
		return template("thief").async().forceRelease(lock.name()).thenCompose((released) -> lock.verify());
	}

	private Executor threadsOrHere(int choice) {
		return (choice == 0) ? this.threads : Runnable::run;
	}

	private void awaitWaiters(int count) {
		await().until(() -> waiters() == count);
	}

	private long waiters() throws Exception {
		return handsOver() ? get(this.locks.inspect(this.name)).map(LockState::waiters).orElse(0L)
				: this.templates.stream().filter((instance) -> instance.waiting() > 0).count();
	}

	private void awaitIdle() {
		await().until(this.template::isIdle);
	}

	private LockTemplate template(String instance) {
		return template(createStore(), LockConfiguration.defaults().instance(instance));
	}

	private synchronized LockTemplate template(LockStore store, LockConfiguration configuration) {
		LockTemplate created = new LockTemplate(store, configuration);
		this.templates.add(created);
		return created;
	}

	private static void awaitAll(List<? extends CompletableFuture<?>> all) {
		CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
			.handle((done, failure) -> true)
			.orTimeout(1, TimeUnit.MINUTES)
			.join();
	}

	private static <T> CompletableFuture<T> done(T value) {
		return CompletableFuture.completedFuture(value);
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
	}

	private static Throwable failure(CompletableFuture<?> future) {
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

	/**
	 * Cannot be reached, and it is no use to try again.
	 */
	private static final class BrokenStore extends CountingStore {

		BrokenStore(LockStore store) {
			super(store);
		}

		@Override
		public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
			return CompletableFuture.failedFuture(outage());
		}

		@Override
		public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
			return CompletableFuture.failedFuture(outage());
		}

		@Override
		public CompletionStage<Boolean> forceRelease(LockTarget target) {
			throw outage();
		}

		private static LockStoreException outage() {
			return new LockStoreException("any", "the store is away", null, false, false);
		}

	}

	/**
	 * In which ways a future may end before its lock is there.
	 */
	enum GivingUp {

		CANCEL((future) -> future.cancel(true)),

		TIME_OUT((future) -> {
			future.orTimeout(1, TimeUnit.MILLISECONDS);
			await().until(future::isDone);
		}),

		FAIL((future) -> future.completeExceptionally(new IllegalStateException("enough"))),

		COMPLETE((future) -> future.complete(null));

		private final Consumer<CompletableFuture<?>> end;

		GivingUp(Consumer<CompletableFuture<?>> end) {
			this.end = end;
		}

	}

}
