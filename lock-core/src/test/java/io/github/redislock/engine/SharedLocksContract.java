package io.github.redislock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.reactive.ReactiveLockHandle;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Promises to callers of shared locks, tested with any store in real time.
 */
public abstract class SharedLocksContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final Duration SOON = Duration.ofSeconds(20);

	private static final LockOptions PATIENT = LockOptions.options().timeout(MINUTE).waitTime(MINUTE);

	private static final LockOptions ONCE = LockOptions.options().timeout(MINUTE).retry(0);

	private final String name = "shared:" + UUID.randomUUID();

	private final LockTarget read = LockTarget.of(this.name).forReading();

	private final LockTarget write = LockTarget.of(this.name);

	private final List<LockTemplate> templates = new ArrayList<>();

	private final RecordingListener listener = new RecordingListener();

	private LockTemplate locks;

	private LockTemplate others;

	/**
	 * Return a store; all stores of one test share their locks.
	 */
	protected abstract LockStore createStore();

	@BeforeEach
	void openTemplates() {
		this.locks = open("this-one", LockConfiguration.defaults().listeners(List.of(this.listener)));
		this.others = open("other-one", LockConfiguration.defaults());
	}

	@AfterEach
	void closeTemplates() {
		// The interrupt flag of a test must not reach the next.
		Thread.interrupted();
		this.others.forceRelease(this.write);
		this.templates.forEach(LockTemplate::close);
	}

	// sharing

	@Test
	void readersWorkConcurrently() throws Exception {
		CyclicBarrier inside = new CyclicBarrier(3);
		List<CompletableFuture<Integer>> readers = Stream.of(this.locks, this.locks, this.others)
			.map((template) -> start(
					() -> template.execute(this.read, PATIENT, () -> inside.await(20, TimeUnit.SECONDS))))
			.toList();

		for (CompletableFuture<Integer> reader : readers) {
			assertThat(reader).succeedsWithin(SOON);
		}
		assertThat(this.locks.isLocked(this.read)).isFalse();
	}

	@Test
	void eachReaderHasItsOwnHold() throws Exception {
		LockHandle one = this.locks.acquire(this.read, ONCE);
		LockHandle two = elsewhere(() -> this.locks.acquire(this.read, ONCE));
		LockHandle three = this.others.acquire(this.read, ONCE);

		assertThat(Stream.of(one, two, three).map(LockHandle::owner)).doesNotHaveDuplicates();
		assertThat(Stream.of(one, two, three).map(LockHandle::fencingToken)).isSorted().doesNotHaveDuplicates();
		assertHolders(3);
		one.close();
		assertHolders(2);
		assertThat(two.verify()).isTrue();
		assertThat(three.verify()).isTrue();
		two.close();
		three.close();
		assertThat(this.others.isLocked(this.write)).isFalse();
	}

	@Test
	void writerAndReadersExcludeOneAnother() {
		try (LockHandle reader = this.others.acquire(this.read, ONCE)) {
			assertThat(this.locks.tryAcquire(this.write)).isNull();
			assertThat(reader.verify()).isTrue();
		}
		try (LockHandle writer = this.locks.acquire(this.write, ONCE)) {
			assertThat(this.others.tryAcquire(this.read)).isNull();
			assertThat(this.others.tryAcquire(LockTarget.of(this.name))).as("the same lock").isNull();
			assertThat(writer.verify()).isTrue();
		}
	}

	@Test
	void numberOfConcurrentHoldersNeverExceedsThePermits() throws Exception {
		LockTarget permit = LockTarget.of(this.name).permits(3);
		AtomicInteger inside = new AtomicInteger();
		CyclicBarrier three = new CyclicBarrier(3);
		List<CompletableFuture<Integer>> workers = IntStream.range(0, 9)
			.mapToObj((number) -> start(
					() -> ((number % 2 == 0) ? this.locks : this.others).execute(permit, PATIENT, () -> {
						int now = inside.incrementAndGet();
						three.await(20, TimeUnit.SECONDS);
						inside.decrementAndGet();
						return now;
					})))
			.toList();

		for (CompletableFuture<Integer> worker : workers) {
			assertThat(worker.get(40, TimeUnit.SECONDS)).isLessThanOrEqualTo(3);
		}
	}

	@Test
	void changedPermitCountAppliesToTheNextAcquisition() {
		LockHandle one = this.others.acquire(LockTarget.of(this.name).permits(1), ONCE);
		assertThat(this.locks.tryAcquire(LockTarget.of(this.name).permits(1))).isNull();

		LockHandle two = this.locks.acquire(LockTarget.of(this.name).permits(2), ONCE.reentrant(false));
		assertThat(this.others.tryAcquire(LockTarget.of(this.name).permits(1), ONCE.reentrant(false))).isNull();

		one.close();
		two.close();
		this.others.acquire(LockTarget.of(this.name).permits(1), ONCE).close();
	}

	@Test
	void sharedHoldIsKeptForItsMinimumTime() {
		LockTarget permit = LockTarget.of(this.name).permits(2);
		this.locks.acquire(permit, ONCE.atLeastFor(Duration.ofSeconds(30))).close();

		LockHandle second = this.others.acquire(permit, ONCE);

		assertThat(this.locks.tryAcquire(permit)).isNull();
		second.close();
		this.locks.acquire(permit, ONCE).close();
		assertThat(this.locks.tryAcquire(this.write)).isNull();
	}

	@Test
	void refusedPermitReturnsAtMostTheRestOfTheMinimumTime() {
		LockTarget permit = LockTarget.of(this.name).permits(1);
		LockOptions limited = ONCE.timeout(Duration.ofMinutes(10)).atLeastFor(Duration.ofMinutes(1)).reentrant(false);
		LockHandle admitted = this.locks.acquire(permit, limited);

		assertRetryAfterAMinute(permit, limited);
		admitted.close();
		assertRetryAfterAMinute(permit, limited);
	}

	private void assertRetryAfterAMinute(LockTarget permit, LockOptions limited) {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.others.acquire(permit, limited))
			.satisfies((refused) -> assertThat(refused.getRetryAfter()).isBetween(Duration.ofSeconds(20),
					Duration.ofMinutes(1)));
	}

	@Test
	void callerSuppliedOwnerTokenResumesItsSharedHold() {
		LockHandle first = this.locks.acquire(this.read, ONCE.owner("job-17"));
		LockHandle other = this.others.acquire(this.read, ONCE);

		LockHandle resumed = this.others.acquire(this.read, ONCE.owner("job-17").reentrant(false));

		assertThat(resumed.fencingToken()).isEqualTo(first.fencingToken());
		assertHolders(2);
		resumed.close();
		other.close();
	}

	@Test
	void sharedLockNeedsALease() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.locks.acquire(this.read, LockOptions.options().neverExpires().retry(0)))
			.withMessage("Lock '%s (read)' is shared and needs a lease: neverExpires() is for exclusive locks",
					this.name);
		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.async()
			.acquire(LockTarget.of(this.name).permits(2), LockOptions.options().neverExpires()));

		assertThat(this.locks.isLocked(this.write)).isFalse();
	}

	@Test
	void refusalReportsTheNumberOfHolders() {
		try (LockHandle one = this.others.acquire(this.read, ONCE);
				LockHandle two = this.others.acquire(this.read, ONCE.reentrant(false))) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(this.write, ONCE))
				.satisfies((refused) -> assertThat(refused.getHolder()).satisfies((holder) -> {
					assertThat(holder.holder()).isEqualTo("other-one");
					assertThat(holder.holders()).isEqualTo(2);
					assertThat(holder.shortOwner()).isIn(OwnerTokens.shortened(one.owner()),
							OwnerTokens.shortened(two.owner()));
				}));
		}
	}

	@Test
	void listenersAreNotifiedOfSharedAcquisitions() {
		this.locks.acquire(this.read, ONCE).close();
		LockHandle other = this.others.acquire(LockTarget.of(this.name).permits(1), ONCE);
		this.locks.tryAcquire(LockTarget.of(this.name).permits(1));
		other.close();

		assertThat(this.listener.events).containsExactly("acquired", "released RELEASED", "refused");
	}

	// fairness

	@Test
	void writerIsNotStarvedByAStreamOfReaders() throws Exception {
		AtomicBoolean over = new AtomicBoolean();
		AtomicInteger reads = new AtomicInteger();
		CountDownLatch reading = new CountDownLatch(4);
		List<CompletableFuture<Boolean>> readers = IntStream.range(0, 4).mapToObj((number) -> start(() -> {
			LockTemplate template = (number % 2 == 0) ? this.locks : this.others;
			// Each reader holds the next lock before it releases the last.
			LockHandle last = template.acquire(this.read, PATIENT.reentrant(false));
			reading.countDown();
			while (!over.get()) {
				LockHandle next = template.tryAcquire(this.read, ONCE.reentrant(false));
				last.close();
				last = (next != null) ? next : template.acquire(this.read, PATIENT.reentrant(false));
				reads.incrementAndGet();
			}
			last.close();
			return true;
		})).toList();
		assertThat(reading.await(20, TimeUnit.SECONDS)).isTrue();
		Awaitility.await("stream of readers").until(() -> reads.get() > 20);

		try (LockHandle writer = this.locks.acquire(this.write, PATIENT.waitTime(Duration.ofSeconds(20)))) {
			assertHolders(1);
			assertThat(writer.verify()).isTrue();
		}
		finally {
			over.set(true);
		}

		for (CompletableFuture<Boolean> reader : readers) {
			assertThat(reader).succeedsWithin(SOON);
		}
	}

	@Test
	void cancelledWriterAdmitsTheReaderBehindIt() throws Exception {
		LockHandle reader = this.others.acquire(this.read, ONCE);
		CompletableFuture<LockHandle> writer = acquire(this.others, this.write, PATIENT.waitTime(MINUTE));
		awaitWaiters(1);
		CompletableFuture<LockHandle> next = acquire(this.locks, this.read, PATIENT);
		awaitWaiters(2);

		writer.cancel(true);

		LockHandle beside = next.get(20, TimeUnit.SECONDS);
		assertThat(reader.verify()).isTrue();
		assertHolders(2);
		beside.close();
		reader.close();
	}

	@Test
	void sharingModesExcludeOneAnotherAsDeclared() throws Exception {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger permits = new AtomicInteger();
		AtomicInteger mostReaders = new AtomicInteger();
		LockTarget permit = LockTarget.of(this.name).permits(2);
		List<CompletableFuture<Integer>> callers = IntStream.range(0, 10).mapToObj((number) -> start(() -> {
			LockTemplate own = (number % 2 == 0) ? this.locks : this.others;
			Random random = new Random(number);
			for (int round = 0; round < 20; round++) {
				int kind = random.nextInt(5);
				if (kind == 0) {
					own.execute(this.write, PATIENT, () -> {
						assertThat(writers.incrementAndGet()).isEqualTo(1);
						assertThat(readers.get() + permits.get()).isZero();
						writers.decrementAndGet();
					});
				}
				else if (kind == 1) {
					own.execute(permit, PATIENT, () -> {
						assertThat(permits.incrementAndGet()).isLessThanOrEqualTo(2);
						assertThat(writers).hasValue(0);
						permits.decrementAndGet();
					});
				}
				else if (kind == 2) {
					LockHandle outer = own.acquire(this.write, PATIENT);
					try (LockHandle inner = own.acquire(this.read, PATIENT)) {
						outer.close();
						assertThat(writers.incrementAndGet()).isEqualTo(1);
						assertThat(readers.get() + permits.get()).isZero();
						writers.decrementAndGet();
						assertThat(inner.isHeld()).isTrue();
					}
				}
				else {
					own.execute(this.read, PATIENT, () -> {
						mostReaders.accumulateAndGet(readers.incrementAndGet(), Math::max);
						assertThat(writers).hasValue(0);
						Thread.yield();
						readers.decrementAndGet();
					});
				}
			}
			return number;
		})).toList();

		for (CompletableFuture<Integer> caller : callers) {
			caller.get(50, TimeUnit.SECONDS);
		}
		assertThat(mostReaders).as("readers side by side").hasValueGreaterThan(1);
		assertThat(this.others.isLocked(this.write)).isFalse();
	}

	// reentry

	@Test
	void writerReentersItsLockInEverySharingMode() {
		try (LockHandle writer = this.locks.acquire(this.write, ONCE)) {
			for (LockTarget inner : List.of(this.read, LockTarget.of(this.name).permits(2), this.write)) {
				try (LockHandle lock = this.locks.acquire(inner, ONCE)) {
					assertThat(lock.fencingToken()).isEqualTo(writer.fencingToken());
					assertThat(this.others.tryAcquire(this.read)).isNull();
				}
			}
			assertThat(writer.verify()).isTrue();
			assertThat(this.others.tryAcquire(this.read)).as("alone still").isNull();
		}
	}

	@Test
	void readerReentersItsOwnHold() {
		for (LockTarget target : List.of(this.read, LockTarget.of(this.name).permits(1))) {
			try (LockHandle outer = this.locks.acquire(target, ONCE)) {
				try (LockHandle inner = this.locks.acquire(target, ONCE)) {
					assertThat(inner.fencingToken()).isEqualTo(outer.fencingToken());
					assertHolders(1);
				}
				assertThat(outer.verify()).isTrue();
			}
			assertThat(this.others.isLocked(target)).isFalse();
		}
	}

	@Test
	void nonReentrantReaderGetsASecondHold() {
		try (LockHandle outer = this.locks.acquire(this.read, ONCE);
				LockHandle inner = this.locks.acquire(this.read, ONCE.reentrant(false))) {
			assertThat(inner.fencingToken()).isGreaterThan(outer.fencingToken());
			assertHolders(2);
		}
	}

	@Test
	void readerRequestingTheWriteLockFailsImmediately() {
		try (LockHandle reader = this.locks.acquire(this.read, PATIENT)) {
			List<Function<LockTarget, Object>> faces = List.of((target) -> this.locks.acquire(target, PATIENT),
					(target) -> String.valueOf(this.locks.tryAcquire(target, PATIENT)),
					(target) -> this.locks.execute(target, PATIENT, () -> "written"));
			for (Function<LockTarget, Object> face : faces) {
				for (LockTarget target : List.of(this.write, LockTarget.of(this.name).permits(1),
						LockTarget.allOf(this.write, LockTarget.of(this.name + ":other")))) {
					assertThatIllegalStateException().isThrownBy(() -> face.apply(target))
						.withMessage("Lock '%s' not acquired: this thread itself holds '%s (read)' and would wait for"
								+ " itself. Release that lock first, or acquire this one for writing from the"
								+ " beginning", target, this.name);
				}
			}
			assertThat(reader.verify()).isTrue();
			assertHolders(1);
		}
		this.locks.acquire(this.write, ONCE).close();
	}

	@Test
	void readerMayAcquireAFreePermit() {
		try (LockHandle reader = this.locks.acquire(this.read, ONCE);
				LockHandle permit = this.locks.acquire(LockTarget.of(this.name).permits(2), ONCE)) {
			assertThat(permit.fencingToken()).isGreaterThan(reader.fencingToken());
			assertHolders(2);
		}
	}

	@Test
	void writerWaitsForADetachedReaderLock() {
		LockHandle reader = this.locks.acquire(this.read, ONCE);
		reader.detach();
		CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(reader::release,
				CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS, OwnThread::run));

		try (LockHandle writer = this.locks.acquire(this.write, PATIENT)) {
			assertThat(writer.verify()).isTrue();
		}
		assertThat(released).succeedsWithin(SOON).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void asyncReaderRequestingTheWriteLockLearnsTheReason() {
		CompletableFuture<?> work = this.locks.async()
			.execute(this.read, PATIENT, (lock) -> this.locks.async().acquire(this.write, ONCE));

		assertThat(work).failsWithin(SOON)
			.withThrowableThat()
			.withCauseInstanceOf(LockNotAcquiredException.class)
			.withMessageContaining("; the caller itself holds '%s (read)', which does not cover this lock", this.name);
	}

	@Test
	void workUnderAReadLockRequestingTheWriteLockFailsImmediately() {
		CompletableFuture<Object> work = this.locks.async().execute(this.read, PATIENT, (lock) -> {
			this.locks.acquire(this.write, PATIENT).close();
			return CompletableFuture.completedFuture("written");
		});

		assertThat(work).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(IllegalStateException.class);
	}

	@Test
	void permitIsReenteredRegardlessOfThePermitCount() {
		try (LockHandle permit = this.locks.acquire(LockTarget.of(this.name).permits(3), ONCE);
				LockHandle again = this.locks.acquire(LockTarget.of(this.name).permits(2), ONCE)) {
			assertThat(again.fencingToken()).isEqualTo(permit.fencingToken());
			assertThat(this.locks.inspect(LockTarget.of(this.name)))
				.hasValueSatisfying((state) -> assertThat(state.holders()).isOne());
		}
	}

	// reading after writing

	@Test
	void writerThatReadsKeepsTheLockToItselfUntilBothAreReleasedInAnyOrder() throws Exception {
		for (boolean writeFirst : List.of(true, false)) {
			LockHandle writer = this.locks.acquire(this.write, ONCE);
			LockHandle reader = this.locks.acquire(this.read, ONCE);
			LockHandle rest = writeFirst ? reader : writer;

			assertThat((writeFirst ? writer : reader).release()).isEqualTo(ReleaseOutcome.RELEASED);

			assertThat(rest.isHeld()).isTrue();
			assertThat(rest.verify()).isTrue();
			assertThat(this.others.tryAcquire(this.read)).isNull();
			assertThat(elsewhere(() -> this.locks.tryAcquire(this.read, ONCE))).isNull();
			for (LockTarget again : List.of(this.write, this.read)) {
				try (LockHandle inner = this.locks.acquire(again, ONCE)) {
					assertThat(inner.fencingToken()).isEqualTo(writer.fencingToken());
				}
			}
			LockContext.requireHeld(this.write);
			assertThat(rest.release()).isEqualTo(ReleaseOutcome.RELEASED);
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld(this.read));
			this.others.acquire(this.read, ONCE).close();
		}
	}

	@Test
	void otherReadersWaitUntilTheFormerWriterHasReadToo() throws Exception {
		LockHandle writer = this.locks.acquire(this.write, ONCE);
		List<CompletableFuture<LockHandle>> readers = List.of(acquire(this.locks, this.read, PATIENT),
				acquire(this.others, this.read, PATIENT));
		awaitWaiters(2);
		LockHandle reader = this.locks.acquire(this.read, ONCE);

		writer.close();

		assertThat(reader.verify()).isTrue();
		awaitWaiters(2);
		reader.close();
		for (CompletableFuture<LockHandle> other : readers) {
			get(other).close();
		}
	}

	@Test
	void lockOfAFormerWriterIsRenewed() throws Exception {
		LockHandle writer = this.locks.acquire(this.write,
				LockOptions.options().timeout(Duration.ofSeconds(3)).waitTime(MINUTE));
		LockHandle reader = this.locks.acquire(this.read, ONCE);

		writer.close();

		Awaitility.await("longer than the lease")
			.atMost(Duration.ofSeconds(30))
			.until(() -> this.listener.events.stream().filter("renewed"::equals).count() >= 4);
		reader.extend(MINUTE);
		assertThat(this.others.inspect(this.write).orElseThrow().freeIn()).isGreaterThan(Duration.ofSeconds(50));
		assertThat(this.others.tryAcquire(this.read)).isNull();
		reader.close();
	}

	@Test
	void formerWriterIsNotifiedOfTheLossOfItsLock() {
		LockHandle writer = this.locks.acquire(this.write, ONCE);
		LockHandle reader = this.locks.acquire(this.read, ONCE);
		AtomicInteger losses = new AtomicInteger();
		writer.onLost(losses::incrementAndGet);
		writer.close();
		reader.onLost(losses::incrementAndGet);
		this.others.forceRelease(this.write);

		assertThat(reader.verify()).isFalse();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(reader::close);
		Awaitility.await().atMost(SOON).until(() -> losses.get() == 1);
		assertThat(this.listener.events).containsOnlyOnce("lost");
	}

	@Test
	void readLockOfWorkOutlivesTheWriteLock() throws Exception {
		LockHandle reader = this.locks.execute(this.write, PATIENT, () -> {
			this.locks.execute(this.read, PATIENT, () -> assertThat(this.others.tryAcquire(this.read)).isNull());
			return this.locks.acquire(this.read, ONCE);
		});

		assertThat(reader.verify()).isTrue();
		assertThat(this.others.tryAcquire(this.read)).isNull();
		reader.close();
		this.others.acquire(this.read, ONCE).close();
	}

	// the other APIs

	@Test
	void futuresShareALock() throws Exception {
		AsyncLockOperations async = this.locks.async();
		AsyncLockHandle writer = get(async.acquire(this.write, PATIENT));
		List<CompletableFuture<AsyncLockHandle>> readers = List.of(async.acquire(this.read, PATIENT),
				async.acquire(this.read, PATIENT));
		awaitWaiters(2);

		assertThat(get(writer.release())).isEqualTo(ReleaseOutcome.RELEASED);

		for (CompletableFuture<AsyncLockHandle> reader : readers) {
			assertThat(get(get(reader).verify())).isTrue();
		}
		assertHolders(2);
		assertThat(get(async.tryAcquire(this.write, ONCE))).isNull();
		for (CompletableFuture<AsyncLockHandle> reader : readers) {
			assertThat(get(get(reader).release())).isEqualTo(ReleaseOutcome.RELEASED);
		}
		assertThat(get(async.isLocked(LockTarget.of(this.name)))).isFalse();
	}

	@Test
	void readLockOfAsyncWorkOutlivesTheWriteLock() throws Exception {
		AsyncLockOperations async = this.locks.async();

		AsyncLockHandle reader = get(async.execute(this.write, PATIENT, (lock) -> async.acquire(this.read, ONCE)));

		assertThat(get(reader.verify())).isTrue();
		assertThat(get(async.tryAcquire(this.read, ONCE))).isNull();
		assertThat(get(reader.release())).isEqualTo(ReleaseOutcome.RELEASED);
		get(get(async.acquire(this.read, PATIENT)).close());
	}

	@Test
	void readersBeyondTheLimitAreRefusedAtOnce() throws Exception {
		LockOptions limited = PATIENT.maxWaiters(2);
		LockHandle writer = this.others.acquire(this.write, ONCE);
		List<CompletableFuture<AsyncLockHandle>> readers = IntStream.range(0, 50)
			.mapToObj((number) -> this.locks.async().acquire(this.read, limited))
			.toList();

		Awaitility.await()
			.until(() -> readers.stream().filter(CompletableFuture::isCompletedExceptionally).count() == 48);

		awaitWaiters(2);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(this.read, limited))
			.satisfies((refused) -> {
				assertThat(refused.getWaitingCallers()).isEqualTo(2);
				assertThat(refused.getHolder()).isNotNull();
				assertThat(refused.getHolder().holder()).isEqualTo("other-one");
			});
		assertThat(this.locks.local().refusedAtOnce()).isEqualTo(49);
		writer.close();
		for (CompletableFuture<AsyncLockHandle> reader : readers) {
			if (!reader.isCompletedExceptionally()) {
				get(get(reader).close());
			}
		}
		Awaitility.await().until(this.locks::isIdle);
	}

	@Test
	void readersOfAFreeLockAreNotLimited() throws Exception {
		LockOptions limited = PATIENT.maxWaiters(1);

		List<CompletableFuture<AsyncLockHandle>> readers = IntStream.range(0, 50)
			.mapToObj((number) -> this.locks.async().acquire(this.read, limited))
			.toList();

		for (CompletableFuture<AsyncLockHandle> reader : readers) {
			get(get(reader).close());
		}
		Awaitility.await().until(this.locks::isIdle);
	}

	@Test
	void cancelledReaderMakesRoomForTheNext() throws Exception {
		LockOptions limited = PATIENT.maxWaiters(1);
		LockHandle writer = this.others.acquire(this.write, ONCE);
		CompletableFuture<AsyncLockHandle> reader = this.locks.async().acquire(this.read, limited);
		awaitWaiters(1);
		assertThat(this.locks.tryAcquire(this.read, limited)).isNull();

		reader.cancel(true);

		awaitWaiters(0);
		CompletableFuture<AsyncLockHandle> next = this.locks.async().acquire(this.read, limited);
		awaitWaiters(1);
		writer.close();
		get(get(next).close());
		Awaitility.await().until(this.locks::isIdle);
	}

	@Test
	void cancelledReaderLeavesTheQueue() throws Exception {
		LockHandle writer = this.others.acquire(this.write, ONCE);
		CompletableFuture<AsyncLockHandle> reader = this.locks.async().acquire(this.read, PATIENT);
		CompletableFuture<AsyncLockHandle> permit = this.locks.async()
			.acquire(LockTarget.of(this.name).permits(2), PATIENT);
		awaitWaiters(2);

		reader.cancel(true);

		awaitWaiters(1);
		writer.close();
		AsyncLockHandle held = get(permit);
		assertHolders(1);
		get(held.release());
	}

	@Test
	void readLockOfReactiveWorkOutlivesTheWriteLock() {
		ReactiveLockTemplate reactive = new ReactiveLockTemplate(this.locks);

		ReactiveLockHandle reader = reactive.execute(this.write, PATIENT, reactive.acquire(this.read, ONCE))
			.block(SOON);

		assertThat(reader.verify().block(SOON)).isTrue();
		assertThat(reactive.tryAcquire(this.read, ONCE).blockOptional(SOON)).isEmpty();
		assertThat(reader.release().block(SOON)).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(reactive.acquire(this.read, ONCE).block(SOON).release().block(SOON))
			.isEqualTo(ReleaseOutcome.RELEASED);
	}

	// loss and renewal

	@Test
	void lossByOneHolderDoesNotAffectTheOthers() throws Exception {
		LockHandle one = this.locks.acquire(this.read, ONCE);
		LockHandle two = elsewhere(() -> this.locks.acquire(this.read, ONCE));
		LockStore store = createStore();
		store.release(new AcquireRequest(this.read, one.owner(), "an operator's", MINUTE), Duration.ZERO)
			.toCompletableFuture()
			.get(20, TimeUnit.SECONDS);
		store.close();

		assertThat(one.verify()).isFalse();

		assertThat(one.isHeld()).isFalse();
		assertThat(one.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThat(two.verify()).isTrue();
		assertHolders(1);
		assertThat(this.listener.events).containsOnlyOnce("lost");
		assertThat(two.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void forcedReleaseTakesTheLockFromAllHolders() throws Exception {
		LockHandle one = this.locks.acquire(this.read, ONCE);
		LockHandle two = elsewhere(() -> this.locks.acquire(LockTarget.of(this.name).permits(5), ONCE));

		assertThat(this.others.forceRelease(this.read)).isTrue();

		assertThat(this.others.isLocked(this.write)).isFalse();
		assertThat(one.verify()).isFalse();
		assertThat(two.verify()).isFalse();
		assertThat(this.others.forceRelease(this.read)).isFalse();
	}

	@Test
	void sharedHoldsAreRenewedIndependently() throws Exception {
		LockOptions brief = LockOptions.options().timeout(Duration.ofSeconds(3)).waitTime(MINUTE);
		LockHandle one = this.locks.acquire(this.read, brief);
		AsyncLockHandle two = get(this.locks.async().acquire(LockTarget.of(this.name).permits(2), brief));
		LockHandle left = this.others.acquire(this.read, brief.autoRenew(false));

		Awaitility.await("lease that is not renewed is over")
			.atMost(Duration.ofSeconds(30))
			.until(() -> !left.isHeld() && this.others.inspect(this.read).orElseThrow().holders() == 2);

		assertThat(one.verify()).isTrue();
		assertThat(get(two.verify())).isTrue();
		one.close();
		get(two.release());
	}

	@Test
	void readerLeaseCanBeExtended() {
		try (LockHandle lock = this.locks.acquire(this.read, ONCE)) {
			lock.extend(Duration.ofMinutes(10));

			assertThat(lock.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertThat(this.others.inspect(this.read).orElseThrow().freeIn()).isGreaterThan(Duration.ofMinutes(10));
		}
	}

	// waiting

	@Test
	void interruptedReaderLeavesTheQueue() throws Exception {
		LockHandle writer = this.others.acquire(this.write, ONCE);
		CompletableFuture<Throwable> failure = new CompletableFuture<>();
		Thread reader = new Thread(() -> {
			try {
				this.locks.acquire(this.read, PATIENT);
				failure.complete(null);
			}
			catch (LockInterruptedException ex) {
				failure.complete(ex);
			}
		});
		reader.start();
		awaitWaiters(1);

		reader.interrupt();

		assertThat(failure).succeedsWithin(SOON).isInstanceOf(LockInterruptedException.class);
		awaitWaiters(0);
		writer.close();
		assertThat(this.others.isLocked(this.write)).isFalse();
	}

	@Test
	void timedOutReaderIsRefusedAndLeavesTheQueue() {
		LockHandle writer = this.others.acquire(this.write, ONCE);

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(this.read, PATIENT.waitTime(Duration.ofMillis(300))))
			.satisfies(
					(refused) -> assertThat(refused.getHolder()).extracting(LockState::holder).isEqualTo("other-one"));

		awaitWaiters(0);
		writer.close();
		this.others.acquire(this.write, ONCE).close();
	}

	@Test
	void closingReleasesSharedHoldsAndRejectsWaitingReaders() throws Exception {
		LockTemplate closing = open("closing", LockConfiguration.defaults().closeWait(Duration.ZERO));
		LockHandle held = closing.acquire(this.read, ONCE);
		LockHandle other = this.others.acquire(this.read, ONCE);
		CompletableFuture<LockHandle> writer = acquire(this.others, this.write, PATIENT);
		awaitWaiters(1);
		CompletableFuture<LockHandle> reader = acquire(closing, this.read, PATIENT);
		awaitWaiters(2);

		closing.close();

		assertThat(reader).failsWithin(SOON).withThrowableThat().withCauseInstanceOf(LockShutdownException.class);
		assertThat(held.isHeld()).isFalse();
		awaitWaiters(1);
		assertHolders(1);
		other.close();
		writer.get(20, TimeUnit.SECONDS).close();
	}

	private LockTemplate open(String instance, LockConfiguration configuration) {
		LockTemplate template = new LockTemplate(createStore(), configuration.instance(instance));
		this.templates.add(template);
		return template;
	}

	private void assertHolders(int count) {
		assertThat(this.others.inspect(this.write))
			.hasValueSatisfying((state) -> assertThat(state.holders()).isEqualTo(count));
	}

	private void awaitWaiters(long count) {
		Awaitility.await("waiters")
			.atMost(SOON)
			.until(() -> this.others.inspect(this.write).map(LockState::waiters).orElse(0L) == count);
	}

	/**
	 * Wait for a lock on a separate thread, which is interrupted if the future is
	 * cancelled.
	 */
	private static CompletableFuture<LockHandle> acquire(LockTemplate locks, LockTarget target, LockOptions options) {
		return start(() -> locks.acquire(target, options));
	}

	private static <T> T elsewhere(Task<T> task) throws Exception {
		return get(start(task));
	}

	/**
	 * Uses a new thread each time, because a pooled one might already hold a lock and
	 * reenter it.
	 */
	private static <T> CompletableFuture<T> start(Task<T> task) {
		CompletableFuture<T> result = new CompletableFuture<>();
		Thread thread = new Thread(() -> {
			try {
				result.complete(task.run());
			}
			catch (Throwable ex) {
				result.completeExceptionally(ex);
			}
		});
		thread.setDaemon(true);
		thread.start();
		result.whenComplete((value, failure) -> {
			if (result.isCancelled()) {
				thread.interrupt();
			}
		});
		return result;
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(20, TimeUnit.SECONDS);
	}

	private interface Task<T> {

		T run() throws Exception;

	}

}
