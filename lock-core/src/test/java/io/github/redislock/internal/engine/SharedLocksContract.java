package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.OwnerTokens;
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

	@Test
	void sharingModesExcludeOneAnotherAsDeclared() throws Exception {
		AtomicInteger readers = new AtomicInteger();
		AtomicInteger writers = new AtomicInteger();
		AtomicInteger permits = new AtomicInteger();
		AtomicInteger mostReaders = new AtomicInteger();
		LockTarget permit = LockTarget.of(this.name).permits(2);
		List<CompletableFuture<Integer>> callers = IntStream.range(0, 10)
			.mapToObj((number) -> CompletableFuture.supplyAsync(() -> {
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
			}, OwnThread::run))
			.toList();

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
	void readLockOfWorkOutlivesTheWriteLock() throws Exception {
		for (AsyncLockOperations face : List.of(new BlockingFace(this.locks, Runnable::run), this.locks.async(),
				new ReactiveFace(new ReactiveLockTemplate(this.locks)))) {
			AsyncLockHandle reader = get(face.execute(this.write, PATIENT, (lock) -> face.acquire(this.read, ONCE)));

			assertThat(get(reader.verify())).isTrue();
			assertThat(this.others.tryAcquire(this.read)).isNull();
			assertThat(elsewhere(() -> this.locks.tryAcquire(this.read, ONCE))).isNull();
			assertThat(get(reader.release())).isEqualTo(ReleaseOutcome.RELEASED);
			this.others.acquire(this.read, ONCE).close();
		}
	}

	// a limit on waiting

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
	void readerLeaseCanBeExtended() {
		try (LockHandle lock = this.locks.acquire(this.read, ONCE)) {
			lock.extend(Duration.ofMinutes(10));

			assertThat(lock.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertThat(this.others.inspect(this.read).orElseThrow().freeIn()).isGreaterThan(Duration.ofMinutes(10));
		}
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

	private static <T> T elsewhere(Supplier<T> task) throws Exception {
		return get(CompletableFuture.supplyAsync(task, OwnThread::run));
	}

	private static <T> T get(CompletableFuture<T> future) throws Exception {
		return future.get(20, TimeUnit.SECONDS);
	}

}
