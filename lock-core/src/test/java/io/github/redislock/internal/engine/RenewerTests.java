package io.github.redislock.internal.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.testing.LogRecorder;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lease of 30 s is renewed after 10 s, or up to 1 s earlier together with other leases.
 */
class RenewerTests {

	private static final LockOptions LEASE = LockOptions.options().timeout(Duration.ofSeconds(30));

	private final ManualLockTimer timer = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final List<LockTemplate> templates = new ArrayList<>();

	private final LockTemplate locks = template(LockConfiguration.defaults().timer(this.timer));

	private final List<LockHandle> handles = new ArrayList<>();

	private long tokens;

	RenewerTests() {
		this.store.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireReply.Granted(this.tokens++)));
	}

	@AfterEach
	void close() {
		this.store.releaseAtOnce();
		this.store.renews.forEach((question) -> question.reply(true));
		this.store.withdraws.forEach(ScriptedStore.Question::refuseForGood);
		this.templates.forEach(LockTemplate::close);
	}

	@Test
	void leasesDueTogetherAreRenewedTogether() {
		acquire(1_000, LEASE);

		this.timer.advance(Duration.ofSeconds(10));

		assertThat(this.store.renewBatches).containsExactly(1_000);
	}

	@ParameterizedTest
	@CsvSource({ "2, 200, 2", "2, 201, 1", "10, 1000, 2", "10, 1001, 1" })
	void leasesDueATenthOfTheirIntervalApartAreRenewedInOneBatch(int interval, long apart, int renewed) {
		acquire(1, LEASE.renewEvery(Duration.ofSeconds(interval)));
		this.timer.advance(Duration.ofMillis(apart));
		acquire(1, LEASE.renewEvery(Duration.ofSeconds(interval)));

		this.timer.advance(Duration.ofMillis(900L * interval));

		assertThat(this.store.renewBatches).containsExactly(renewed);
	}

	@Test
	void steadyStreamOfLeasesIsRenewedInAFewBatches() {
		for (int i = 0; i < 1_000; i++) {
			acquire(1, LEASE);
			this.timer.advance(Duration.ofMillis(10));
		}
		this.store.renewBatches.clear();

		for (int i = 0; i < 1_000; i++) {
			this.store.renews.forEach((question) -> question.reply(true));
			this.store.renews.clear();
			this.timer.advance(Duration.ofMillis(10));
		}

		assertThat(this.store.renewBatches).hasSizeBetween(9, 11);
		assertThat(this.handles).allMatch(LockHandle::isHeld);
	}

	@Test
	void longLeaseDoesNotCauseAnEarlyRenewalOfAShortOne() {
		acquire(1, LockOptions.options().timeout(Duration.ofSeconds(3)));
		this.timer.advance(Duration.ofMillis(899));
		acquire(1, LockOptions.options().timeout(Duration.ofMillis(300)));

		this.timer.advance(Duration.ofMillis(99));
		assertThat(this.store.renewBatches).isEmpty();
		this.timer.advance(Duration.ofMillis(1));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void allLocksAreCheckedInOneBatchOnceTheStoreIsBack() {
		acquire(1_000, LEASE);
		acquire(1, LEASE.autoRenew(false));
		acquire(1, LockOptions.options().neverExpires());
		this.timer.advance(Duration.ofSeconds(1));

		this.store.comeBack();
		this.timer.advance(Duration.ofMillis(100));

		assertThat(this.store.renewBatches).containsExactly(1_002);
		assertThat(this.store.inspects).as("only checked").hasSize(2);
		assertThat(this.handles).allMatch(LockHandle::isHeld);
		this.store.renews.forEach((question) -> question.reply(!question.target().name().equals("order:0")));
		this.store.inspects.forEach((question) -> question.reply(Optional.empty()));
		assertThat(this.handles.subList(1, 1_000)).allMatch(LockHandle::isHeld);
		assertThat(List.of(this.handles.get(0), this.handles.get(1_000), this.handles.get(1_001)))
			.noneMatch(LockHandle::isHeld);
	}

	@Test
	void lockWhoseCheckFailsIsCheckedAgainAndKeepsItsLease() {
		acquire(1, LEASE.autoRenew(false));
		LockHandle lock = this.handles.get(0);
		this.timer.advance(Duration.ofSeconds(1));
		this.store.comeBack();
		this.timer.advance(Duration.ofMillis(100));
		ScriptedStore.only(this.store.inspects).reject();

		this.timer.advance(Duration.ofMillis(1_500));

		assertThat(this.store.inspects).hasSize(2);
		this.store.inspects.get(1)
			.reply(Optional.of(LockState.of("order:0", lock.owner(), Duration.ofSeconds(1), 0L, 0L, 0L, true, 1)));
		this.timer.advance(Duration.ofSeconds(24));
		assertThat(this.store.inspects).as("confirmed").hasSize(2);
		assertThat(this.store.renews).isEmpty();
		assertThat(lock.isHeld()).isTrue();
		this.timer.advance(Duration.ofSeconds(4));
		assertThat(lock.isHeld()).as("the lease that it had").isFalse();
	}

	@Test
	void storeThatComesBackAgainAndAgainIsAskedAtMostOnceASecond() {
		acquire(1, LEASE);

		for (int times = 0; times < 200; times++) {
			this.store.comeBack();
			this.timer.advance(Duration.ofMillis(10));
			this.store.renews.forEach((question) -> question.reply(true));
		}

		assertThat(this.store.renewBatches).hasSizeBetween(2, 3);
	}

	@Test
	void releasedLockIsNotRenewedInALaterBatch() {
		acquire(3, LEASE);
		this.store.releaseAtOnce();

		this.handles.get(1).release();
		this.timer.advance(Duration.ofSeconds(10));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void onlyTheFailedRenewalOfABatchIsRetried() {
		acquire(2, LEASE);
		this.timer.advance(Duration.ofSeconds(10));
		this.store.renews.get(0).reply(true);
		this.store.renews.get(1).loseReply();

		this.timer.advance(Duration.ofMillis(1_500));

		assertThat(this.store.renewBatches).containsExactly(2, 1);
		assertThat(this.handles).allMatch(LockHandle::isHeld);
	}

	@Test
	void exceptionOfTheStoreDoesNotStopRenewals() {
		acquire(2, LEASE);
		this.store.onRenewAll(() -> {
			throw new IllegalStateException("test");
		});
		this.timer.advance(Duration.ofSeconds(10));
		this.store.onRenewAll(() -> {
		});

		this.timer.advance(Duration.ofMillis(1_500));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void unloggableErrorDoesNotStopOtherRenewalsOfItsBatch() {
		HookedTimer hooked = new HookedTimer(this.timer);
		LockTemplate locks = template(LockConfiguration.defaults().timer(hooked));
		for (int i = 0; i < 3; i++) {
			this.handles.add(locks.acquire(LockTarget.of("order:" + i), LEASE));
		}

		failOnce(hooked, "checkAndBegin", unloggable());
		this.timer.advance(Duration.ofSeconds(10));
		assertThat(this.store.renewBatches).first().isEqualTo(2);

		this.timer.advance(Duration.ofSeconds(1));
		assertThat(this.store.renewBatches).as("with the one whose check failed").containsExactly(2, 1);
	}

	@Test
	void unloggableErrorDoesNotPreventOtherLossReports() {
		HookedTimer hooked = new HookedTimer(this.timer);
		RecordingListener listener = new RecordingListener();
		LockTemplate locks = template(LockConfiguration.defaults().timer(hooked).listeners(List.of(listener)));
		for (int i = 0; i < 3; i++) {
			this.handles.add(locks.acquire(LockTarget.of("order:" + i), LEASE.autoRenew(false)));
		}

		failOnce(hooked, "publish", unloggable());
		this.timer.advance(Duration.ofSeconds(30));

		assertThat(listener.events).filteredOn("lost"::equals).hasSize(2);
	}

	@Test
	void lossThatCannotBeReportedIsLogged() {
		HookedTimer hooked = new HookedTimer(this.timer);
		LockTemplate locks = template(LockConfiguration.defaults().timer(hooked));
		this.handles.add(locks.acquire(LockTarget.of("order:0"), LEASE.autoRenew(false)));

		try (LogRecorder log = LogRecorder.warningsOf(Renewer.class.getName())) {
			failOnce(hooked, "publish", new AssertionError("test"));
			this.timer.advance(Duration.ofSeconds(30));

			assertThat(log.text()).contains("The loss of a lock could not be reported");
		}
	}

	@Test
	void closedTemplateLeavesNoTaskInTheTimer() {
		CountingTimer counted = new CountingTimer(this.timer);
		LockTemplate locks = template(LockConfiguration.defaults().timer(counted));
		this.store.releaseAtOnce();
		locks.acquire(LockTarget.of("order:0"), LEASE).release();
		locks.acquire(LockTarget.of("order:1"), LEASE.renewEvery(Duration.ofSeconds(5))).release();
		assertThat(counted.pending()).as("the earlier one replaces the later one").isOne();

		locks.close();

		assertThat(counted.pending()).isZero();
	}

	@Test
	void renewerHasAtMostOneTaskInTheTimerAfterLateReplies() {
		CountingTimer counted = new CountingTimer(this.timer);
		LockTemplate locks = template(LockConfiguration.defaults().timer(counted));
		LockOptions lease = LockOptions.options().timeout(Duration.ofSeconds(9)).retry(0);
		this.handles.add(locks.acquire(LockTarget.of("always"), LockOptions.options().timeout(Duration.ofDays(1))));
		for (int i = 0; i < 10; i++) {
			// The reply arrives only when the timer's thread is about to run the wake-up
			// for a later renewal.
			CompletableFuture<AcquireReply> late = new CompletableFuture<>();
			this.store.onAcquire((request) -> late);
			Thread caller = new Thread(() -> this.handles.add(locks.acquire(LockTarget.of("late"), lease)));
			caller.start();
			int asked = 2 * i + 2;
			Awaitility.await().until(() -> this.store.acquires.size() == asked);
			this.timer.advance(Duration.ofMillis(100));
			this.store
				.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireReply.Granted(this.tokens++)));
			this.handles.add(locks.acquire(LockTarget.of("first:" + i), lease));
			this.timer.advance(Duration.ofMillis(2_950));
			counted.beforeNextTask = () -> {
				late.complete(new AcquireReply.Granted(this.tokens++));
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

	/**
	 * Make the clock fail once within a method.
	 */
	private static void failOnce(HookedTimer hooked, String method, Error error) {
		hooked.onEachLook(() -> {
			if (StackWalker.getInstance()
				.walk((frames) -> frames.anyMatch((frame) -> frame.getMethodName().equals(method)))) {
				hooked.onEachLook(null);
				throw error;
			}
		});
	}

	/**
	 * Return an error as if there were no memory left to log it.
	 */
	private static Error unloggable() {
		return new OutOfMemoryError() {

			private static final long serialVersionUID = 1L;

			@Override
			public String getMessage() {
				throw this;
			}

		};
	}

	private LockTemplate template(LockConfiguration configuration) {
		LockTemplate created = new LockTemplate(this.store, configuration.closeWait(Duration.ZERO));
		this.templates.add(created);
		return created;
	}

	private void acquire(int count, LockOptions options) {
		for (int i = 0; i < count; i++) {
			this.handles.add(this.locks.acquire(LockTarget.of("order:" + this.handles.size()), options));
		}
	}

	/**
	 * Counts the tasks of the renewer, and runs an action before a task.
	 */
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

}
