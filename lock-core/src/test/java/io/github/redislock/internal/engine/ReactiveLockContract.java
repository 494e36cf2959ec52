package io.github.redislock.internal.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.HeldLock;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.reactive.ReactiveLockContext;
import io.github.redislock.reactive.ReactiveLockHandle;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

/**
 * Additional promises to reactive callers, tested with any store in real time. Reactor
 * must not drop any error.
 */
@Tag("promise-13")
public abstract class ReactiveLockContract extends FaceContract {

	private final List<Throwable> dropped = new CopyOnWriteArrayList<>();

	private ReactiveLockOperations locks;

	@Override
	AsyncLockOperations face(LockTemplate template) {
		return new ReactiveFace(new ReactiveLockTemplate(template));
	}

	@BeforeEach
	void useTemplate() {
		Hooks.onErrorDropped(this.dropped::add);
		this.locks = new ReactiveLockTemplate(this.template);
	}

	@AfterEach
	void nothingIsLeftOrDropped() {
		try {
			awaitIdle();
			assertThat(this.dropped).as("errors dropped by Reactor").isEmpty();
		}
		finally {
			Hooks.resetOnErrorDropped();
		}
	}

	// Subscriptions

	@Test
	void nothingRunsWithoutASubscription() {
		AtomicBoolean begun = new AtomicBoolean();

		this.locks.acquire(this.target);
		this.locks.tryAcquire(this.target);
		this.locks.execute(this.target, Mono.fromRunnable(() -> begun.set(true)));
		this.locks.execute(this.target, Flux.defer(() -> {
			begun.set(true);
			return Flux.empty();
		}));
		this.locks.inspect(this.target);
		this.locks.forceRelease(this.target);

		assertThat(this.store.calls()).isZero();
		assertThat(begun).isFalse();
	}

	@Test
	void eachSubscriptionAcquiresTheLock() {
		Mono<Long> token = this.locks.execute(this.target, ReactiveLockContext.current().map(HeldLock::fencingToken));

		Long first = token.block(SOON);
		Long second = token.block(SOON);

		assertThat(second).isGreaterThan(first);
	}

	@Test
	void subscriptionsTakeTurns() {
		AtomicInteger inside = new AtomicInteger();
		Mono<Integer> work = this.locks.execute(this.target, this.patient,
				Mono.fromSupplier(inside::incrementAndGet)
					.delayElement(Duration.ofMillis(1))
					.doOnNext((count) -> inside.decrementAndGet()));

		StepVerifier.create(Flux.range(0, 50).flatMap((i) -> work, 50).distinct())
			.expectNext(1)
			.expectComplete()
			.verify(MINUTE);
	}

	@Test
	void workAndSignalsRunOnParallelThreads() {
		// Long enough for the subscriber to have requested the lock.
		Mono<String> work = Mono.fromSupplier(() -> Thread.currentThread().getName())
			.delayElement(Duration.ofMillis(300), Schedulers.boundedElastic());

		StepVerifier
			.create(this.locks.execute(this.target, work)
				.map((begun) -> List.of(begun, Thread.currentThread().getName())))
			.assertNext((names) -> assertThat(names).allMatch((thread) -> thread.startsWith("parallel-")))
			.expectComplete()
			.verify(SOON);
	}

	// Cancelling a wait

	@Test
	void disposingAWaiterWithdrawsItsRequest() {
		LockHandle held = template("the-other").acquire(this.target, this.patient);
		AtomicBoolean begun = new AtomicBoolean();
		List<Disposable> waiters = List.of(this.locks.acquire(this.target, this.patient).subscribe(),
				this.locks.tryAcquire(this.target, this.patient).subscribe(),
				this.locks.execute(this.target, this.patient, Mono.fromRunnable(() -> begun.set(true))).subscribe(),
				this.locks.execute(this.target, this.patient, Flux.just(1).doOnNext((one) -> begun.set(true)))
					.subscribe());
		await().until(() -> this.template.waiting() == 4);
		await().until(() -> waiters() == 1);

		waiters.forEach(Disposable::dispose);

		await().until(() -> waiters() == 0);
		held.release();
		StepVerifier.create(this.locks.execute(this.target, this.patient, Mono.just("next")))
			.expectNext("next")
			.expectComplete()
			.verify(SOON);
		assertThat(begun).isFalse();
	}

	@Test
	void disposingCancelsTheWorkAndFreesTheLock() {
		for (boolean several : List.of(false, true)) {
			AtomicBoolean cancelled = new AtomicBoolean();
			AtomicBoolean begun = new AtomicBoolean();
			Mono<String> work = Mono.<String>never()
				.doOnSubscribe((subscription) -> begun.set(true))
				.doOnCancel(() -> cancelled.set(true));
			Disposable subscription = several ? this.locks.execute(this.target, work.flux()).subscribe()
					: this.locks.execute(this.target, work).subscribe();
			await().untilTrue(begun);
			assertThat(this.template.isLocked(this.target)).isTrue();

			subscription.dispose();

			await().untilTrue(cancelled);
			await().until(() -> !this.template.isLocked(this.target));
		}
	}

	@Test
	void lockGrantedAtTheMomentOfItsCancellationIsReleased() throws Exception {
		AsyncLockHandle granted = get(this.template.async().acquire(this.target));
		CompletableFuture<AsyncLockHandle> acquiring = new CompletableFuture<>() {

			@Override
			public boolean cancel(boolean mayInterruptIfRunning) {
				complete(granted);
				return false;
			}

		};
		AsyncLockOperations granting = (AsyncLockOperations) Proxy.newProxyInstance(
				AsyncLockOperations.class.getClassLoader(), new Class<?>[] { AsyncLockOperations.class },
				(proxy, method, arguments) -> acquiring);

		new ReactiveLockTemplate(granting).acquire(this.target, ONCE).subscribe().dispose();

		await().until(() -> !this.template.isLocked(this.target));
	}

	@Test
	void randomDisposalsKeepExclusionAndLeaveNoLockHeld() {
		Random random = new Random(7);
		ReactiveLockOperations other = new ReactiveLockTemplate(template("the-other"));
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger violations = new AtomicInteger();
		AtomicInteger completed = new AtomicInteger();
		AtomicInteger ended = new AtomicInteger();
		Mono<Integer> work = Mono.using(() -> {
			violations.addAndGet((inside.incrementAndGet() == 1) ? 0 : 1);
			return 1;
		}, (one) -> Mono.just(one), (one) -> inside.decrementAndGet());
		int rounds = handsOver() ? 1_500 : 200;
		for (int i = 0; i < rounds; i++) {
			ReactiveLockOperations caller = (random.nextInt(4) == 0) ? other : this.locks;
			Mono<?> caught = switch (random.nextInt(4)) {
				case 0 -> caller.execute(this.target, this.patient, work);
				case 1 -> caller.execute(this.target, this.patient, Flux.range(0, 5).concatWith(work)).last();
				case 2 -> caller.execute(this.target, this.patient, caller.execute(this.target, this.patient, work));
				default -> Mono.usingWhen(caller.acquire(this.target, this.patient), (lock) -> work,
						ReactiveLockHandle::release);
			};
			Disposable subscription = caught.doOnSuccess((done) -> completed.incrementAndGet())
				.subscribeOn(Schedulers.boundedElastic())
				.doFinally((signal) -> ended.incrementAndGet())
				.subscribe();
			if (random.nextInt(3) > 0) {
				Schedulers.boundedElastic()
					.schedule(subscription::dispose, random.nextInt(3_000), TimeUnit.MICROSECONDS);
			}
			if (i % 100 == 99) {
				int begun = i + 1;
				await().atMost(MINUTE).until(() -> ended.get() == begun);
			}
		}

		await().atMost(MINUTE).until(() -> this.templates.stream().allMatch(LockTemplate::isIdle));
		assertThat(violations).hasValue(0);
		assertThat(inside).hasValue(0);
		assertThat(completed).hasPositiveValue();
		await().until(() -> !this.template.isLocked(this.target));
	}

	@Test
	void workCanCheckWhetherItsLockIsHeld() {
		assertThat(this.locks.execute(this.target, this.locks.isLocked(this.target)).block(SOON)).isTrue();
		assertThat(this.locks.isLocked(this.target).block(SOON)).isFalse();
	}

	// Work with several results

	@Test
	void refusedOrFailedWorkSignalsAnErrorAndFreesTheLock() {
		IllegalStateException failure = new IllegalStateException("work");
		AtomicBoolean begun = new AtomicBoolean();
		LockHandle held = template("the-other").acquire(this.target, this.patient);

		StepVerifier.create(this.locks.execute(this.target, ONCE, Flux.defer(() -> {
			begun.set(true);
			return Flux.just(1);
		}))).expectError(LockNotAcquiredException.class).verify(SOON);
		assertThat(begun).isFalse();
		held.release();

		StepVerifier.create(this.locks.execute(this.target, Flux.just(1).concatWith(Flux.error(failure))))
			.expectNext(1)
			.expectErrorSatisfies((error) -> assertThat(error).isSameAs(failure))
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.target, Flux.empty())).expectComplete().verify(SOON);
		assertThat(this.template.isLocked(this.target)).isFalse();
	}

	@Test
	void elementsAreEmittedOnDemandWhileTheLockIsHeld() {
		StepVerifier.create(this.locks.execute(this.target, Flux.range(0, 1_000)), 0)
			.thenRequest(1)
			.expectNext(0)
			.then(() -> assertThat(this.template.isLocked(this.target)).isTrue())
			.thenRequest(2)
			.expectNext(1, 2)
			.then(() -> assertThat(this.template.isLocked(this.target)).isTrue())
			.thenRequest(Long.MAX_VALUE)
			.expectNextCount(997)
			.expectComplete()
			.verify(SOON);
		assertThat(this.template.isLocked(this.target)).isFalse();
	}

	@Test
	void takingEnoughElementsCancelsTheWorkAndFreesTheLock() {
		AtomicBoolean cancelled = new AtomicBoolean();

		StepVerifier
			.create(this.locks.execute(this.target, Flux.range(0, 1_000).doOnCancel(() -> cancelled.set(true))).take(3))
			.expectNext(0, 1, 2)
			.expectComplete()
			.verify(SOON);

		await().untilTrue(cancelled);
		await().until(() -> !this.template.isLocked(this.target));
	}

	@Test
	void completionIsSignalledOnceTheLockIsFree() {
		for (int i = 0; i < 50; i++) {
			assertThat(this.locks.execute(this.target, Flux.range(0, 10))
				.collectList()
				.map((all) -> this.template.async())
				.flatMap((async) -> Mono.fromFuture(async.tryAcquire(this.target)))
				.flatMap((lock) -> Mono.fromFuture(lock.release()))
				.block(SOON)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	// Loss

	@Test
	void lossIsReportedAfterTheLastElementUnlessIgnored() {
		IllegalStateException failure = new IllegalStateException("flux");
		LockOptions ignoring = this.patient.onLost(OnLost.IGNORE);

		StepVerifier.create(this.locks.execute(this.target, lose().thenMany(Flux.just(1, 2))))
			.expectNext(1, 2)
			.expectError(LockLostException.class)
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.target, lose().thenMany(Flux.error(failure))))
			.expectErrorSatisfies((error) -> assertThat(error).isSameAs(failure)
				.satisfies((same) -> assertThat(same.getSuppressed())
					.anyMatch((suppressed) -> suppressed instanceof LockLostException)))
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.target, ignoring, lose().thenMany(Flux.just(1, 2))))
			.expectNext(1, 2)
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void lossCancelsTheWorkIfConfigured() {
		LockOptions interrupting = this.patient.onLost(OnLost.INTERRUPT);
		AtomicInteger cancelled = new AtomicInteger();
		Mono<String> endless = lose().then(Mono.<String>never()).doOnCancel(cancelled::incrementAndGet);

		StepVerifier.create(this.locks.execute(this.target, interrupting, endless))
			.expectErrorSatisfies((error) -> assertThat(error).isInstanceOf(LockLostException.class)
				.satisfies((lost) -> assertThat(lost.getSuppressed())
					.hasAtLeastOneElementOfType(CancellationException.class)))
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.target, interrupting, Flux.just("first").concatWith(endless)))
			.expectNext("first")
			.expectError(LockLostException.class)
			.verify(SOON);
		await().untilAsserted(() -> assertThat(cancelled).hasValue(2));
	}

	// Nested work

	@Test
	void contextIsAvailableOnlyToTheWork() {
		assertThatIllegalStateException().isThrownBy(() -> ReactiveLockContext.current().block(SOON));
		assertThat(this.locks
			.execute(this.target,
					ReactiveLockContext.current()
						.publishOn(Schedulers.boundedElastic())
						.flatMap((lock) -> lock.verify().map((held) -> lock.name() + held)))
			.block(SOON)).isEqualTo(this.name + "true");
		assertThat(this.locks
			.execute(this.target, Flux.range(0, 2).flatMap((i) -> ReactiveLockContext.current().map(HeldLock::name)))
			.collectList()
			.block(SOON)).containsExactly(this.name, this.name);
	}

	@Test
	void blockingContextIsAvailableDuringTheSubscriptionToTheWork() {
		assertThat(this.locks.execute(this.target, Mono.fromSupplier(() -> LockContext.current().name())).block(SOON))
			.isEqualTo(this.name);
		assertThat(this.locks.execute(this.target, Flux.defer(() -> Flux.just(LockContext.current().name())))
			.blockLast(SOON)).isEqualTo(this.name);
	}

	@Test
	void contextOfTheSubscriberReachesTheWork() {
		Mono<String> user = Mono.deferContextual((context) -> Mono.just(context.get("user")));

		assertThat(this.locks.execute(this.target, user)
			.concatWith(this.locks.execute(this.target, user.flux()))
			.contextWrite((context) -> context.put("user", "alice"))
			.collectList()
			.block(SOON)).containsExactly("alice", "alice");
	}

	@Test
	void nestedFluxReentersTheLockInsideAnotherLock() {
		Mono<Long> token = ReactiveLockContext.current().map(HeldLock::fencingToken);
		LockTarget between = LockTarget.of(this.name + ":b");
		Flux<Long> inner = this.locks.execute(this.target, this.patient,
				token.delayElement(Duration.ofMillis(1)).flux());

		assertThat(
				this.locks
					.execute(this.target, this.patient,
							token.flatMapMany(
									(outer) -> this.locks.execute(between, this.patient, inner.map(outer::equals))))
					.collectList()
					.block(SOON))
			.containsExactly(true);
		assertThat(this.store.calls("acquire")).isEqualTo(2);
	}

	@Test
	void nestedTryExecuteReentersTheLock() {
		Mono<Boolean> inner = this.locks.tryExecute(this.target, LockOptions.options().retry(0), Mono.empty());

		assertThat(
				this.locks.execute(this.target, this.patient, Mono.delay(Duration.ofMillis(5)).then(inner)).block(SOON))
			.isTrue();
	}

	@Test
	void concurrentInnerPublishersReenterTheLock() {
		Mono<Long> token = ReactiveLockContext.current().map(HeldLock::fencingToken);
		Mono<Long> inner = this.locks.execute(this.target, this.patient, token.delayElement(Duration.ofMillis(5)));

		assertThat(this.locks
			.execute(this.target, this.patient, Flux.range(0, 20).flatMap((i) -> inner, 20).distinct().count())
			.block(SOON)).isEqualTo(1);
		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void innerWorkThatStartsAfterTheOuterWorkAcquiresTheLockAgain() {
		Sinks.One<String> go = Sinks.one();
		AtomicReference<Long> outer = new AtomicReference<>();
		CompletableFuture<Long> later = new CompletableFuture<>();
		Mono<Long> token = ReactiveLockContext.current().map(HeldLock::fencingToken);
		Mono<Long> again = go.asMono().then(this.locks.execute(this.target, this.patient, token));

		this.locks.execute(this.target, this.patient, Mono.deferContextual((context) -> {
			again.contextWrite(context).subscribe(later::complete, later::completeExceptionally);
			return token.doOnNext(outer::set);
		})).block(SOON);
		go.tryEmitValue("go").orThrow();

		assertThat(later.orTimeout(20, TimeUnit.SECONDS).join()).isGreaterThan(outer.get());
	}

	/**
	 * Lose the lock under which the subscriber works.
	 */
	private Mono<Boolean> lose() {
		return ReactiveLockContext.current()
			.flatMap((lock) -> this.locks.forceRelease(lock.target()).then(lock.verify()));
	}

}
