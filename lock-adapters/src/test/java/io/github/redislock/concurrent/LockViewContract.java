package io.github.redislock.concurrent;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.internal.engine.LockTemplate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Tests the contract of {@link java.util.concurrent.locks.Lock}, and the behaviour when
 * the lock is lost.
 */
public abstract class LockViewContract {

	private static final LockTarget STOCK = LockTarget.of("stock");

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private final List<LockTemplate> templates = new ArrayList<>();

	private LockTemplate locks;

	private LockTemplate elsewhere;

	private LockView lock;

	/**
	 * Start an instance of an application that shares its locks with the others.
	 */
	protected abstract LockTemplate start();

	@BeforeEach
	void startTwoInstances() {
		this.locks = start();
		this.elsewhere = start();
		this.templates.addAll(List.of(this.locks, this.elsewhere));
		this.lock = new LockView(this.locks, "stock");
	}

	@Test
	void viewsOfTheSameLockAreEqual() {
		LockView other = new LockView(this.locks, LockTarget.of("stock"),
				LockOptions.options().timeout(Duration.ofMinutes(1)));

		assertThat(other).isEqualTo(this.lock).hasSameHashCodeAs(this.lock).hasToString("LockView[name=stock]");
		assertThat(new ReadWriteLockView(this.locks, "stock")).hasToString("ReadWriteLockView[name=stock]");
		assertThat(this.lock).doesNotHaveSameHashCodeAs(new LockView(this.locks, "stocks"))
			.isNotEqualTo(new LockView(this.locks, "stocks"))
			.isNotEqualTo(new LockView(this.elsewhere, "stock"))
			.isNotEqualTo(new ReadWriteLockView(this.locks, "stock").readLock())
			.isEqualTo(new ReadWriteLockView(this.locks, "stock").writeLock())
			.isNotEqualTo(null);
	}

	@Test
	void viewOfATargetExcludesOtherCallersOfThatTarget() {
		LockTarget target = LockTarget.of("stock", "a:b");

		new LockView(this.locks, target).lock();

		assertThat(this.elsewhere.tryAcquire(target)).isNull();
		assertThat(new ReadWriteLockView(this.elsewhere, target).readLock().tryLock()).isFalse();
		new LockView(this.locks, target).unlock();
		assertThat(new ReadWriteLockView(this.locks, target).writeLock()).isEqualTo(new LockView(this.locks, target));
	}

	@AfterEach
	void stopInstances() {
		this.templates.forEach(LockTemplate::close);
		assertThat(Thread.interrupted()).as("interrupt flag after the test").isFalse();
	}

	@Test
	void lockExcludesOtherInstances() {
		this.lock.lock();

		assertThat(new LockView(this.elsewhere, "stock").tryLock()).isFalse();
		assertThat(this.elsewhere.tryAcquire(STOCK)).isNull();
		this.lock.unlock();
		assertThat(this.elsewhere.isLocked(STOCK)).isFalse();
	}

	@Test
	void lockExcludesOtherThreadsOfThisInstance() throws Exception {
		this.lock.lock();

		assertThat(elsewhere(() -> this.lock.tryLock())).isFalse();
		this.lock.unlock();
		assertThat(elsewhere(() -> {
			boolean taken = this.lock.tryLock();
			this.lock.unlock();
			return taken;
		})).isTrue();
	}

	@Test
	void reentrantHoldNeedsAsManyUnlocksAsLocks() throws Exception {
		this.lock.lock();
		this.lock.lockInterruptibly();
		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock(1, TimeUnit.SECONDS)).isTrue();

		this.lock.unlock();
		this.lock.unlock();
		this.lock.unlock();
		assertThat(this.elsewhere.isLocked(STOCK)).isTrue();

		this.lock.unlock();
		assertThat(this.elsewhere.isLocked(STOCK)).isFalse();
	}

	@Test
	void templateReentersALockHeldThroughTheView() {
		this.lock.lock();

		this.locks.execute(STOCK, LockOptions.options().retry(0),
				() -> assertThat(this.locks.isLocked(STOCK)).isTrue());

		assertThat(this.elsewhere.isLocked(STOCK)).isTrue();
		this.lock.unlock();
	}

	@Test
	void onlyTheLockingThreadMayUnlock() throws Exception {
		this.lock.lock();

		assertThatThrownBy(() -> elsewhere(() -> {
			this.lock.unlock();
			return null;
		})).hasRootCauseInstanceOf(IllegalMonitorStateException.class);

		assertThat(this.lock.handle().verify()).isTrue();
		this.lock.unlock();
	}

	@Test
	void unlockOfAFreeLockFails() {
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock)
			.withMessageContaining("'stock'");
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::handle);
	}

	@Test
	void tryLockDoesNotWait() {
		LockHandle other = this.elsewhere.acquire(STOCK);
		LockView patient = new LockView(this.locks, LockTarget.of("stock"),
				LockOptions.options().waitTime(Duration.ofMinutes(1)));
		long begin = System.nanoTime();

		assertThat(patient.tryLock()).isFalse();

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(PATIENCE);
		other.close();
	}

	@Test
	void timedTryLockWaitsAndThenReturnsFalse() throws InterruptedException {
		LockHandle other = this.elsewhere.acquire(STOCK);
		long begin = System.nanoTime();

		assertThat(this.lock.tryLock(200, TimeUnit.MILLISECONDS)).isFalse();

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		awaitWaiters("stock", 0);
		other.close();
		assertThat(this.lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();
		this.lock.unlock();
	}

	@Test
	void lockWaitsLongerThanTheDefaultWaitingTime() throws Exception {
		LockHandle other = this.elsewhere.acquire(STOCK);
		FutureTask<Boolean> waiter = run(() -> {
			this.lock.lock();
			this.lock.unlock();
			return true;
		});
		awaitWaiter("stock");

		// By default the template waits for three times 100 ms.
		Awaitility.await()
			.during(Duration.ofMillis(600))
			.atMost(PATIENCE)
			.until(() -> !waiter.isDone() && this.elsewhere.isLocked(STOCK));
		other.close();

		assertThat(waiter.get(20, TimeUnit.SECONDS)).isTrue();
	}

	@Test
	void lockIgnoresInterruptsAndKeepsTheInterruptFlag() throws Exception {
		LockHandle other = this.elsewhere.acquire(STOCK);
		AtomicBoolean flag = new AtomicBoolean();
		CountDownLatch begun = new CountDownLatch(1);
		Thread thread = new Thread(() -> {
			begun.countDown();
			this.lock.lock();
			flag.set(Thread.currentThread().isInterrupted());
			this.lock.unlock();
		});
		thread.start();
		begun.await();
		awaitWaiter("stock");

		thread.interrupt();
		Awaitility.await().atMost(PATIENCE).until(() -> !thread.isInterrupted());
		awaitWaiter("stock");
		assertThat(thread.isAlive()).isTrue();
		other.close();
		thread.join(PATIENCE.toMillis());

		assertThat(thread.isAlive()).isFalse();
		assertThat(flag).isTrue();
	}

	@Test
	void lockAndTryLockWorkWithTheInterruptFlagSet() {
		Thread.currentThread().interrupt();

		this.lock.lock();
		boolean again = this.lock.tryLock();
		this.lock.unlock();
		this.lock.unlock();

		assertThat(again).isTrue();
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.elsewhere.isLocked(STOCK)).isFalse();
	}

	@Test
	void interruptEndsLockInterruptibly() throws Exception {
		LockHandle other = this.elsewhere.acquire(STOCK);
		List<Throwable> outcome = new ArrayList<>();
		AtomicBoolean flag = new AtomicBoolean();
		Thread thread = new Thread(() -> {
			try {
				this.lock.lockInterruptibly();
			}
			catch (Throwable ex) {
				outcome.add(ex);
			}
			flag.set(Thread.currentThread().isInterrupted());
		});
		thread.start();
		awaitWaiter("stock");

		thread.interrupt();
		thread.join(PATIENCE.toMillis());

		assertThat(outcome).singleElement().isInstanceOf(InterruptedException.class);
		assertThat(flag).as("flag, cleared as by any method that throws it").isFalse();
		other.close();
		Awaitility.await().atMost(PATIENCE).until(() -> !this.elsewhere.isLocked(STOCK));
	}

	@Test
	void timedTryLockFailsIfTheThreadIsInterrupted() {
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> this.lock.tryLock(1, TimeUnit.SECONDS));

		assertThat(this.elsewhere.isLocked(STOCK)).isFalse();
	}

	@Test
	void shutdownEndsTheWait() throws Exception {
		LockHandle other = this.elsewhere.acquire(STOCK);
		FutureTask<Void> waiter = run(() -> {
			this.lock.lock();
			return null;
		});
		awaitWaiter("stock");

		this.locks.close();

		assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> waiter.get(20, TimeUnit.SECONDS))
			.withCauseInstanceOf(LockShutdownException.class);
		other.close();
	}

	@Test
	void lossIsReportedByTheHandleAndTheLastUnlock() {
		AtomicBoolean told = new AtomicBoolean();
		this.lock.lock();
		this.lock.lock();
		this.lock.handle().onLost(() -> told.set(true));

		lose();

		assertThat(this.lock.handle().isHeld()).isFalse();
		Awaitility.await().atMost(PATIENCE).untilTrue(told);
		this.lock.unlock();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void ignoredLossIsNotThrown() {
		LockView ignoring = new LockView(this.locks, LockTarget.of("stock"),
				LockOptions.options().onLost(OnLost.IGNORE));
		ignoring.lock();

		lose();

		ignoring.unlock();
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(ignoring::unlock);
	}

	@Test
	void lockReacquiredAfterALossIsHeldUntilItsOwnUnlockAndTheLastUnlockReportsTheLoss() {
		this.lock.lock();
		lose();

		assertThat(this.lock.tryLock()).isTrue();
		assertThat(this.lock.tryLock()).isTrue();
		this.lock.unlock();
		assertThat(this.lock.handle().verify()).isTrue();
		this.lock.unlock();

		assertThat(this.elsewhere.isLocked(STOCK)).isFalse();
		assertThat(this.lock.handle().isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void lostLockHeldByAnotherOwnerCannotBeReentered() {
		this.lock.lock();
		this.locks.forceRelease(STOCK);
		LockHandle other = this.elsewhere.acquire(STOCK);
		this.lock.handle().verify();

		assertThat(this.lock.tryLock()).isFalse();
		assertThat(other.verify()).isTrue();
		other.close();

		this.lock.lock();
		this.lock.unlock();
		assertThat(this.elsewhere.isLocked(STOCK)).as("held for the entry that was lost").isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(this.lock::unlock);
		assertThatExceptionOfType(IllegalMonitorStateException.class).isThrownBy(this.lock::unlock);
	}

	@Test
	void timeoutIsAppliedAndTheHandleHasAFencingToken() {
		LockView brief = new LockView(this.locks, LockTarget.of("stock"),
				LockOptions.options().timeout(Duration.ofSeconds(3)).waitTime(Duration.ofDays(1)));

		assertThat(brief.tryLock()).isTrue();

		assertThat(brief.handle().remaining()).isBetween(Duration.ofMillis(1), Duration.ofSeconds(3));
		assertThat(brief.handle().fencingToken()).isPositive();
		brief.unlock();
	}

	@Test
	void conditionsAreNotSupported() {
		assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(this.lock::newCondition);
	}

	private void lose() {
		this.locks.forceRelease(STOCK);
		assertThat(this.lock.handle().verify()).isFalse();
	}

	@Test
	void timedTryLockGetsALockThatIsReleasedInTime() throws Exception {
		LockHandle other = this.elsewhere.acquire(STOCK);
		FutureTask<Boolean> waiter = run(() -> {
			boolean acquired = this.lock.tryLock(1, TimeUnit.MINUTES);
			this.lock.unlock();
			return acquired;
		});
		awaitWaiter("stock");

		other.close();

		assertThat(waiter.get(20, TimeUnit.SECONDS)).isTrue();
	}

	private void awaitWaiter(String name) {
		awaitWaiters(name, 1);
	}

	private void awaitWaiters(String name, int count) {
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> this.elsewhere.inspect(LockTarget.of(name))
				.filter((state) -> state.waiters() == count)
				.isPresent());
	}

	private static <T> T elsewhere(Callable<T> work) throws Exception {
		return run(work).get(20, TimeUnit.SECONDS);
	}

	private static <T> FutureTask<T> run(Callable<T> work) {
		FutureTask<T> task = new FutureTask<>(work);
		new Thread(task, "other").start();
		return task;
	}

}
