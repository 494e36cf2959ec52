package io.github.redislock.internal.engine;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.internal.support.CallingThread;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.reactive.ReactiveLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/**
 * Tests which threads run asynchronous work, and what happens to its lock if those
 * threads or the executor fail. A lease of 30 s is renewed after 10 s.
 */
@Tag("promise-9")
class AsyncWorkTests {

	private static final LockTarget ORDER = LockTarget.of("order:42");

	private static final Duration THIRD = Duration.ofSeconds(10);

	private static final LockOptions LEASE = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.waitTime(Duration.ofMinutes(10));

	private final LogRecorder log = LogRecorder.warningsOf(HoldMonitor.class.getName());

	private final ManualLockTimer timer = new ManualLockTimer();

	private final RecordingListener listener = new RecordingListener();

	private final LockTemplate template = template(LockConfiguration.defaults());

	@AfterEach
	void close() {
		this.log.close();
		this.template.close();
	}

	/**
	 * Work may wait for the requests that it begins.
	 */
	@Test
	void callerWhoseThreadRunsAsynchronousWorkDoesNotSendItsRequests() {
		LockHandle before = this.template.acquire(ORDER, LEASE);
		CompletableFuture<Boolean> accepted = this.template.async(Runnable::run)
			.acquire(ORDER, LEASE)
			.thenApply((lock) -> {
				lock.release();
				return CallingThread.accepts((waits) -> {
				}, Duration.ZERO);
			});

		before.close();

		assertThat(accepted).isCompletedWithValue(false);
	}

	// Dropped references

	@Test
	void droppedHandleIsReportedAndItsLockExpires() {
		this.template.async().acquire(ORDER, LEASE).join();

		awaitCollected();

		assertThat(this.log.text())
			.contains("Lock 'order:42' can no longer be released by its caller because its handle or"
					+ " its unfinished work was garbage collected without a release");
	}

	@Test
	void handleReachableOnlyThroughItsBlockingViewIsNotDropped() {
		LockHandle blocking = this.template.async().acquire(ORDER, LEASE).join().blocking();

		collectGarbageForALease();

		assertThat(blocking.isHeld()).isTrue();
		assertThat(this.log.text()).doesNotContain("garbage collected");
	}

	@Test
	void lockNeverDeliveredToItsCallerExpires() {
		List<Runnable> discarded = new ArrayList<>();
		this.template.async(discarded::add).acquire(ORDER, LEASE);
		await().until(() -> this.template.isLocked(ORDER));

		discarded.clear();

		awaitCollected();
	}

	@Test
	void lockOfUnreachableUnfinishedWorkExpires() {
		for (OnLost onLost : OnLost.values()) {
			this.template.async().execute(ORDER, LEASE.onLost(onLost), () -> new CompletableFuture<>());
			await().until(() -> this.template.isLocked(ORDER));

			awaitCollected();
		}
	}

	@Test
	void endlessWorkKeepsItsLockWhileItHasASubscriber() {
		AtomicBoolean cancelled = new AtomicBoolean();
		Mono<String> work = Mono.<String>never().doOnCancel(() -> cancelled.set(true));
		Disposable subscriber = new ReactiveLockTemplate(this.template).execute(ORDER, LEASE, work).subscribe();
		await().until(() -> this.template.isLocked(ORDER));

		// Only the subscriber has a reference to the work.
		collectGarbageForALease();

		assertThat(this.template.isLocked(ORDER)).isTrue();
		subscriber.dispose();
		awaitFree();
		assertThat(cancelled).isTrue();
	}

	@Test
	void unfinishedWorkKeepsItsLockWhileItsResultIsReachable() {
		CompletableFuture<String> result = this.template.async().execute(ORDER, LEASE, () -> new CompletableFuture<>());
		await().until(() -> this.template.isLocked(ORDER));

		collectGarbageForALease();

		assertThat(this.template.isLocked(ORDER)).isTrue();
		result.cancel(true);
		awaitFree();
	}

	@Test
	void workKeepsItsLockIfItsCallerDropsTheResult() {
		CompletableFuture<String> work = new CompletableFuture<>();
		this.template.async().execute(ORDER, LEASE, () -> work);
		await().until(() -> this.template.isLocked(ORDER));

		collectGarbageForALease();

		assertThat(this.template.isLocked(ORDER)).isTrue();
		work.complete("done");
		await().until(this.template::isIdle);
		assertThat(this.log.text()).doesNotContain("garbage collected");
	}

	@Test
	void resultDoesNotRetainCompletedWork() {
		AtomicReference<WeakReference<byte[]>> used = new AtomicReference<>();
		CompletableFuture<String> kept = begin(used);
		assertThat(kept.join()).isEqualTo("done");

		await().until(() -> {
			System.gc();
			return used.get().refersTo(null);
		});
		assertThat(kept).isDone();
	}

	private CompletableFuture<String> begin(AtomicReference<WeakReference<byte[]>> used) {
		byte[] big = new byte[1_000_000];
		used.set(new WeakReference<>(big));
		return this.template.async()
			.execute(ORDER, () -> CompletableFuture.completedFuture((big.length > 0) ? "done" : "never"));
	}

	@Test
	void lockSurvivesTheEndOfTheRequestingThread() throws Exception {
		AtomicReference<AsyncLockHandle> taken = new AtomicReference<>();
		Thread asker = new Thread(() -> taken.set(this.template.async().acquire(ORDER, LEASE).join()));
		asker.start();
		asker.join();

		this.timer.advance(Duration.ofMinutes(2));

		assertThat(taken.get().isHeld()).isTrue();
		assertThat(taken.get().close()).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void nestedWorkKeepsTheLockAfterTheAcquiringThreadEnded() throws Exception {
		CompletableFuture<String> work = new CompletableFuture<>();
		AtomicReference<CompletableFuture<String>> result = new AtomicReference<>();
		AtomicBoolean entered = new AtomicBoolean();
		Thread taker = new Thread(() -> this.template.execute(ORDER, LEASE, () -> {
			result.set(this.template.async().execute(LockTarget.of("order:43"), LEASE, () -> {
				LockHandle again = this.template.acquire(ORDER, LEASE);
				entered.set(true);
				return work.whenComplete((done, failure) -> again.close());
			}));
			await().untilTrue(entered);
		}));
		taker.start();
		taker.join();

		for (int i = 0; i < 12; i++) {
			this.timer.advance(THIRD);
		}

		assertThat(this.template.isLocked(ORDER)).isTrue();
		assertThat(this.listener.events).doesNotContain("lost");
		work.complete("done");
		assertThat(result.get().join()).isEqualTo("done");
		await().until(this.template::isIdle);
	}

	// Threads

	@Test
	void dependentStagesOfTheResultMayBlock() {
		AsyncLockOperations locks = this.template.async();
		List<CompletableFuture<String>> all = IntStream.range(0, 50)
			.mapToObj((i) -> locks
				.execute(LockTarget.of("order:" + i % 5), LEASE, () -> CompletableFuture.completedFuture("" + i))
				.thenApply((done) -> this.template.execute(LockTarget.of("order:" + i % 5), LEASE, () -> done)))
			.toList();

		all.forEach((each) -> assertThat(each).succeedsWithin(Duration.ofSeconds(30)));
		await().until(this.template::isIdle);
	}

	@Test
	void workRunsOnDedicatedThreadsThatEndWithTheTemplate() {
		CompletableFuture<Thread> result = this.template.async()
			.execute(ORDER, () -> CompletableFuture.completedFuture(Thread.currentThread()));

		Thread worker = result.join();
		assertThat(worker).isNotSameAs(Thread.currentThread());
		assertThat(worker.getName()).startsWith("redis-lock-work-");
		assertThat(worker.isDaemon()).isTrue();
		this.template.close();
		await().atMost(Duration.ofSeconds(4)).until(() -> !worker.isAlive());
	}

	@Test
	void configuredExecutorRunsTheWorkAndCompletesFuturesOfTheHandle() throws Exception {
		ExecutorService single = Executors.newSingleThreadExecutor((task) -> new Thread(task, "mine"));
		try {
			for (AsyncLockOperations locks : List.of(template(LockConfiguration.defaults().executor(single)).async(),
					this.template.async(single))) {
				String[] names = new String[3];
				CompletableFuture<String> work = new CompletableFuture<>();
				CompletableFuture<Void> done = locks.execute(ORDER, () -> {
					names[0] = Thread.currentThread().getName();
					return work;
				}).thenAccept((result) -> names[1] = Thread.currentThread().getName());
				OwnThread.run(() -> work.complete("elsewhere"));
				done.get(20, TimeUnit.SECONDS);
				single.submit(() -> {
				}).get();
				AsyncLockHandle lock = locks.acquire(ORDER).get(20, TimeUnit.SECONDS);
				CompletableFuture<Boolean> verified = new CompletableFuture<>();
				single.execute(() -> lock.verify().thenAccept((held) -> {
					names[2] = Thread.currentThread().getName();
					verified.complete(held);
				}));

				assertThat(verified.get(20, TimeUnit.SECONDS)).isTrue();
				assertThat(names).containsOnly("mine");
				lock.close().get(20, TimeUnit.SECONDS);
			}
		}
		finally {
			single.shutdown();
		}
	}

	@Test
	void oneThreadServesManyWaiters() {
		ExecutorService single = Executors.newSingleThreadExecutor();
		try {
			AsyncLockOperations locks = this.template.async(single);
			List<CompletableFuture<String>> all = IntStream.range(0, 1_000)
				.mapToObj((i) -> locks.execute(LockTarget.of("order:" + i % 3), LEASE,
						() -> locks.execute(LockTarget.of("inner:" + i % 2), LEASE,
								() -> CompletableFuture.completedFuture("done"))))
				.toList();

			all.forEach((each) -> assertThat(each).succeedsWithin(Duration.ofSeconds(30)));
			await().until(this.template::isIdle);
		}
		finally {
			single.shutdown();
		}
	}

	@Test
	void rejectedWorkFailsAndReleasesTheLock() {
		RejectedExecutionException full = new RejectedExecutionException("full");
		AsyncLockOperations locks = this.template.async((task) -> {
			throw full;
		});
		AtomicBoolean begun = new AtomicBoolean();

		CompletableFuture<String> result = locks.execute(ORDER, () -> {
			begun.set(true);
			return CompletableFuture.completedFuture("never");
		});

		assertThat(catchThrowable(result::join)).hasCause(full);
		assertThat(begun).isFalse();
		assertThat(this.template.isIdle()).isTrue();
		// The future must still be completed on some thread.
		AsyncLockHandle lock = locks.acquire(ORDER).join();
		assertThat(lock.close()).succeedsWithin(Duration.ofSeconds(20));
	}

	@Test
	void executorFailureAfterRunningATaskDoesNotRunItTwice() {
		AsyncLockOperations locks = this.template.async((task) -> {
			task.run();
			throw new IllegalStateException("after the task");
		});
		AtomicInteger runs = new AtomicInteger();

		assertThat(locks.execute(ORDER, () -> CompletableFuture.completedFuture(runs.incrementAndGet())).join())
			.isEqualTo(1);
		AsyncLockHandle lock = locks.acquire(ORDER).join();
		assertThat(lock.isHeld()).isTrue();
		lock.close().join();
		assertThat(runs).hasValue(1);
		assertThat(this.template.isIdle()).isTrue();
	}

	@Test
	void workCancelledWhileWaitingForAThreadNeverStarts() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		AsyncLockOperations locks = this.template.async(tasks::add);
		AtomicBoolean begun = new AtomicBoolean();
		CompletableFuture<String> result = locks.execute(ORDER, () -> {
			begun.set(true);
			return CompletableFuture.completedFuture("never");
		});
		assertThat(this.template.isLocked(ORDER)).isTrue();

		result.cancel(true);
		tasks.forEach(Runnable::run);

		assertThat(begun).isFalse();
		assertThat(this.template.isIdle()).isTrue();
	}

	@Test
	void lockIsReleasedIfTheWorkFutureRejectsCallbacks() {
		CompletableFuture<String> stubborn = new CompletableFuture<>() {

			@Override
			public CompletableFuture<String> whenComplete(BiConsumer<? super String, ? super Throwable> action) {
				throw new UnsupportedOperationException("not to be watched");
			}

		};

		CompletableFuture<String> result = this.template.async().execute(ORDER, () -> stubborn);

		assertThat(catchThrowable(result::join)).hasRootCauseMessage("not to be watched");
		await().until(this.template::isIdle);
	}

	// Long chains

	@Test
	void twentyThousandSuccessiveCallsNeedNoDeepStack() {
		LockTemplate real = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		AsyncLockOperations locks = real.async(Runnable::run);
		CompletableFuture<Integer> start = new CompletableFuture<>();
		CompletableFuture<Integer> chain = start;
		for (int i = 0; i < 20_000; i++) {
			chain = chain
				.thenCompose((count) -> locks.execute(ORDER, () -> CompletableFuture.completedFuture(count + 1)));
		}

		start.complete(0);

		assertThat(chain.join()).isEqualTo(20_000);
		assertThat(real.isIdle()).isTrue();
		real.close();
	}

	@Test
	void tenThousandWaitersOfOneLockNeedNoDeepStack() {
		AsyncLockOperations locks = this.template.async(Runnable::run);
		AsyncLockHandle held = locks.acquire(ORDER, LEASE).join();
		int[] counter = new int[1];
		List<CompletableFuture<Integer>> waiters = IntStream.range(0, 10_000).mapToObj((i) -> {
			// Callers of one moment share a hash code.
			this.timer.advance(Duration.ofNanos(1));
			return locks.execute(ORDER, LEASE, () -> CompletableFuture.completedFuture(++counter[0]));
		}).toList();

		held.close().join();

		waiters.forEach((waiter) -> assertThat(waiter).isCompleted());
		assertThat(counter[0]).isEqualTo(10_000);
		assertThat(this.template.isIdle()).isTrue();
	}

	@Test
	void workThatRestartsItselfDoesNotRetainEarlierLocks() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		AsyncLockOperations locks = this.template.async(tasks::add);
		AtomicInteger deepest = new AtomicInteger();
		AtomicReference<Runnable> again = new AtomicReference<>();
		again.set(() -> locks.execute(ORDER, LEASE.reentrant(false), () -> {
			deepest.accumulateAndGet(ThreadLocks.ofWork().size(), Math::max);
			again.get().run();
			return CompletableFuture.completedFuture("done");
		}));

		again.get().run();
		for (int i = 0; i < 1_000; i++) {
			tasks.remove().run();
		}

		assertThat(deepest.get()).isLessThanOrEqualTo(2);
	}

	// Context propagation

	@Test
	void decoratorPropagatesTheCallersContext() throws Exception {
		ThreadLocal<String> user = new ThreadLocal<>();
		TaskDecorator decorator = (task) -> {
			String callers = user.get();
			return () -> {
				user.set(callers);
				try {
					task.run();
				}
				finally {
					user.remove();
				}
			};
		};
		LockTemplate decorated = template(LockConfiguration.defaults().taskDecorator(decorator));
		try (URLClassLoader loader = new URLClassLoader(new URL[0], getClass().getClassLoader())) {
			AsyncLockHandle held = decorated.async().acquire(ORDER, LEASE).join();
			user.set("alice");
			ClassLoader before = Thread.currentThread().getContextClassLoader();
			Thread.currentThread().setContextClassLoader(loader);
			List<Object> seen = new CopyOnWriteArrayList<>();
			CompletableFuture<String> result = decorated.async().execute(ORDER, LEASE, () -> {
				seen.add(user.get());
				seen.add(Thread.currentThread().getContextClassLoader());
				return CompletableFuture.completedFuture("done");
			});
			user.set("bob");
			Thread.currentThread().setContextClassLoader(before);

			// Handed over on an unrelated thread.
			CompletableFuture.runAsync(() -> held.close().join(), OwnThread::run).join();

			assertThat(result.join()).isEqualTo("done");
			assertThat(seen).containsExactly("alice", loader);
		}
	}

	@Test
	void contextClassLoaderIsPropagatedEvenWithoutADecorator() throws Exception {
		ExecutorService worker = Executors.newSingleThreadExecutor();
		ClassLoader before = Thread.currentThread().getContextClassLoader();
		try (URLClassLoader loader = new URLClassLoader(new URL[0], getClass().getClassLoader())) {
			ClassLoader workers = contextClassLoader(worker).join();
			Thread.currentThread().setContextClassLoader(loader);

			assertThat(this.template.async(worker).execute(ORDER, () -> contextClassLoader(Runnable::run)).join())
				.isSameAs(loader);
			assertThat(contextClassLoader(worker).join()).as("after the work").isSameAs(workers);
		}
		finally {
			Thread.currentThread().setContextClassLoader(before);
			worker.shutdown();
		}
	}

	@Test
	void executeFailsAndHoldsNoLockIfTheDecoratorThrows() {
		LockTemplate decorated = template(LockConfiguration.defaults().taskDecorator((task) -> {
			throw new IllegalStateException("no context");
		}));

		assertThatIllegalStateException().isThrownBy(() -> decorated.async().execute(ORDER, this::never));
		assertThat(decorated.isIdle()).isTrue();
	}

	@Test
	void brokenDecoratedTaskFailsTheResultUnlessTheWorkHasRun() {
		LockTemplate before = template(LockConfiguration.defaults().taskDecorator((task) -> () -> {
			throw new IllegalStateException("before the work");
		}));
		LockTemplate after = template(LockConfiguration.defaults().taskDecorator((task) -> () -> {
			task.run();
			throw new IllegalStateException("after the work");
		}));
		LockTemplate nothing = template(LockConfiguration.defaults().taskDecorator((task) -> null));

		assertThat(catchThrowable(before.async().execute(ORDER, this::never)::join))
			.hasRootCauseMessage("before the work");
		assertThat(after.async().execute(ORDER, () -> CompletableFuture.completedFuture("done")).join())
			.isEqualTo("done");
		assertThatExceptionOfType(RuntimeException.class)
			.isThrownBy(() -> nothing.async().execute(ORDER, this::never).join());
		List.of(before, after, nothing).forEach((each) -> await().until(each::isIdle));
	}

	private static CompletableFuture<ClassLoader> contextClassLoader(Executor executor) {
		return CompletableFuture.supplyAsync(() -> Thread.currentThread().getContextClassLoader(), executor);
	}

	private CompletableFuture<String> never() {
		throw new AssertionError("work has begun");
	}

	private void collectGarbageForALease() {
		for (int i = 0; i < 3; i++) {
			System.gc();
			this.timer.advance(THIRD);
		}
	}

	/**
	 * Wait until a dropped lock has expired.
	 */
	private void awaitCollected() {
		await().until(() -> {
			System.gc();
			this.timer.advance(THIRD);
			return !this.template.isLocked(ORDER);
		});
	}

	private void awaitFree() {
		await().until(() -> {
			this.timer.advance(THIRD);
			return !this.template.isLocked(ORDER);
		});
	}

	private LockTemplate template(LockConfiguration configuration) {
		return new LockTemplate(new InMemoryLockStore(this.timer),
				configuration.timer(this.timer).listeners(List.of(this.listener)));
	}

}
