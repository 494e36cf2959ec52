package io.github.redislock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.event.LockEventPublisher;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static io.github.redislock.ScriptedStore.last;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Promises that are not kept yet.
 */
@Timeout(60)
class AttackTests {

	private final ManualLockTimer timer = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private long tokens;

	AttackTests() {
		this.store.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireAnswer.Granted(this.tokens++)));
	}

	@Test
	void leaseIsNotReliedOnForLongerThanALateQuestionForLessWouldLeaveIt() throws Exception {
		LockTemplate locks = new LockTemplate(this.store, LockConfiguration.defaults().timer(this.timer));
		LockHandle lock = locks.acquire("job", LockOptions.timeout(Duration.ofSeconds(10)));
		this.timer.advance(Duration.ofMillis(3_400));
		// The automatic renewal for 10 s, of which nobody knows when it reaches the
		// store.
		assertThat(last(this.store.renews).duration()).isEqualTo(Duration.ofMillis(10_500));
		last(this.store.renews).loseAnswer();

		CompletableFuture<Void> longer = CompletableFuture.runAsync(() -> lock.renew(Duration.ofMinutes(10)));
		Awaitility.await().until(() -> this.store.renews.size() == 2);
		last(this.store.renews).answer(true);
		longer.exceptionally((failure) -> null).get(10, TimeUnit.SECONDS);

		// It may arrive now: then the store keeps the lock for 10.5 s.
		assertThat(lock.remaining()).isLessThanOrEqualTo(Duration.ofSeconds(10));
	}

	@Test
	void lockWhoseRenewalIsUnderWayIsReleasedAtShutdown() throws Exception {
		LockTemplate locks = new LockTemplate(this.store,
				LockConfiguration.defaults().closeWait(Duration.ofMillis(10)));
		this.store.releaseAtOnce();
		LockHandle lock = CompletableFuture
			.supplyAsync(() -> locks.acquire("job", LockOptions.timeout(Duration.ofMillis(3_000))))
			.get();
		lock.detach();
		Awaitility.await().until(() -> !this.store.renews.isEmpty());

		// The store answers as usual, a few milliseconds later.
		CompletableFuture<Void> closing = CompletableFuture.runAsync(locks::close);
		Executors.newSingleThreadScheduledExecutor()
			.schedule(() -> this.store.renews.forEach((question) -> question.answer(true)), 60, TimeUnit.MILLISECONDS);
		closing.get(10, TimeUnit.SECONDS);

		assertThat(this.store.log).containsSubsequence("release", "close");
	}

	@Test
	void actionOnLossDoesNotRunAfterTheReleaseOfItsHandle() {
		LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(this.timer));
		AtomicInteger told = new AtomicInteger();
		LockHandle outer = locks.acquire("job", LockOptions.timeout(Duration.ofSeconds(10)).autoRenew(false));
		CountDownLatch lost = new CountDownLatch(1);
		outer.onLost(lost::countDown);
		LockHandle inner = locks.acquire("job");
		inner.onLost(told::incrementAndGet);
		inner.release();

		this.timer.advance(Duration.ofSeconds(10));

		Awaitility.await().until(() -> lost.getCount() == 0);
		Awaitility.await().during(Duration.ofMillis(200)).until(() -> true);
		assertThat(told).hasValue(0);
	}

	@Test
	void threadThatDetachedItselfFromALockDoesNotEnterItAgain() throws Exception {
		LockTemplate locks = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		LockHandle lock = locks.acquire("job");
		lock.detach();
		CompletableFuture<Boolean> used = CompletableFuture.supplyAsync(lock::isHeld);
		assertThat(used.get(10, TimeUnit.SECONDS)).isTrue();

		// The pooled thread goes on with the next request, for the same job.
		assertThat(locks.tryAcquire("job")).isNull();
	}

	@Test
	void lockIsKeptClosedAsLongAsAskedWhenThisInstanceShutsDown() throws Exception {
		InMemoryLockStore kept = new InMemoryLockStore(this.timer);
		CountingStore unclosed = new CountingStore(kept);
		LockTemplate locks = new LockTemplate(new NeverClosed(unclosed),
				LockConfiguration.defaults().timer(this.timer).closeWait(Duration.ZERO));
		LockTemplate other = new LockTemplate(kept, LockConfiguration.defaults().timer(this.timer));
		CompletableFuture
			.supplyAsync(() -> locks.acquire("mail",
					LockOptions.timeout(Duration.ofSeconds(5)).atLeastFor(Duration.ofMinutes(1))))
			.get();

		locks.close();

		assertThat(other.tryAcquire("mail")).isNull();
	}

	@Test
	void lockIsKeptClosedAsLongAsAskedWhenItsLeaseRanOut() {
		InMemoryLockStore kept = new InMemoryLockStore(this.timer);
		LockTemplate locks = new LockTemplate(kept, LockConfiguration.defaults().timer(this.timer));
		LockHandle lock = locks.acquire("mail",
				LockOptions.timeout(Duration.ofSeconds(5)).autoRenew(false).atLeastFor(Duration.ofMinutes(1)));
		this.timer.advance(Duration.ofSeconds(20));

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);

		assertThat(locks.tryAcquire("mail")).isNull();
	}

	@Test
	void nothingMoreIsPublishedAfterClosing() throws Exception {
		CountDownLatch slow = new CountDownLatch(1);
		List<Object> published = new CopyOnWriteArrayList<>();
		LockEventPublisher publisher = new LockEventPublisher((event) -> {
			published.add(event);
			try {
				slow.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		});
		LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(this.timer).listeners(List.of(publisher)));
		LockOptions options = LockOptions.timeout(Duration.ofSeconds(5)).autoRenew(false);
		List<LockHandle> handles = List.of(locks.acquire("one", options), locks.acquire("two", options));
		this.timer.advance(Duration.ofSeconds(5));
		assertThat(handles).noneMatch(LockHandle::isHeld);
		Awaitility.await().until(() -> published.size() == 1);

		publisher.close();
		slow.countDown();

		Awaitility.await().during(Duration.ofMillis(300)).until(() -> true);
		assertThat(published).hasSize(1);
	}

	@Test
	void renewerNeverHasMoreThanOneTaskInTheTimer() {
		CountingTimer counted = new CountingTimer(this.timer);
		LockTemplate locks = new LockTemplate(this.store, LockConfiguration.defaults().timer(counted));
		List<LockHandle> handles = new ArrayList<>();
		LockOptions lease = LockOptions.timeout(Duration.ofSeconds(9)).retry(0);
		handles.add(locks.acquire("always", LockOptions.timeout(Duration.ofDays(1))));
		for (int i = 0; i < 10; i++) {
			// The answer to this one comes only while the timer's thread is about to run
			// the wake-up for a later one.
			CompletableFuture<AcquireAnswer> late = new CompletableFuture<>();
			this.store.onAcquire((request) -> late);
			Thread caller = new Thread(() -> handles.add(locks.acquire("late", lease)));
			caller.start();
			int asked = 2 * i + 2;
			Awaitility.await().until(() -> this.store.acquires.size() == asked);
			this.timer.advance(Duration.ofMillis(100));
			this.store
				.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireAnswer.Granted(this.tokens++)));
			handles.add(locks.acquire("first:" + i, lease));
			this.timer.advance(Duration.ofMillis(2_950));
			counted.beforeNextTask = () -> {
				late.complete(new AcquireAnswer.Granted(this.tokens++));
				try {
					caller.join();
				}
				catch (InterruptedException ex) {
					throw new IllegalStateException(ex);
				}
			};
			this.timer.advance(Duration.ofMillis(16_000));
		}

		assertThat(counted.pending()).isLessThanOrEqualTo(1);
	}

	private static final class CountingTimer implements LockTimer {

		private final LockTimer timer;

		private final List<Future<?>> futures = new ArrayList<>();

		private Runnable beforeNextTask = () -> {
		};

		CountingTimer(LockTimer timer) {
			this.timer = timer;
		}

		long pending() {
			return this.futures.stream().filter((future) -> !future.isDone()).count();
		}

		@Override
		public long nanoTime() {
			return this.timer.nanoTime();
		}

		@Override
		public Instant now() {
			return this.timer.now();
		}

		@Override
		public Future<?> schedule(Runnable task, Duration delay) {
			Future<?> future = this.timer.schedule(() -> {
				Runnable action = this.beforeNextTask;
				this.beforeNextTask = () -> {
				};
				action.run();
				task.run();
			}, delay);
			if (task.getClass().getName().startsWith(Renewer.class.getName())) {
				this.futures.add(future);
			}
			return future;
		}

		@Override
		public void close() {
			this.timer.close();
		}

	}

	private static final class NeverClosed implements LockStore {

		private final LockStore store;

		NeverClosed(LockStore store) {
			this.store = store;
		}

		@Override
		public void listen(HandOverListener listener) {
			this.store.listen(listener);
		}

		@Override
		public java.util.concurrent.CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
			return this.store.acquire(request);
		}

		@Override
		public java.util.concurrent.CompletionStage<Boolean> renew(LockTarget target, String owner,
				Duration timeToLive) {
			return this.store.renew(target, owner, timeToLive);
		}

		@Override
		public java.util.concurrent.CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
			return this.store.release(granted, keepFor);
		}

		@Override
		public java.util.concurrent.CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
			return this.store.withdraw(request, keepFor);
		}

		@Override
		public java.util.concurrent.CompletionStage<java.util.Optional<LockState>> inspect(LockTarget target) {
			return this.store.inspect(target);
		}

		@Override
		public java.util.concurrent.CompletionStage<Boolean> forceRelease(LockTarget target) {
			return this.store.forceRelease(target);
		}

		@Override
		public void close() {
		}

	}

}
