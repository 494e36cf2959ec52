package io.github.redislock.memory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.HandOverListener;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Several locks in a store that has no queue and acquires them one after the other.
 */
class SeveralLocksWithoutQueueTests {

	private static final Duration MINUTE = Duration.ofMinutes(1);

	private static final LockOptions PATIENT = LockOptions.options().timeout(MINUTE).waitTime(MINUTE);

	private static final LockOptions ONCE = LockOptions.options().timeout(MINUTE).retry(0);

	private static final LockTarget A = LockTarget.of("a");

	private static final LockTarget B = LockTarget.of("b");

	private static final LockTarget AB = LockTarget.allOf(A, B);

	private final InMemoryLockStore shared = new InMemoryLockStore();

	/** The number of times that the second lock was refused. */
	private final AtomicInteger refusals = new AtomicInteger();

	private final LockTemplate locks = open("this-one");

	private final LockTemplate others = open("other-one");

	@AfterEach
	void close() {
		this.locks.close();
		this.others.close();
	}

	@Test
	void timedOutCallerLearnsTheHolderAndKeepsNoLock() {
		try (LockHandle held = this.others.acquire(B, ONCE)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(AB, PATIENT.waitTime(Duration.ofMillis(500))))
				.satisfies((refused) -> assertThat(refused.getHolder()).isNotNull()
					.extracting(LockState::name, LockState::holder)
					.containsExactly("b", "other-one"));

			assertThat(this.refusals).hasValueGreaterThan(1);
			Awaitility.await("roll-back").until(() -> !this.others.isLocked(A));
			assertThat(held.verify()).isTrue();
		}
	}

	@Test
	void timedOutCallerKeepsTheLocksItHeldBefore() {
		LockOptions named = LockOptions.options().timeout(MINUTE).owner("job-17");
		try (LockHandle before = this.locks.acquire(A, named); LockHandle held = this.others.acquire(B, ONCE)) {
			assertThat(this.locks.tryAcquire(AB, named.waitTime(Duration.ofMillis(300)))).isNull();

			assertThat(this.refusals).hasValueGreaterThan(1);
			assertThat(held.verify()).isTrue();
			assertThat(before.verify()).isTrue();
		}
	}

	private LockTemplate open(String instance) {
		return new LockTemplate(new PlainStore(), LockConfiguration.defaults().instance(instance));
	}

	/**
	 * A store without waiters.
	 */
	private final class PlainStore extends CountingStore {

		PlainStore() {
			super(SeveralLocksWithoutQueueTests.this.shared);
		}

		@Override
		public void listen(HandOverListener listener) {
			// A store without a queue has no messages.
		}

		@Override
		public List<LockTarget> groups(LockTarget target) {
			return target.each();
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			AcquireRequest unqueued = new AcquireRequest(request.target(), request.owner(), request.requestId(),
					request.timeToLive(), request.tokens(), null, request.attempt());
			return super.acquire(unqueued).thenApply((reply) -> {
				if (reply instanceof AcquireReply.Held && request.target().equals(B)) {
					SeveralLocksWithoutQueueTests.this.refusals.incrementAndGet();
				}
				return reply;
			});
		}

		@Override
		public void close() {
			// Do not close the store, because the other template still uses it.
		}

	}

}
