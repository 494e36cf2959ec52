package io.github.redislock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.reactive.ReactiveLockContext;
import io.github.redislock.reactive.ReactiveLockHandle;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What reactive callers are promised, whatever the store: with real time. No error is
 * dropped by Reactor on the way.
 */
public abstract class ReactiveLockContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration SOON = Duration.ofSeconds(20);

	private final String name = "reactive:" + UUID.randomUUID();

	/** Where there is a queue, nobody is served by asking again. */
	private final LockOptions patient = LockOptions.defaults()
		.waitTime(MINUTE)
		.retryDelay(handsOver() ? MINUTE : Duration.ofMillis(50));

	private final LockTarget target = LockTarget.of(this.name);

	private final List<LockTemplate> templates = new ArrayList<>();

	private final List<Throwable> dropped = new CopyOnWriteArrayList<>();

	private CountingStore store;

	private LockTemplate template;

	private ReactiveLockOperations locks;

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
		Hooks.onErrorDropped(this.dropped::add);
		this.store = new CountingStore(createStore());
		this.template = new LockTemplate(this.store, LockConfiguration.defaults().instance("this-one"));
		this.templates.add(this.template);
		this.locks = new ReactiveLockTemplate(this.template);
	}

	@AfterEach
	void closeTemplates() {
		try {
			awaitIdle();
			assertThat(this.dropped).as("errors dropped by Reactor").isEmpty();
		}
		finally {
			this.templates.forEach(LockTemplate::close);
			Hooks.resetOnErrorDropped();
		}
	}

	// Subscriptions

	@Test
	void nothingHappensWithoutASubscription() {
		AtomicBoolean begun = new AtomicBoolean();

		this.locks.acquire(this.name);
		this.locks.tryAcquire(this.name);
		this.locks.execute(this.name, Mono.fromRunnable(() -> begun.set(true)));
		this.locks.execute(this.name, Flux.defer(() -> {
			begun.set(true);
			return Flux.empty();
		}));
		this.locks.inspect(this.target);
		this.locks.forceRelease(this.target);

		assertThat(this.store.calls()).isZero();
		assertThat(begun).isFalse();
	}

	@Test
	void eachSubscriptionTakesTheLockForItself() {
		Mono<Long> token = this.locks.execute(this.name, ReactiveLockContext.current().map(HeldLock::fencingToken));

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
	void signalsComeOnParallelThreads() {
		// Long enough for the subscriber to have asked for it.
		Mono<String> work = Mono.fromSupplier(() -> Thread.currentThread().getName())
			.delayElement(Duration.ofMillis(300), Schedulers.boundedElastic());

		StepVerifier
			.create(this.locks.execute(this.name, work)
				.map((begun) -> List.of(begun, Thread.currentThread().getName())))
			.assertNext((names) -> assertThat(names).allMatch((thread) -> thread.startsWith("parallel-")))
			.expectComplete()
			.verify(SOON);
	}

	// Work with one result

	@Test
	void lockIsHeldUntilTheWorkHasEnded() {
		Sinks.One<String> work = Sinks.one();
		AtomicReference<ReactiveLockHandle> given = new AtomicReference<>();

		StepVerifier
			.create(this.locks.execute(this.name,
					ReactiveLockContext.current().doOnNext(given::set).then(work.asMono())))
			.then(() -> await().until(() -> given.get() != null))
			.then(() -> assertThat(this.template.isLocked(this.name)).isTrue())
			.then(() -> work.tryEmitValue("done").orThrow())
			.assertNext((done) -> assertThat(this.template.isLocked(this.name)).isFalse())
			.expectComplete()
			.verify(SOON);
		assertThat(given.get().isHeld()).isFalse();
	}

	@Test
	void emptyWorkCompletesEmpty() {
		StepVerifier.create(this.locks.execute(this.name, Mono.empty())).expectComplete().verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, Flux.empty())).expectComplete().verify(SOON);
		assertThat(this.template.isLocked(this.name)).isFalse();
	}

	@Test
	void failureOfTheWorkIsTheErrorAndFreesTheLock() {
		IllegalStateException failure = new IllegalStateException("work");

		StepVerifier.create(this.locks.execute(this.name, Mono.error(failure)))
			.expectErrorSatisfies((error) -> assertThat(error).isSameAs(failure))
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, Mono.defer(() -> {
			throw failure;
		}))).expectErrorSatisfies((error) -> assertThat(error).isSameAs(failure)).verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, Flux.just(1).concatWith(Flux.error(failure))))
			.expectNext(1)
			.expectErrorSatisfies((error) -> assertThat(error).isSameAs(failure))
			.verify(SOON);
		assertThat(this.template.isLocked(this.name)).isFalse();
	}

	@Test
	void refusalIsAnError() {
		try (LockHandle held = template("the-other").acquire(this.name, this.patient)) {
			LockOptions once = LockOptions.defaults().retry(0);
			AtomicBoolean begun = new AtomicBoolean();
			Mono<Void> work = Mono.fromRunnable(() -> begun.set(true));

			StepVerifier.create(this.locks.acquire(this.target, once))
				.expectErrorSatisfies((error) -> assertThat(error).isInstanceOf(LockNotAcquiredException.class)
					.hasMessageContaining("held by the-other"))
				.verify(SOON);
			StepVerifier.create(this.locks.execute(this.target, once, work))
				.expectError(LockNotAcquiredException.class)
				.verify(SOON);
			StepVerifier.create(this.locks.execute(this.target, once, work.flux()))
				.expectError(LockNotAcquiredException.class)
				.verify(SOON);
			StepVerifier.create(this.locks.tryAcquire(this.name)).expectComplete().verify(SOON);
			assertThat(begun).isFalse();
			assertThat(held.isHeld()).isTrue();
		}
	}

	@Test
	void invalidArgumentIsAnErrorOrThrownAtOnce() {
		StepVerifier.create(Mono.defer(() -> this.locks.acquire(" ")))
			.expectError(IllegalArgumentException.class)
			.verify(SOON);
		StepVerifier
			.create(this.locks.execute(this.name,
					ReactiveLockContext.current().flatMap((lock) -> lock.extend(Duration.ofSeconds(-1)))))
			.expectError(IllegalArgumentException.class)
			.verify(SOON);
	}

	// Giving up

	@Test
	void disposingOfAWaiterWithdrawsIt() {
		LockHandle held = template("the-other").acquire(this.name, this.patient);
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
	void timeoutOfAWaiterWithdrawsIt() {
		LockHandle held = template("the-other").acquire(this.name, this.patient);

		StepVerifier
			.create(this.locks.execute(this.target, this.patient, Mono.just("never")).timeout(Duration.ofMillis(50)))
			.expectError(TimeoutException.class)
			.verify(SOON);

		await().until(() -> waiters() == 0);
		held.release();
	}

	@Test
	void disposingCancelsTheWorkAndFreesTheLock() {
		for (boolean several : List.of(false, true)) {
			AtomicBoolean cancelled = new AtomicBoolean();
			AtomicBoolean begun = new AtomicBoolean();
			Mono<String> work = Mono.<String>never()
				.doOnSubscribe((subscription) -> begun.set(true))
				.doOnCancel(() -> cancelled.set(true));
			Disposable subscription = several ? this.locks.execute(this.name, work.flux()).subscribe()
					: this.locks.execute(this.name, work).subscribe();
			await().untilTrue(begun);
			assertThat(this.template.isLocked(this.name)).isTrue();

			subscription.dispose();

			await().untilTrue(cancelled);
			await().until(() -> !this.template.isLocked(this.name));
		}
	}

	@Test
	void randomDisposalLeavesNothingBehind() {
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
		await().until(() -> !this.template.isLocked(this.name));
	}

	// Work with several results

	@Test
	void resultsComeAsFastAsTheyAreAskedForWhileTheLockIsHeld() {
		StepVerifier.create(this.locks.execute(this.name, Flux.range(0, 1_000)), 0)
			.thenRequest(1)
			.expectNext(0)
			.then(() -> assertThat(this.template.isLocked(this.name)).isTrue())
			.thenRequest(2)
			.expectNext(1, 2)
			.then(() -> assertThat(this.template.isLocked(this.name)).isTrue())
			.thenRequest(Long.MAX_VALUE)
			.expectNextCount(997)
			.expectComplete()
			.verify(SOON);
		assertThat(this.template.isLocked(this.name)).isFalse();
	}

	@Test
	void whoHasEnoughCancelsTheRestAndFreesTheLock() {
		AtomicBoolean cancelled = new AtomicBoolean();

		StepVerifier
			.create(this.locks.execute(this.name, Flux.range(0, 1_000).doOnCancel(() -> cancelled.set(true))).take(3))
			.expectNext(0, 1, 2)
			.expectComplete()
			.verify(SOON);

		await().untilTrue(cancelled);
		await().until(() -> !this.template.isLocked(this.name));
	}

	@Test
	void completionComesWhenTheLockIsFree() {
		for (int i = 0; i < 50; i++) {
			assertThat(this.locks.execute(this.name, Flux.range(0, 10))
				.collectList()
				.map((all) -> this.template.async())
				.flatMap((async) -> Mono.fromFuture(async.tryAcquire(this.name)))
				.flatMap((lock) -> Mono.fromFuture(lock.release()))
				.block(SOON)).isEqualTo(ReleaseOutcome.RELEASED);
		}
	}

	// Loss

	@Test
	void lossIsTheErrorOfWorkThatEndedWell() {
		StepVerifier.create(this.locks.execute(this.name, lose().thenReturn("done")))
			.expectError(LockLostException.class)
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, lose().thenMany(Flux.just(1, 2))))
			.expectNext(1, 2)
			.expectError(LockLostException.class)
			.verify(SOON);
	}

	@Test
	void lossIsSuppressedInTheFailureOfTheWork() {
		IllegalStateException failure = new IllegalStateException("work");
		StepVerifier.create(this.locks.execute(this.name, lose().then(Mono.error(failure))))
			.expectErrorSatisfies((error) -> assertThat(error.getSuppressed())
				.anyMatch((suppressed) -> suppressed instanceof LockLostException))
			.verify(SOON);
		StepVerifier
			.create(this.locks.execute(this.name, lose().thenMany(Flux.error(new IllegalStateException("flux")))))
			.expectErrorSatisfies((error) -> assertThat(error).hasMessage("flux")
				.satisfies((same) -> assertThat(same.getSuppressed())
					.anyMatch((suppressed) -> suppressed instanceof LockLostException)))
			.verify(SOON);
	}

	@Test
	void ignoredLossIsNoError() {
		LockOptions ignoring = this.patient.onLost(OnLost.IGNORE);

		StepVerifier.create(this.locks.execute(this.target, ignoring, lose().thenReturn("done")))
			.expectNext("done")
			.expectComplete()
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.target, ignoring, lose().thenMany(Flux.just(1, 2))))
			.expectNext(1, 2)
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void lossCancelsTheWorkWhereThatIsWanted() {
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

	// Within a lock

	@Test
	void contextIsKnownToTheWorkOnly() {
		StepVerifier.create(ReactiveLockContext.current())
			.expectErrorSatisfies((error) -> assertThat(error).isInstanceOf(IllegalStateException.class)
				.hasMessageStartingWith("No lock is held for this reactive work"))
			.verify(SOON);
		StepVerifier
			.create(this.locks.execute(this.name,
					ReactiveLockContext.current()
						.publishOn(Schedulers.boundedElastic())
						.flatMap((lock) -> lock.verify().map((held) -> lock.name() + held))))
			.expectNext(this.name + "true")
			.expectComplete()
			.verify(SOON);
		StepVerifier
			.create(this.locks.execute(this.name,
					Flux.range(0, 2).flatMap((i) -> ReactiveLockContext.current().map(HeldLock::name))))
			.expectNext(this.name, this.name)
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void blockingContextIsKnownWhileTheWorkIsSubscribedTo() {
		StepVerifier.create(this.locks.execute(this.name, Mono.fromSupplier(() -> LockContext.current().name())))
			.expectNext(this.name)
			.expectComplete()
			.verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, Flux.defer(() -> Flux.just(LockContext.current().name()))))
			.expectNext(this.name)
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void contextOfTheSubscriberReachesTheWork() {
		Mono<String> user = Mono.deferContextual((context) -> Mono.just(context.get("user")));

		StepVerifier
			.create(this.locks.execute(this.name, user)
				.concatWith(this.locks.execute(this.name, user.flux()))
				.contextWrite((context) -> context.put("user", "alice")))
			.expectNext("alice", "alice")
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void workWithinEntersTheSameLockThroughOthers() {
		Mono<Long> token = ReactiveLockContext.current().map(HeldLock::fencingToken);
		LockTarget between = LockTarget.of(this.name + ":b");
		Mono<Boolean> same = this.locks.execute(this.target, this.patient,
				token.flatMap((outer) -> this.locks.execute(between, this.patient,
						this.locks.execute(this.target, this.patient, token.delayElement(Duration.ofMillis(1)))
							.map(outer::equals))));
		Flux<Boolean> sameInFlux = this.locks.execute(this.target, this.patient,
				token.flatMapMany((outer) -> this.locks.execute(between, this.patient,
						this.locks.execute(this.target, this.patient, token.flux()).map(outer::equals))));

		StepVerifier.create(same.concatWith(sameInFlux)).expectNext(true, true).expectComplete().verify(SOON);
		assertThat(this.store.calls("acquire")).isEqualTo(4);
	}

	@Test
	void partsSideBySideEnterTheSameLock() {
		Mono<Long> token = ReactiveLockContext.current().map(HeldLock::fencingToken);

		StepVerifier.create(this.locks.execute(this.target, this.patient, Flux.range(0, 20)
			.flatMap((i) -> this.locks.execute(this.target, this.patient, token.delayElement(Duration.ofMillis(5))), 20)
			.distinct()
			.count())).expectNext(1L).expectComplete().verify(SOON);
		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void acquisitionWithinEntersTheSameLock() {
		StepVerifier
			.create(this.locks.execute(this.target, this.patient, Mono.usingWhen(this.locks.acquire(this.name),
					ReactiveLockHandle::verify, ReactiveLockHandle::close)))
			.expectNext(true)
			.expectComplete()
			.verify(SOON);
		assertThat(this.store.calls("acquire")).isEqualTo(1);
	}

	@Test
	void lockThatIsNotReentrantIsNotEnteredAgain() {
		LockOptions once = LockOptions.defaults().retry(0).reentrant(false);

		StepVerifier.create(this.locks.execute(this.target, this.patient, this.locks.tryAcquire(this.target, once)))
			.expectComplete()
			.verify(SOON);
	}

	@Test
	void workThatOutlivesTheOuterOneTakesTheLockAnew() {
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

	// The handle

	@Test
	void handleIsRenewedExtendedAndReleased() {
		StepVerifier.create(this.locks.acquire(this.name, LockOptions.timeout(MINUTE)).flatMap((lock) -> {
			Mono<Void> changes = lock.extend(MINUTE).then(lock.renew()).then(lock.renew(MINUTE.multipliedBy(2)));
			assertThat(lock.isHeld()).isTrue();
			return changes.then(lock.verify())
				.doOnNext((held) -> assertThat(lock.remaining()).isGreaterThan(MINUTE))
				.then(lock.release())
				.flatMap((outcome) -> lock.release().map((second) -> outcome + " " + second + " " + lock.isHeld()));
		})).expectNext("RELEASED RELEASED false").expectComplete().verify(SOON);
	}

	@Test
	void closeOfALostHandleFails() {
		AtomicBoolean told = new AtomicBoolean();

		StepVerifier.create(this.locks.acquire(this.name).flatMap((lock) -> {
			lock.onLost(() -> told.set(true));
			return this.locks.forceRelease(this.target).then(lock.verify()).then(lock.close());
		})).expectError(LockLostException.class).verify(SOON);
		await().untilTrue(told);
	}

	@Test
	void inspectionAnswersTheHolderOrNothing() {
		StepVerifier.create(this.locks.inspect(this.target)).expectComplete().verify(SOON);
		StepVerifier.create(this.locks.execute(this.name, this.locks.isLocked(this.name)))
			.expectNext(true)
			.expectComplete()
			.verify(SOON);
		StepVerifier.create(this.locks.forceRelease(this.target)).expectNext(false).expectComplete().verify(SOON);
	}

	@Test
	void closingTellsReactiveCallers() {
		LockTemplate closing = template("closing");
		ReactiveLockOperations operations = new ReactiveLockTemplate(closing);
		CompletableFuture<String> working = operations
			.execute(this.target, this.patient.onLost(OnLost.INTERRUPT), Mono.<String>never())
			.toFuture();
		await().until(() -> this.template.isLocked(this.name));
		CompletableFuture<String> waiting = operations.execute(this.target, this.patient, Mono.just("never"))
			.toFuture();
		await().until(() -> closing.waiting() == 1);

		closing.close();

		assertThat(waiting).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockInterruptedException.class);
		assertThat(working).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockLostException.class);
	}

	/**
	 * Lose the lock under which the subscriber works.
	 */
	private Mono<Boolean> lose() {
		return ReactiveLockContext.current()
			.flatMap((lock) -> this.locks.forceRelease(LockTarget.of(lock.name())).then(lock.verify()));
	}

	private long waiters() {
		return handsOver() ? this.template.inspect(this.name).map(LockState::waiters).orElse(0L)
				: this.templates.stream().filter((instance) -> instance.waiting() > 0).count();
	}

	private void awaitIdle() {
		await().until(this.template::isIdle);
	}

	private LockTemplate template(String instance) {
		LockTemplate created = new LockTemplate(createStore(), LockConfiguration.defaults().instance(instance));
		this.templates.add(created);
		return created;
	}

}
