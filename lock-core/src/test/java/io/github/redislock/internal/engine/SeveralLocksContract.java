package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.OwnerTokens;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.OwnThread;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Promises about several locks at once, tested with any store in real time.
 */
public abstract class SeveralLocksContract {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final LockOptions PATIENT = LockOptions.options().timeout(MINUTE).waitTime(MINUTE);

	private static final LockOptions ONCE = LockOptions.options().timeout(MINUTE).retry(0);

	private final String prefix = "several:" + UUID.randomUUID() + ":";

	private final LockTarget a = LockTarget.of(this.prefix + "a");

	private final LockTarget b = LockTarget.of(this.prefix + "b");

	private final LockTarget c = LockTarget.of(this.prefix + "c");

	private final LockTarget ab = LockTarget.allOf(this.b, this.a);

	private final LockTarget bc = LockTarget.allOf(this.b, this.c);

	private final LockTarget abc = LockTarget.allOf(this.c, this.b, this.a);

	private final List<AutoCloseable> closed = new ArrayList<>();

	private final RecordingListener listener = new RecordingListener();

	private LockTemplate locks;

	private LockTemplate others;

	/**
	 * Return a store; all stores of one test share their locks.
	 */
	protected abstract LockStore createStore();

	/**
	 * Return whether the store acquires several locks in one step.
	 */
	protected boolean takesAllAtOnce() {
		return true;
	}

	/**
	 * Return whether the store has a queue and counts its waiters.
	 */
	protected boolean handsOver() {
		return true;
	}

	@BeforeEach
	void openTemplates() {
		this.locks = open("this-one");
		this.others = open("other-one");
	}

	@AfterEach
	void closeAll() throws Exception {
		for (AutoCloseable one : this.closed) {
			one.close();
		}
	}

	// all or none

	@Test
	void severalLocksAreHeldAndReleasedTogether() {
		try (LockHandle lock = this.locks.acquire(this.abc, ONCE)) {
			assertThat(lock.name()).isEqualTo(this.abc.name());
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.verify()).isTrue();
			assertThat(this.abc.each()).allSatisfy((one) -> {
				assertThat(this.others.tryAcquire(one)).isNull();
				assertThat(this.others.inspect(one))
					.hasValueSatisfying((state) -> assertThat(state.owner()).as("one owner").isEqualTo(lock.owner()));
			});
		}

		assertThat(this.abc.each()).noneMatch(this.others::isLocked);
	}

	@Test
	void noLockIsAcquiredIfOneIsHeld() {
		try (LockHandle other = this.others.acquire(this.b, ONCE)) {
			assertThat(this.locks.tryAcquire(this.abc)).isNull();

			assertThat(this.others.isLocked(this.a)).isFalse();
			assertThat(this.others.isLocked(this.c)).isFalse();
			assertThat(this.others.isLocked(this.abc)).isTrue();
			assertThat(other.verify()).isTrue();
		}
		this.others.acquire(this.abc, ONCE).close();
	}

	@Test
	void refusalNamesTheHeldLock() {
		try (LockHandle other = this.others.acquire(this.b, ONCE)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(this.abc, ONCE))
				.satisfies((refused) -> assertThat(refused.getHolder()).satisfies((holder) -> {
					assertThat(holder.name()).isEqualTo(this.b.name());
					assertThat(holder.holder()).isEqualTo("other-one");
					assertThat(holder.shortOwner()).isEqualTo(OwnerTokens.shortened(other.owner()));
					assertThat(holder.owner()).isNull();
					assertThatIllegalArgumentException().isThrownBy(() -> this.locks.forceRelease(this.b, holder))
						.withMessageContaining("has no owner token");
				}));
		}
	}

	@Test
	void setsWithoutACommonLockDoNotExcludeOneAnother() {
		try (LockHandle one = this.locks.acquire(this.ab, ONCE); LockHandle other = this.others.acquire(this.c, ONCE)) {
			assertThat(one.verify()).isTrue();
			assertThat(other.verify()).isTrue();
		}
	}

	@Test
	void fencingTokensGrowForEachOfTheLocks() {
		long last = 0;
		for (LockTarget target : List.of(this.ab, this.b, this.abc, this.c, this.bc, this.a, this.ab)) {
			try (LockHandle lock = this.locks.acquire(target, ONCE)) {
				assertThat(lock.fencingToken()).as("token of %s", target).isGreaterThan(last);
				last = lock.fencingToken();
			}
		}
	}

	@Test
	void allLocksAreKeptForTheMinimumTime() {
		this.locks.acquire(this.ab, ONCE.atLeastFor(Duration.ofSeconds(3))).close();

		assertThat(this.others.tryAcquire(this.a)).isNull();
		assertThat(this.others.tryAcquire(this.b)).isNull();
	}

	@Test
	void tooManyLocksAreRejected() {
		LockTarget many = many(65);

		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(many, ONCE))
			.withMessageContaining("65 locks, but at most 64 can be acquired together (LockConfiguration.maxKeys)");
		assertThat(many.each()).noneMatch(this.others::isLocked);
	}

	@Test
	void maximumNumberOfLocksIsAcquired() {
		LockTarget many = many(64);

		try (LockHandle lock = this.locks.acquire(many, ONCE)) {
			assertThat(lock.verify()).isTrue();
			assertThat(many.each()).allMatch(this.others::isLocked);
		}

		assertThat(many.each()).noneMatch(this.others::isLocked);
	}

	private LockTarget many(int count) {
		return LockTarget
			.allOf(IntStream.range(0, count).mapToObj((number) -> LockTarget.of(this.prefix, number)).toList());
	}

	// one handle

	@Test
	void leasesOfAllLocksAreExtendedTogether() {
		try (LockHandle lock = this.locks.acquire(this.ab, ONCE)) {
			lock.extend(Duration.ofMinutes(10));

			assertThat(lock.remaining()).isGreaterThan(Duration.ofMinutes(10));
			assertThat(this.ab.each()).allSatisfy((one) -> assertThat(this.others.inspect(one))
				.hasValueSatisfying((state) -> assertThat(state.freeIn()).isGreaterThan(Duration.ofMinutes(10))));
		}
	}

	@Test
	void losingOneLockLosesAllOfThem() {
		LockHandle lock = this.locks.acquire(this.abc, ONCE);
		this.others.forceRelease(this.c);
		LockHandle thief = this.others.acquire(this.c, ONCE);

		assertThat(lock.verify()).isFalse();

		assertThat(lock.isHeld()).isFalse();
		// The report of a forced release may arrive a little later on another thread.
		Awaitility.await("told")
			.untilAsserted(
					() -> assertThat(this.listener.events).filteredOn((event) -> event.startsWith("lost")).hasSize(1));
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		Awaitility.await("the rest is let go")
			.untilAsserted(() -> assertThat(this.ab.each()).noneMatch(this.others::isLocked));
		assertThat(thief.verify()).isTrue();
		thief.close();
	}

	@Test
	void forcedReleaseTakesAwayAllLocks() {
		LockHandle lock = this.locks.acquire(this.abc, ONCE);

		assertThat(this.others.forceRelease(this.abc)).isTrue();

		assertThat(this.abc.each()).noneMatch(this.others::isLocked);
		assertThat(lock.verify()).isFalse();
		assertThat(this.others.forceRelease(this.abc)).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
	}

	// reentry

	@Test
	void threadHoldingSeveralLocksReentersAnyOfThem() {
		try (LockHandle outer = this.locks.acquire(this.abc, ONCE)) {
			for (LockTarget inner : List.of(this.a, this.c, this.bc, this.abc)) {
				try (LockHandle lock = this.locks.acquire(inner, ONCE)) {
					assertThat(lock.fencingToken()).isEqualTo(outer.fencingToken());
				}
			}
			assertThat(outer.verify()).isTrue();
		}
		assertThat(this.abc.each()).noneMatch(this.others::isLocked);
	}

	@Test
	void partialOverlapWithHeldLocksIsRefusedWithAnExplanation() {
		try (LockHandle outer = this.locks.acquire(this.ab, ONCE)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(this.bc, ONCE))
				.withMessageContaining("the caller itself holds '%s'", this.ab.name());
			assertThat(outer.verify()).isTrue();
			assertThat(this.others.isLocked(this.c)).isFalse();
		}
	}

	// waiting

	@Test
	void waiterAcquiresAllLocksWhenTheLastIsFree() throws Exception {
		LockHandle first = this.others.acquire(this.a, ONCE);
		LockHandle last = this.others.acquire(this.c, ONCE);
		CompletableFuture<LockHandle> waiter = acquire(this.locks, this.abc, PATIENT);
		awaitWaiters(this.a, 1);

		first.close();
		assertThat(waiter).isNotDone();
		last.close();

		try (LockHandle lock = waiter.get(20, TimeUnit.SECONDS)) {
			assertThat(lock.verify()).isTrue();
		}
	}

	@Test
	void callersForTheSameLocksBeyondTheLimitAreRefusedAtOnce() throws Exception {
		LockHandle held = this.others.acquire(this.b, ONCE);
		CompletableFuture<LockHandle> waiter = acquire(this.locks, this.abc, PATIENT.maxWaiters(1));
		Awaitility.await().until(() -> this.locks.local().waiting().stream().anyMatch((one) -> one.behind() != null));

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.locks.acquire(this.abc, PATIENT.maxWaiters(1)))
			.satisfies((refused) -> assertThat(refused.getWaitingCallers()).isOne())
			.withMessageContaining("'%s'", this.b.name());

		held.close();
		waiter.get(20, TimeUnit.SECONDS).close();
	}

	@Test
	void waiterForSeveralLocksIsNotOvertaken() throws Exception {
		LockHandle held = this.others.acquire(this.b, ONCE);
		CompletableFuture<LockHandle> waiter = acquire(this.locks, this.ab, PATIENT);
		awaitWaiters(this.b, 1);

		// Not repeated, because a waiter that has stopped waiting may still be handed the
		// lock for a moment.
		assertThat(this.others.tryAcquire(this.a, ONCE)).as("free, but another caller waits for it").isNull();

		held.close();
		waiter.get(20, TimeUnit.SECONDS).close();
		this.others.acquire(this.a, PATIENT).close();
	}

	@Test
	void refusalNamesTheWaiterForWhichTheLockIsReserved() throws Exception {
		assumeTrue(takesAllAtOnce(), "else it is held by who waits");
		LockHandle outer = this.others.acquire(this.b, ONCE);
		CompletableFuture<LockHandle> waiter = acquire(this.locks, this.ab, PATIENT);
		awaitWaiters(this.b, 1);

		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.others.acquire(this.a, PATIENT.waitTime(Duration.ofMillis(300))))
			.satisfies((refused) -> assertThat(refused.getHolder()).satisfies((next) -> {
				assertThat(next.holder()).isEqualTo("this-one");
				assertThat(next.held()).isFalse();
				assertThat(next.since()).isNull();
			}));

		outer.close();
		waiter.get(20, TimeUnit.SECONDS).close();
	}

	@Test
	void timedOutWaitLeavesNoLockHeld() throws Exception {
		LockHandle held = this.others.acquire(this.b, ONCE);
		CompletableFuture<LockHandle> several = acquire(this.locks, this.ab,
				PATIENT.waitTime(Duration.ofMillis(1_500)));
		awaitWaiters(this.b, 1);
		CompletableFuture<LockHandle> single = acquire(this.others, this.a, PATIENT);

		assertThat(several).failsWithin(Duration.ofSeconds(20));

		single.get(20, TimeUnit.SECONDS).close();
		held.close();
		Awaitility.await("nothing is left").untilAsserted(() -> {
			assertThat(this.ab.each()).noneMatch(this.others::isLocked);
			this.others.acquire(this.ab, ONCE).close();
		});
	}

	@Test
	void waitersAreServedInArrivalOrder() throws Exception {
		assumeTrue(takesAllAtOnce(), "else they join one queue after the other");
		LockHandle held = this.others.acquire(this.abc, ONCE);
		List<String> order = Collections.synchronizedList(new ArrayList<>());
		List<CompletableFuture<Void>> waiters = new ArrayList<>();
		List<LockTarget> targets = List.of(this.ab, this.b, this.bc, this.abc, this.b);
		for (LockTarget target : targets) {
			LockTemplate own = open("waiter-" + waiters.size());
			long before = waiters(this.b);
			waiters.add(acquire(own, target, PATIENT).thenAccept((lock) -> {
				order.add(target.name());
				lock.close();
			}));
			awaitWaiters(this.b, before + 1);
		}

		held.close();

		CompletableFuture.allOf(waiters.toArray(CompletableFuture[]::new)).get(30, TimeUnit.SECONDS);
		assertThat(order).containsExactlyElementsOf(targets.stream().map(LockTarget::name).toList());
	}

	@Test
	void overlappingSetsExcludeOneAnotherWithoutStarvation() throws Exception {
		List<LockTarget> names = Stream.of("1", "2", "3", "4", "5", "6")
			.map((name) -> LockTarget.of(this.prefix + name))
			.toList();
		Map<LockTarget, AtomicLong> holders = new ConcurrentHashMap<>();
		names.forEach((name) -> holders.put(name, new AtomicLong()));
		List<LockTemplate> instances = List.of(this.locks, this.others, open("third-one"));
		List<AtomicInteger> holds = Stream.generate(AtomicInteger::new).limit(12).toList();
		List<CompletableFuture<Void>> callers = new ArrayList<>();
		AtomicLong longest = new AtomicLong();
		Phaser begin = new Phaser(holds.size());
		for (int number = 0; number < holds.size(); number++) {
			LockTemplate own = instances.get(number % 3);
			AtomicInteger mine = holds.get(number);
			Random random = new Random(number);
			callers.add(CompletableFuture.runAsync(() -> {
				begin.arriveAndAwaitAdvance();
				// All threads continue until the last one has had its turns.
				while (holds.stream().anyMatch((of) -> of.get() < 15)) {
					List<LockTarget> wanted = new ArrayList<>(names);
					Collections.shuffle(wanted, random);
					LockTarget target = LockTarget.allOf(wanted.subList(0, 1 + random.nextInt(4)));
					long askedAt = System.nanoTime();
					try (LockHandle lock = own.acquire(target, PATIENT)) {
						longest.accumulateAndGet(System.nanoTime() - askedAt, Math::max);
						target.each()
							.forEach((one) -> assertThat(holders.get(one).incrementAndGet()).as("holders of %s", one)
								.isEqualTo(1));
						assertThat(lock.isHeld()).isTrue();
						// Prevents a thread that gets no processor time for a second from
						// missing a hundred turns.
						LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
						target.each().forEach((one) -> holders.get(one).decrementAndGet());
					}
					mine.incrementAndGet();
				}
			}, OwnThread::run));
		}

		for (CompletableFuture<Void> caller : callers) {
			caller.get(50, TimeUnit.SECONDS);
		}

		System.out.println("[several] holds of 12 callers: " + holds + ", longest wait "
				+ Duration.ofNanos(longest.get()).toMillis() + " ms");
		if (handsOver()) {
			assertThat(holds).as("while the last one had 15").allSatisfy((of) -> assertThat(of).hasValueLessThan(150));
		}
		assertThat(Duration.ofNanos(longest.get())).as("longest wait").isLessThan(Duration.ofSeconds(30));
		assertThat(names).noneMatch(this.locks::isLocked);
	}

	private LockTemplate open(String instance) {
		LockTemplate template = new LockTemplate(createStore(),
				LockConfiguration.defaults().instance(instance).listeners(List.of(this.listener)));
		this.closed.add(template);
		return template;
	}

	private long waiters(LockTarget target) {
		return this.others.inspect(target).map(LockState::waiters).orElse(0L);
	}

	private void awaitWaiters(LockTarget target, long count) {
		assumeTrue(handsOver(), "has no queue: who waits asks again");
		Awaitility.await("waiters").until(() -> waiters(target) == count);
	}

	private static CompletableFuture<LockHandle> acquire(LockTemplate locks, LockTarget target, LockOptions options) {
		return CompletableFuture.supplyAsync(() -> locks.acquire(target, options), OwnThread::run);
	}

}
