package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockException;
import io.github.redislock.LockHandle;
import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.support.Futures;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.store.StoreStatus;
import io.github.redislock.store.YieldReply;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests the engine with stores that break their contract, and with several locks of which
 * one fails or gives no reply. Other tests of several locks are in
 * {@link SeveralLocksContract}.
 */
class EngineStoreTests {

	private static final LockTarget BOTH = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"));

	private static final Duration MINUTE = Duration.ofMinutes(1);

	/**
	 * In a cluster, each group is on another server, whose clock may be behind.
	 */
	@Test
	void severalLocksGetTheGreatestTokenOfTheirGroups() {
		EngineStore store = engineStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				return target.each();
			}

			@Override
			public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
				boolean first = request.target().equals(LockTarget.of("a"));
				return CompletableFuture.completedFuture(new AcquireReply.Granted(first ? 9 : 5));
			}

		});

		assertThat(store.acquire(new AcquireRequest(BOTH, "me", "r1", MINUTE)))
			.isCompletedWithValue(new AcquireReply.Granted(9));
	}

	@Test
	void replyForAllLocksInOneStepIsNotChanged() {
		List<CompletableFuture<AcquireReply>> replies = List.of(new CompletableFuture<>(), new CompletableFuture<>());
		Iterator<CompletableFuture<AcquireReply>> next = replies.iterator();
		EngineStore store = engineStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				return List.of(target);
			}

			@Override
			public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
				return next.next();
			}

		});
		AcquireRequest waiting = new AcquireRequest(BOTH, "me", "r1", MINUTE, 1, MINUTE);
		CompletionStage<AcquireReply> refused = store.acquire(waiting);
		CompletionStage<AcquireReply> failed = store.acquire(waiting);
		AcquireReply refusal = new AcquireReply.Held(LockState.of("a", "other", MINUTE, null, null, null, true, 1),
				false, false);
		LockStoreException failure = ScriptedStore.failure(true, false);

		replies.get(0).complete(refusal);
		replies.get(1).completeExceptionally(failure);

		assertThat(refused).isCompletedWithValue(refusal);
		assertThat(failure(failed)).isSameAs(failure);
	}

	@Test
	void outcomeIsUnknownIfOneOfSeveralLocksFails() {
		LockStoreException outage = ScriptedStore.failure(true, false);
		EngineStore store = engineStore(failingAt("b", outage, new InMemoryLockStore()));

		Throwable failure = failure(store.acquire(new AcquireRequest(BOTH, "me", "r1", MINUTE)));

		assertThat(failure).isInstanceOfSatisfying(LockStoreException.class, (unknown) -> {
			assertThat(unknown.isOutcomeUnknown()).isTrue();
			assertThat(unknown.isRetryable()).isTrue();
			assertThat(unknown.getTarget()).isEqualTo(BOTH);
			assertThat(unknown).hasMessage(outage.getMessage());
		});
	}

	@Test
	void otherLocksAreReleasedIfOneHasAConflictOfKeys() {
		LockKeyConflictException conflict = new LockKeyConflictException(BOTH, "b", "not a lock", null);
		InMemoryLockStore memory = new InMemoryLockStore();
		EngineStore store = engineStore(failingAt("b", conflict, memory));

		Throwable failure = failure(store.acquire(new AcquireRequest(BOTH, "me", "r1", MINUTE)));

		assertThat(failure).isSameAs(conflict);
		assertThat(memory.inspect(LockTarget.of("a"))).isCompletedWithValue(Optional.empty());
	}

	@ParameterizedTest
	@CsvSource({ "true, 1, 0", "false, 0, 2" })
	void severalLocksAreYieldedInOneStepIfTheStoreCan(boolean oneStep, int yields, int releases) {
		CountingStore counted = new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				return oneStep ? List.of(target) : target.each();
			}

		};
		EngineStore store = engineStore(counted);
		AcquireRequest granted = new AcquireRequest(BOTH, "me", "r1", MINUTE);
		store.acquire(granted);

		YieldReply reply = store.yieldAndAcquire(granted, new AcquireRequest(BOTH, "me too", "r2", MINUTE))
			.toCompletableFuture()
			.join();

		assertThat(reply.released()).isTrue();
		assertThat(reply.next().toCompletableFuture().getNow(null)).isInstanceOf(AcquireReply.Granted.class);
		assertThat(counted.calls("yield")).isEqualTo(yields);
		assertThat(counted.calls("release")).isEqualTo(releases);
	}

	@Test
	void renewalRejectedByTheStoreDoesNotFailTheRestOfItsBatch() {
		EngineStore store = engineStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
				if (renewals.stream().anyMatch((renewal) -> renewal.timeToLive() == null)) {
					throw new NullPointerException("written before a renewal could be a look only");
				}
				return super.renew(renewals);
			}

		});
		LockTarget lock = LockTarget.of("a");
		LockTarget endless = LockTarget.of("b");
		store.acquire(new AcquireRequest(lock, "me", "r1", MINUTE));
		store.acquire(new AcquireRequest(endless, "me", "r2", null));

		List<CompletionStage<Boolean>> replies = store
			.renewAll(List.of(new RenewRequest(endless, "me", null), new RenewRequest(lock, "me", MINUTE)));

		assertThat(replies.get(0).toCompletableFuture()).failsWithin(MINUTE);
		assertThat(replies.get(1)).isCompletedWithValue(true);
	}

	@Test
	void targetRejectedByTheStoreFailsWithItsMessage() {
		CountingStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				throw new IllegalArgumentException("not " + target);
			}

		};

		try (LockTemplate locks = new LockTemplate(store, LockConfiguration.defaults())) {
			assertThatIllegalArgumentException().isThrownBy(() -> locks.acquire(BOTH)).withMessage("not " + BOTH);
			assertThat(store.calls()).isZero();
		}
	}

	@Test
	void requestForSeveralLocksFailsIfTheStoreFailsToGroupThem() {
		EngineStore store = engineStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<LockTarget> groups(LockTarget target) {
				throw new IllegalStateException("test");
			}

		});
		AcquireRequest request = new AcquireRequest(BOTH, "me", "r1", MINUTE);

		assertThat(List.of(store.acquire(request), store.release(request, 0, Duration.ZERO),
				store.yieldAndAcquire(request, request)))
			.allSatisfy((reply) -> assertThat(reply.toCompletableFuture()).isCompletedExceptionally());
		store.withdraw(request, () -> Duration.ZERO, false);
		assertThat(store.settled()).isCompleted();
	}

	@Test
	void lockIsReleasedAndHandedOverEvenIfTheStatusCheckFails() {
		LockStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public StoreStatus status(boolean passing) {
				throw new IllegalStateException("test");
			}

		};
		try (LockTemplate locks = new LockTemplate(store,
				LockConfiguration.defaults().options(LockOptions.options().waitTime(MINUTE)))) {
			LockHandle first = locks.acquire(LockTarget.of("order:42"));
			CompletableFuture<AsyncLockHandle> next = locks.async()
				.acquire(LockTarget.of("order:42"))
				.toCompletableFuture();

			CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(first::release, OwnThread::run);

			assertThat(released).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(next).succeedsWithin(20, TimeUnit.SECONDS).satisfies(AsyncLockHandle::release);
		}
		try (LogRecorder log = LogRecorder.warningsOf(EngineStore.class.getName())) {
			EngineStore checked = engineStore(store);
			assertThat(checked.reportsForcedReleases()).isFalse();
			assertThat(checked.reportsForcedReleases()).isFalse();
			assertThat(checked.reportsForcedReleases()).isFalse();
			assertThat(log.lines()).containsExactly("ERROR Method 'status' of the store failed, so locks are not passed"
					+ " on within this instance (logged once)");
		}
	}

	@Test
	void statusOfTheStoreIsPassedOn() {
		EngineStore store = engineStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public StoreStatus status(boolean passing) {
				return new StoreStatus(false, "no channel");
			}

		});

		assertThat(store.reportsForcedReleases()).isFalse();
		assertThat(store.trouble()).isEqualTo("no channel");
	}

	@Test
	void lossOfOneLockIsDetectedEvenIfAnotherGivesNoReply() {
		assertThat(isOwner("b away", "a").toCompletableFuture()).isCompletedWithValue(false);
		assertThat(isOwner("a away", "b").toCompletableFuture()).isCompletedWithValue(false);
	}

	@Test
	void ownershipOfASetIsUnknownIfOneLockGivesNoReply() {
		assertThat(isOwner("b away", "").toCompletableFuture()).isCompletedExceptionally();
	}

	private static CompletionStage<Boolean> isOwner(String away, String gone) {
		LockStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<CompletionStage<Boolean>> renew(List<RenewRequest> renewals) {
				return renewals.stream().map((renewal) -> reply(renewal.target().name())).toList();
			}

			private CompletionStage<Boolean> reply(String name) {
				return away.startsWith(name) ? CompletableFuture.failedFuture(new IllegalStateException(away))
						: CompletableFuture.completedFuture(!gone.equals(name));
			}

		};
		return engineStore(store).renew(new RenewRequest(BOTH, "me", null));
	}

	/**
	 * Return a store that acquires locks one by one, but not one of them.
	 */
	private static LockStore failingAt(String name, LockException failure, InMemoryLockStore memory) {
		return new CountingStore(memory) {

			@Override
			public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
				return request.target().name().equals(name) ? CompletableFuture.failedFuture(failure)
						: super.acquire(request);
			}

		};
	}

	private static Throwable failure(CompletionStage<?> reply) {
		return reply.handle((nothing, failure) -> Futures.unwrap(failure)).toCompletableFuture().getNow(null);
	}

	private static EngineStore engineStore(LockStore store) {
		return new EngineStore(store, null, new ManualLockTimer());
	}

}
