package io.github.redislock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockStore.AcquireAnswer;
import io.github.redislock.memory.ManualLockTimer;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A lease of 30 s is renewed after 10 s, or up to 1 s earlier together with others.
 */
class RenewerTests {

	private static final LockOptions LEASE = LockOptions.timeout(Duration.ofSeconds(30));

	private final ManualLockTimer timer = new ManualLockTimer();

	private final ScriptedStore store = new ScriptedStore();

	private final LockTemplate locks = new LockTemplate(this.store, LockConfiguration.defaults().timer(this.timer));

	private final List<LockHandle> handles = new ArrayList<>();

	private long tokens;

	RenewerTests() {
		this.store.onAcquire((request) -> CompletableFuture.completedFuture(new AcquireAnswer.Granted(this.tokens++)));
	}

	@Test
	void leasesThatAreDueTogetherAreRenewedTogether() {
		acquire(1_000, LEASE);

		this.timer.advance(Duration.ofSeconds(10));

		assertThat(this.store.renewBatches).containsExactly(1_000);
	}

	@Test
	void leasesThatAreDueSoonAreRenewedAlong() {
		acquire(1, LEASE);
		this.timer.advance(Duration.ofMillis(900));
		acquire(1, LEASE);
		this.timer.advance(Duration.ofMillis(200));
		acquire(1, LEASE);

		this.timer.advance(Duration.ofMillis(8_900));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void steadyStreamOfLeasesIsRenewedInAFewBatches() {
		for (int i = 0; i < 1_000; i++) {
			acquire(1, LEASE);
			this.timer.advance(Duration.ofMillis(10));
		}
		this.store.renewBatches.clear();

		for (int i = 0; i < 1_000; i++) {
			this.store.renews.forEach((question) -> question.answer(true));
			this.store.renews.clear();
			this.timer.advance(Duration.ofMillis(10));
		}

		assertThat(this.store.renewBatches).hasSizeBetween(9, 11);
		assertThat(this.handles).allMatch(LockHandle::isHeld);
	}

	@Test
	void shortLeaseIsNotRenewedMuchTooEarlyForTheSakeOfALongOne() {
		acquire(1, LockOptions.timeout(Duration.ofSeconds(3)));
		this.timer.advance(Duration.ofMillis(899));
		acquire(1, LockOptions.timeout(Duration.ofMillis(300)));

		this.timer.advance(Duration.ofMillis(99));
		assertThat(this.store.renewBatches).isEmpty();
		this.timer.advance(Duration.ofMillis(1));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void lockThatIsLetGoIsNotRenewedInALaterBatch() {
		acquire(3, LEASE);
		this.store.releaseAtOnce();

		this.handles.get(1).release();
		this.timer.advance(Duration.ofSeconds(10));

		assertThat(this.store.renewBatches).containsExactly(2);
	}

	@Test
	void failureOfABatchIsTriedAgainForEachLock() {
		acquire(2, LEASE);
		this.timer.advance(Duration.ofSeconds(10));
		this.store.renews.get(0).answer(true);
		this.store.renews.get(1).loseAnswer();

		this.timer.advance(Duration.ofMillis(1_500));

		assertThat(this.store.renewBatches).containsExactly(2, 1);
		assertThat(this.handles).allMatch(LockHandle::isHeld);
	}

	@Test
	void storeThatThrowsEndsNoRenewal() {
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

	private void acquire(int count, LockOptions options) {
		for (int i = 0; i < count; i++) {
			this.handles.add(this.locks.acquire("order:" + this.handles.size(), options));
		}
	}

}
