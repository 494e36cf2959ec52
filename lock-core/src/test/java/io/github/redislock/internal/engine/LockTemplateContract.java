package io.github.redislock.internal.engine;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Additional promises to callers that block, tested with any store in real time.
 */
public abstract class LockTemplateContract extends FaceContract {

	private static final LockOptions PATIENT = LockOptions.options().waitTime(MINUTE);

	private final List<Thread> callers = new CopyOnWriteArrayList<>();

	/**
	 * Uses a new thread each time, because a pooled one might already hold a lock and
	 * reenter it.
	 */
	private final Executor threads = (task) -> {
		Thread caller = daemon(task);
		this.callers.add(caller);
		caller.start();
	};

	private LockTemplate locks;

	@Override
	AsyncLockOperations face(LockTemplate template) {
		return new BlockingFace(template, Runnable::run);
	}

	@Override
	AsyncLockOperations callers(LockTemplate template) {
		return new BlockingFace(template, this.threads);
	}

	@Override
	int crowd() {
		return 500;
	}

	@Override
	void awaitQueued(int count) {
		super.awaitQueued(count);
		// The waiter is in the queue once it is counted and its thread sleeps.
		await().until(() -> this.callers.stream()
			.allMatch((caller) -> !caller.isAlive() || caller.getState() == Thread.State.WAITING));
	}

	@BeforeEach
	void useTemplate() {
		this.locks = this.template;
	}

	// Work under a lock

	@Test
	void workWithoutAResultRuns() {
		AtomicInteger runs = new AtomicInteger();

		this.locks.execute(this.name, () -> {
			runs.incrementAndGet();
		});
		this.locks.execute(this.target, LockOptions.options().timeout(MINUTE), () -> {
			runs.incrementAndGet();
		});

		assertThat(runs).hasValue(2);
	}

	@Test
	void workReceivesItsLock() {
		long token = this.locks.execute(this.target, (lock) -> {
			assertThat(lock).isSameAs(LockContext.current());
			return lock.fencingToken();
		});

		assertThat(token).isPositive();
		String held = this.locks.execute(this.target, LockOptions.options().timeout(MINUTE), LockHandle::name);
		assertThat(held).isEqualTo(this.name);
	}

	@Test
	void checkedExceptionOfTheWorkIsRethrownUnchanged() {
		IOException failure = new IOException("disk full");

		for (Work work : List.<Work>of(this::fail, this::failWithLock, this::failWithOptions)) {
			IOException thrown = catchThrowableOfType(IOException.class, () -> work.failWith(failure));

			assertThat(thrown).isSameAs(failure).hasNoSuppressedExceptions();
			assertThat(this.locks.isLocked(this.target)).isFalse();
		}
	}

	// Acquiring a lock

	@Test
	void interruptedWaiterFailsAndStaysInterrupted() {
		LockHandle held = CompletableFuture.supplyAsync(() -> this.locks.acquire(this.target), this.threads).join();
		AtomicBoolean interrupted = new AtomicBoolean();
		AtomicReference<Thread> caller = new AtomicReference<>();
		CompletableFuture<LockHandle> waiter = CompletableFuture.supplyAsync(() -> {
			caller.set(Thread.currentThread());
			try {
				return this.locks.acquire(this.target, PATIENT.retryDelay(Duration.ofSeconds(10)));
			}
			finally {
				interrupted.set(Thread.currentThread().isInterrupted());
			}
		}, this.threads);
		awaitQueued(1);

		caller.get().interrupt();

		assertThat(failure(waiter)).isInstanceOf(LockInterruptedException.class);
		assertThat(interrupted).isTrue();
		held.close();
	}

	@Test
	void interruptedThreadSendsNoRequest() {
		Thread.currentThread().interrupt();

		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.locks.acquire(this.target));
		assertThat(Thread.interrupted()).isTrue();

		assertThat(this.store.calls("acquire")).isZero();
		assertThat(this.locks.isLocked(this.target)).isFalse();
	}

	// Reentry

	@Test
	void lockIsReleasedWithTheLastEntryInAnyOrder() {
		LockHandle first = this.locks.acquire(this.target);
		LockHandle second = this.locks.acquire(this.target);
		LockHandle third = this.locks.acquire(this.target);

		assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(first.isHeld()).isFalse();
		assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(second.isHeld()).isTrue();
		assertThat(this.locks.isLocked(this.target)).isTrue();

		assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(this.locks.isLocked(this.target)).isFalse();
	}

	@Test
	void lostLockIsReacquiredInsteadOfReentered() {
		LockHandle lost = this.locks.acquire(this.target);
		loseIt();
		assertThat(lost.verify()).isFalse();

		try (LockHandle anew = this.locks.acquire(this.target)) {
			// A server of a quorum may report the forced release late, and then the store
			// is asked.
			await().until(anew::isHeld);
			assertThat(anew.owner()).isNotEqualTo(lost.owner());
			assertThat(lost.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
			assertThat(anew.verify()).isTrue();
		}
	}

	// The handle

	@Test
	void handleMayBeUsedFromAnotherThread() {
		LockHandle lock = this.locks.acquire(this.target);

		ReleaseOutcome outcome = CompletableFuture.supplyAsync(() -> {
			assertThat(lock.isHeld()).isTrue();
			assertThat(lock.verify()).isTrue();
			lock.renew(MINUTE);
			return lock.release();
		}, this.threads).join();

		assertThat(outcome).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(lock.isHeld()).isFalse();
		this.locks.acquire(this.target).close();
	}

	@Test
	void interruptDoesNotStopARelease() {
		LockHandle lock = this.locks.acquire(this.target);
		Thread.currentThread().interrupt();

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);

		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.locks.isLocked(this.target)).isFalse();
	}

	@Test
	void heldLockIsRenewed() {
		// Renewed after a third of the lease, which tolerates a machine that stalls for
		// the rest.
		try (LockHandle lock = this.locks.acquire(this.target, LockOptions.options().timeout(Duration.ofSeconds(6)))) {
			await().until(() -> this.listener.events.contains("renewed"));
			assertThat(lock.verify()).isTrue();
		}
		assertThat(this.listener.events).doesNotContain("lost");
	}

	// Closing the template

	@Test
	void closingTwiceClosesTheStoreOnce() {
		CountingStore counted = new CountingStore(createStore());
		LockTemplate closing = new LockTemplate(counted, LockConfiguration.defaults());

		closing.close();
		closing.close();

		assertThat(counted.calls("close")).isEqualTo(1);
	}

	@Test
	void inspectOnAClosedTemplateReturnsOrFailsWithTheLockName() {
		LockTemplate closed = new LockTemplate(createStore(), LockConfiguration.defaults());
		closed.close();

		try {
			closed.inspect(this.target);
		}
		catch (LockStoreException ex) {
			assertThat(ex.getLockName()).isEqualTo(this.name);
		}
	}

	// Lock names

	@Test
	void nameOf1024BytesIsAcceptedButNotALongerOne() {
		String longest = "ü".repeat(512);

		this.locks.acquire(LockTarget.of(longest)).close();

		assertThatIllegalArgumentException().isThrownBy(() -> this.locks.acquire(LockTarget.of(longest + "x")));
	}

	@ParameterizedTest
	@ValueSource(strings = { "a b", "{a}", "{}", "a}b{", "{{a}}", "ключ", "🔒", "a:b:c", "'\"\\", "%s%n" })
	void nameMayContainUnusualCharacters(String odd) {
		try (LockHandle lock = this.locks.acquire(LockTarget.of(odd))) {
			assertThat(lock.verify()).isTrue();
			assertThat(this.locks.inspect(LockTarget.of(odd)).orElseThrow().name()).isEqualTo(odd);
		}
		assertThat(this.locks.isLocked(LockTarget.of(odd))).isFalse();
	}

	// The context

	@Test
	void contextIsTheInnermostLockUntilItsWorkEnds() {
		assertThatIllegalStateException().isThrownBy(LockContext::current);

		this.locks.execute(this.name, () -> {
			LockHandle outer = LockContext.current();
			assertThat(outer.name()).isEqualTo(this.name);
			this.locks.execute(this.name + ":inner",
					() -> assertThat(LockContext.current().name()).isEqualTo(this.name + ":inner"));
			assertThat(LockContext.current()).isSameAs(outer);
			assertThatIllegalStateException().isThrownBy(() -> this.locks.execute(this.name + ":failing", () -> {
				throw new IllegalStateException("test");
			}));
			assertThat(LockContext.current()).isSameAs(outer);
		});

		assertThatIllegalStateException().isThrownBy(LockContext::current);
	}

	@Test
	void virtualThreadsTakeTurnsAndReenter() throws Exception {
		Method starter = virtualThreadStarter();
		int[] counter = new int[1];

		List<CompletableFuture<Void>> workers = IntStream.range(0, 500)
			.mapToObj((i) -> CompletableFuture
				.runAsync(() -> this.locks.execute(this.target, PATIENT, () -> this.locks.execute(this.name, () -> {
					counter[0]++;
				})), (task) -> start(starter, task)))
			.toList();
		CompletableFuture.allOf(workers.toArray(CompletableFuture[]::new)).get();

		assertThat(counter[0]).isEqualTo(500);
	}

	private static Method virtualThreadStarter() throws NoSuchMethodException {
		boolean present = Runtime.version().feature() >= 21;
		if (!present) {
			System.out.println("[skipped] virtual threads came with Java 21, this is " + Runtime.version());
		}
		assumeTrue(present);
		return Thread.class.getMethod("startVirtualThread", Runnable.class);
	}

	private static void start(Method starter, Runnable task) {
		try {
			starter.invoke(null, task);
		}
		catch (IllegalAccessException | InvocationTargetException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// These calls compile without "throws Exception", because the exception type is
	// inferred.

	private void fail(IOException failure) throws IOException {
		this.locks.execute(this.target, () -> {
			throw failure;
		});
	}

	private void failWithLock(IOException failure) throws IOException {
		this.locks.execute(this.target, (lock) -> {
			throw failure;
		});
	}

	private String failWithOptions(IOException failure) throws IOException {
		return this.locks.execute(this.target, LockOptions.options(), (lock) -> {
			if (lock.isHeld()) {
				throw failure;
			}
			return lock.name();
		});
	}

	private void loseIt() {
		assertThat(template("operator").forceRelease(this.target)).isTrue();
	}

	private static Thread daemon(Runnable task) {
		Thread thread = new Thread(task, "caller");
		thread.setDaemon(true);
		return thread;
	}

	private interface Work {

		void failWith(IOException failure) throws IOException;

	}

}
