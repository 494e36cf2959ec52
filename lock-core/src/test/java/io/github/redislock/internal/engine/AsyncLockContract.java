package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Additional promises to callers that use futures, tested with any store in real time.
 */
@Tag("promise-13")
public abstract class AsyncLockContract extends FaceContract {

	private AsyncLockOperations locks;

	@Override
	AsyncLockOperations face(LockTemplate template) {
		return template.async();
	}

	@BeforeEach
	void useTemplate() {
		this.locks = this.template.async();
	}

	// Acquiring a lock

	@Test
	void invalidTargetsAndLeasesAreRejectedImmediately() throws Exception {
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(LockTarget.of(" ")));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.locks.execute(LockTarget.of(""), () -> done("never")));
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.inspect(LockTarget.of("a\nb")));
		assertThat(this.store.calls()).isZero();

		AsyncLockHandle lock = get(this.locks.acquire(this.target));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.extend(Duration.ofSeconds(-1)));
		assertThatIllegalArgumentException().isThrownBy(() -> lock.renew(Duration.ZERO));
		get(lock.close());
	}

	@Test
	void interruptedThreadMayAcquireAndStaysInterrupted() throws Exception {
		Thread.currentThread().interrupt();
		CompletableFuture<String> result = this.locks.execute(this.target, () -> done("done"));
		assertThat(Thread.interrupted()).isTrue();

		assertThat(get(result)).isEqualTo("done");
	}

	// Cancelling a wait

	@ParameterizedTest
	@EnumSource(GivingUp.class)
	void waiterThatStopsWaitingLeavesTheQueueToTheNext(GivingUp way) throws Exception {
		waiterLeavesTheQueueToTheNext(way.end);
	}

	@ParameterizedTest
	@EnumSource(GivingUp.class)
	void workOfAWaiterThatStoppedWaitingNeverStarts(GivingUp way) throws Exception {
		workOfAWaiterThatStoppedWaitingNeverStarts(way.end);
	}

	@Test
	void randomCancellationsKeepExclusionAndLeaveNoLockHeld() throws Exception {
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
					? caller.acquire(this.target, this.patient).thenCompose((lock) -> {
						granted.incrementAndGet();
						return lock.release();
					}) : caller.execute(this.target, this.patient, () -> {
						violations.addAndGet((inside.incrementAndGet() == 1) ? 0 : 1);
						granted.incrementAndGet();
						return CompletableFuture.runAsync(inside::decrementAndGet,
								(random.nextInt(3) == 0) ? OwnThread::run : Runnable::run);
					});
			all.add(result);
			if (random.nextBoolean()) {
				// Only the future itself, not one derived from it, cancels the
				// acquisition.
				CompletableFuture<?> victim = caller.execute(this.target, this.patient, () -> done("short"));
				all.add(victim);
				int spins = random.nextInt(5_000);
				OwnThread.run(() -> {
					for (int spin = 0; spin < spins; spin++) {
						Thread.onSpinWait();
					}
					victim.cancel(true);
				});
				CompletableFuture<AsyncLockHandle> second = caller.acquire(this.target, this.patient);
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
		assertThat(get(this.locks.isLocked(this.target))).isFalse();
	}

	@Test
	void cancelledWaitIsReportedAsCancelled() throws Exception {
		AsyncLockHandle held = get(this.locks.acquire(this.target, this.patient));

		this.locks.acquire(this.target, this.patient).cancel(true);

		await().untilAsserted(
				() -> assertThat(this.listener.events).containsExactly("acquired", "failed LockCancelledException"));
		get(held.close());
	}

	// Work under a lock

	@Test
	void failureErrorAndNullFutureOfTheWorkFailTheResult() {
		IllegalStateException failure = new IllegalStateException("work");

		assertThat(failure(this.locks.execute(this.target, () -> CompletableFuture.supplyAsync(() -> {
			throw failure;
		}, OwnThread::run)))).isSameAs(failure);
		assertThat(failure).hasNoSuppressedExceptions();
		assertThat(failure(this.locks.execute(this.target, () -> {
			throw new StackOverflowError("work");
		}))).isInstanceOf(StackOverflowError.class);
		assertThat(failure(this.locks.execute(this.target, () -> null))).isInstanceOf(NullPointerException.class)
			.hasMessageContaining("null instead of a future");
		awaitIdle();
	}

	@Test
	void resultOfCancelledWorkFailsWithCancellationException() {
		CompletableFuture<String> cancelled = new CompletableFuture<>();
		cancelled.cancel(true);

		assertThat(failure(this.locks.execute(this.target, () -> cancelled))).isInstanceOf(CancellationException.class);
		awaitIdle();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void cancellingTheResultCancelsTheWorkAndFreesTheLock(boolean waits) throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<Boolean> begun = new CompletableFuture<>();
		Supplier<CompletionStage<String>> begin = () -> {
			begun.complete(true);
			return work;
		};
		CompletableFuture<?> result = waits ? this.locks.execute(this.target, begin)
				: this.locks.tryExecute(this.target, begin);
		get(begun);

		result.cancel(true);

		await().until(work::isCancelled);
		awaitIdle();
		assertThat(get(this.locks.isLocked(this.target))).isFalse();
	}

	@Test
	void workThatCannotBeCancelledKeepsTheLock() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(this.locks, () -> work.minimalCompletionStage());

		result.cancel(true);
		assertThat(get(this.locks.isLocked(this.target))).isTrue();
		work.complete("done");

		awaitIdle();
	}

	@Test
	void timeoutOfTheResultDoesNotReleaseTheLockOfTheWork() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(this.locks, () -> work);

		result.orTimeout(1, TimeUnit.MILLISECONDS);

		assertThat(failure(result)).isInstanceOf(TimeoutException.class);
		assertThat(work).isNotDone();
		assertThat(get(this.locks.isLocked(this.target))).isTrue();
		work.complete("done");
		awaitIdle();
	}

	@Test
	void failingCallbackDoesNotAffectTheResult() throws Exception {
		CompletableFuture<String> result = this.locks.execute(this.target, () -> done("done"));
		CompletableFuture<String> failing = result.whenComplete((value, failure) -> {
			throw new IllegalStateException("callback");
		});

		assertThat(get(result)).isEqualTo("done");
		assertThat(failure(failing)).hasMessage("callback");
		awaitIdle();
	}

	// The handle

	@Test
	void blockingViewControlsTheSameLock() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.target, LockOptions.options().timeout(MINUTE)));
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
		assertThatIllegalStateException().isThrownBy(blocking::renew);
		blocking.close();
		get(lock.close());
		awaitIdle();
	}

	@Test
	void closingTheBlockingViewOfALostLockFails() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.target));

		get(lose(lock));

		assertThatExceptionOfType(LockLostException.class).isThrownBy(lock.blocking()::close);
	}

	@Test
	void cancellingTheReleaseDoesNotStopIt() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.target));

		lock.release().cancel(true);

		get(get(this.locks.acquire(this.target, this.patient)).close());
		awaitIdle();
	}

	@Test
	void workMayReleaseItsOwnLock() throws Exception {
		String result = get(
				this.locks.execute(this.target, this.patient, (lock) -> lock.release().thenApply(Object::toString)));

		assertThat(result).isEqualTo("RELEASED");
		awaitIdle();
	}

	// Loss

	@Test
	void lossCancelsTheWorkIfConfigured() {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = this.locks.execute(this.target, this.patient.onLost(OnLost.INTERRUPT),
				(lock) -> {
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
	void lossDoesNotCancelTheWorkUnlessConfigured() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<CompletableFuture<Boolean>> lost = new AtomicReference<>();
		CompletableFuture<String> result = this.locks.execute(this.target, this.patient, (lock) -> {
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
	void lossFailsTheResultAndLeavesNoLockInTheContext() {
		CompletableFuture<String> result = this.locks.execute(this.target, this.patient, (lock) -> {
			LockContext.requireHeld();
			return lose(lock).thenApply((lost) -> lock.call(() -> {
				lock.call(() -> "a part within a part");
				LockContext.requireHeld();
				return "not reached";
			}));
		});

		assertThat(failure(result)).isInstanceOf(LockLostException.class);
		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
	}

	// Nested work

	@Test
	void workFindsItsLockInTheContext() throws Exception {
		String result = get(this.locks.execute(this.target, this.patient, (lock) -> {
			assertThat(LockContext.current().fencingToken()).isEqualTo(lock.fencingToken());
			assertThat(LockContext.current().verify()).isTrue();
			return CompletableFuture.supplyAsync(() -> {
				assertThatIllegalStateException().isThrownBy(LockContext::current);
				return lock.call(() -> LockContext.current().name());
			}, OwnThread::run);
		}));

		assertThat(result).isEqualTo(this.name);
		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void nestedBlockingWorkReentersTheLock() throws Exception {
		long[] tokens = get(this.locks.execute(this.target, this.patient, (lock) -> done(new long[] {
				lock.fencingToken(), this.template.execute(this.name, () -> LockContext.current().fencingToken()) })));

		assertThat(tokens[1]).isEqualTo(tokens[0]);
		assertThat(this.store.calls("acquire")).isEqualTo(1);
		awaitIdle();
	}

	@Test
	void laterStageOfTheWorkReentersTheLock() throws Exception {
		CompletableFuture<String> result = this.locks.execute(
				this.target, this.patient, (
						lock) -> CompletableFuture
							.supplyAsync(
									() -> lock.call(
											() -> this.locks.execute(this.target, this.patient, () -> done("inside"))),
									OwnThread::run)
							.thenCompose((inner) -> inner));

		assertThat(get(result)).isEqualTo("inside");
		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void nestedAsyncWorkKeepsTheLockAfterTheBlockingWorkEnds() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> inner = this.template.execute(this.name, () -> {
			CompletableFuture<String> begun = this.locks.execute(this.target, this.patient, () -> work);
			assertThat(this.store.calls("acquire")).isEqualTo(1);
			return begun;
		});

		assertThat(this.template.isLocked(this.target)).isTrue();
		assertThat(inner).isNotDone();
		work.complete("done");

		assertThat(get(inner)).isEqualTo("done");
		assertThat(this.template.isLocked(this.target)).isFalse();
		awaitIdle();
	}

	@Test
	void releasedLockIsNotReenteredThroughAnOldHandle() throws Exception {
		AsyncLockHandle old = get(this.locks.acquire(this.target));
		get(old.close());
		this.store.reset();

		AsyncLockHandle fresh = get(old.call(() -> this.locks.acquire(this.target)));

		assertThat(fresh.fencingToken()).isGreaterThan(old.fencingToken());
		assertThat(this.store.calls("acquire")).isEqualTo(1);
		get(fresh.close());
	}

	@Test
	void releasedHandleOfALockThatIsHeldOnCannotRenewIt() throws Exception {
		AsyncLockHandle outer = get(this.locks.acquire(this.target));
		AsyncLockHandle inner = get(outer.call(() -> this.locks.acquire(this.target)));
		get(inner.close());

		assertThat(inner.renew()).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class)
			.withMessageContaining("was released: acquire it again");

		get(outer.renew());
		get(outer.close());
	}

	@Test
	void blockingCallerOfTheSameThreadDoesNotReenter() throws Exception {
		AsyncLockHandle lock = get(this.locks.acquire(this.target));

		assertThat(this.template.tryAcquire(this.target)).isNull();
		get(lock.close());
	}

	@Test
	void blockingAndAsyncCallersShareOneQueue() throws Exception {
		AsyncLockHandle held = get(this.locks.acquire(this.target, this.patient));
		List<Integer> served = new CopyOnWriteArrayList<>();
		List<CompletableFuture<?>> callers = new ArrayList<>();
		for (int i = 0; i < 8; i++) {
			int number = i;
			if (i % 2 == 0) {
				callers.add(this.locks.execute(this.target, this.patient, () -> done(served.add(number))));
			}
			else {
				AtomicReference<Thread> blocked = new AtomicReference<>();
				callers.add(CompletableFuture.runAsync(() -> {
					blocked.set(Thread.currentThread());
					this.template.execute(this.target, this.patient, () -> served.add(number));
				}, OwnThread::run));
				awaitQueued(number + 1);
				await().until(() -> blocked.get().getState() == Thread.State.WAITING);
			}
			awaitQueued(number + 1);
		}

		get(held.close());
		awaitAll(callers);

		assertThat(served).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
		awaitIdle();
	}

	// Closing the template

	@Test
	void closingFailsInterruptibleWorkAndReleasesItsLock() throws Exception {
		LockTemplate closing = template("closing");
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<String> working = closing.async()
			.execute(this.target, this.patient.onLost(OnLost.INTERRUPT), (lock) -> {
				begun.complete(null);
				return new CompletableFuture<>();
			});
		get(begun);

		closing.close();

		assertThat(failure(working)).isInstanceOf(LockLostException.class);
		assertThat(this.template.isLocked(this.target)).isFalse();
	}

	@Test
	void closingWaitsForWorkToEnd() throws Exception {
		LockTemplate closing = template(createStore(), LockConfiguration.defaults().closeWait(MINUTE));
		CompletableFuture<String> work = new CompletableFuture<>();
		CompletableFuture<String> result = begin(closing.async(), () -> work);
		CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close, OwnThread::run);

		await().until(() -> failure(closing.async().tryAcquire(this.target)) instanceof LockShutdownException);
		assertThat(closed).isNotDone();
		work.complete("done");

		assertThat(get(result)).isEqualTo("done");
		get(closed);
	}

	/**
	 * Start work under the lock, and return once the work has begun, which is some time
	 * after the grant.
	 */
	private CompletableFuture<String> begin(AsyncLockOperations operations, Supplier<CompletionStage<String>> work)
			throws Exception {
		CompletableFuture<Void> begun = new CompletableFuture<>();
		CompletableFuture<String> result = operations.execute(this.target, () -> {
			begun.complete(null);
			return work.get();
		});
		get(begun);
		return result;
	}

	/**
	 * The other ways in which a future may complete before its lock is acquired.
	 */
	enum GivingUp {

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
