package io.github.redislock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.store.RenewRequest;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link GuardedStore} before stores that keep no contract.
 */
class GuardedStoreTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	@Test
	void renewalThatTheStoreCannotBearDoesNotEndTheOthersOfItsBatch() {
		GuardedStore store = new GuardedStore(new CountingStore(new InMemoryLockStore()) {

			@Override
			public List<CompletionStage<Boolean>> renewAll(List<RenewRequest> renewals) {
				if (renewals.stream().anyMatch((renewal) -> renewal.timeToLive() == null)) {
					throw new NullPointerException("written before a renewal could be a look only");
				}
				return super.renewAll(renewals);
			}

		});
		LockTarget lock = LockTarget.of("a");
		LockTarget endless = LockTarget.of("b");
		store.acquire(new AcquireRequest(lock, "me", "r1", MINUTE));
		store.acquire(new AcquireRequest(endless, "me", "r2", null));

		List<CompletionStage<Boolean>> answers = store
			.renewAll(List.of(new RenewRequest(endless, "me", null), new RenewRequest(lock, "me", MINUTE)));

		assertThat(answers.get(0).toCompletableFuture()).failsWithin(MINUTE);
		assertThat(answers.get(1)).isCompletedWithValue(true);
	}

	@Test
	void lockOfAStoreThatCannotTellOfForceIsLetGo() {
		LockStore store = new CountingStore(new InMemoryLockStore()) {

			@Override
			public boolean tellsOfForce() {
				throw new IllegalStateException("test");
			}

		};
		try (LockTemplate locks = new LockTemplate(store,
				LockConfiguration.defaults().options(LockOptions.options().waitTime(MINUTE)))) {
			LockHandle first = locks.acquire("order:42");
			CompletableFuture<AsyncLockHandle> next = locks.async().acquire("order:42").toCompletableFuture();

			CompletableFuture<ReleaseOutcome> released = CompletableFuture.supplyAsync(first::release, OwnThread::run);

			assertThat(released).succeedsWithin(20, TimeUnit.SECONDS).isEqualTo(ReleaseOutcome.RELEASED);
			assertThat(next).succeedsWithin(20, TimeUnit.SECONDS).satisfies(AsyncLockHandle::release);
		}
	}

}
