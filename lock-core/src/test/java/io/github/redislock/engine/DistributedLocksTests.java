package io.github.redislock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.DistributedLocks;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class DistributedLocksTests {

	private final ManualLockTimer timer = new ManualLockTimer();

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
			LockConfiguration.defaults().timer(this.timer).closeWait(Duration.ZERO));

	@AfterEach
	void close() {
		this.locks.close();
	}

	@Test
	void nothingIsHeldWithoutALock() {
		assertThatIllegalStateException().isThrownBy(DistributedLocks::assertHeld);
		assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
	}

	@Test
	void lockIsHeldDuringTheWorkAndNotAfter() {
		this.locks.execute("a", () -> {
			DistributedLocks.assertHeld();
			DistributedLocks.assertHeld("a");
			DistributedLocks.assertHeld(LockTarget.of("a"));
		});

		assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
	}

	@Test
	void nameAndKeyMatchTheAnnotation() {
		this.locks.execute(LockTarget.of("a", "b:c").name(), () -> DistributedLocks.assertHeld("a", "b:c"));
	}

	@Test
	void lockAcquiredAmongSeveralIsHeld() {
		LockTarget several = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"), LockTarget.of("c"));

		this.locks.execute(several, LockOptions.options(), () -> {
			DistributedLocks.assertHeld("b");
			DistributedLocks.assertHeld(LockTarget.allOf(LockTarget.of("c"), LockTarget.of("a")));
			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("d"));
		});
	}

	@Test
	void writerHoldsTheLockInEverySharingMode() {
		this.locks.execute(LockTarget.of("a"), () -> {
			DistributedLocks.assertHeld(LockTarget.of("a").forReading());
			DistributedLocks.assertHeld(LockTarget.of("a").permits(3));
		});
	}

	@Test
	void readerHoldsTheLockForReadingOnly() {
		this.locks.execute(LockTarget.of("a").forReading(), () -> {
			DistributedLocks.assertHeld();
			DistributedLocks.assertHeld(LockTarget.of("a").forReading());
			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
			assertThatIllegalStateException()
				.isThrownBy(() -> DistributedLocks.assertHeld(LockTarget.of("a").permits(3)));
			assertThatIllegalStateException()
				.isThrownBy(() -> DistributedLocks.assertHeld(LockTarget.of("b").forReading()));
		});
	}

	@Test
	void heldPermitMatchesAnyPermitCount() {
		this.locks.execute(LockTarget.of("a").permits(3), () -> {
			DistributedLocks.assertHeld(LockTarget.of("a").permits(3));
			DistributedLocks.assertHeld(LockTarget.of("a").permits(2));
			DistributedLocks.assertHeld(LockTarget.of("a").forReading());
			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
			assertThatIllegalStateException()
				.isThrownBy(() -> DistributedLocks.assertHeld(LockTarget.of("b").permits(3)));
		});
	}

	@Test
	void permitIsReenteredAfterThePermitCountWasReduced() {
		this.locks.execute(LockTarget.of("a").permits(2),
				() -> this.locks.execute(LockTarget.of("a").permits(1), LockOptions.options().retry(0), () -> {
					DistributedLocks.assertHeld(LockTarget.of("a").permits(1));
					assertThat(this.locks.inspect(LockTarget.of("a")))
						.hasValueSatisfying((state) -> assertThat(state.holders()).isEqualTo(1));
				}));
	}

	@Test
	void downgradedWriterHoldsTheLockForReadingOnly() {
		try (LockHandle lock = this.locks.acquire(LockTarget.of("a"))) {
			lock.downgrade();

			DistributedLocks.assertHeld(LockTarget.of("a").forReading());
			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
		}
	}

	@Test
	void outerLocksAreHeldInAsyncWork() {
		this.locks.async()
			.execute(LockTarget.of("outer"), () -> this.locks.async().execute(LockTarget.of("inner"), () -> {
				DistributedLocks.assertHeld("outer");
				DistributedLocks.assertHeld("inner");
				return CompletableFuture.completedFuture("done");
			}))
			.join();
	}

	@Test
	void outerLocksAreHeld() {
		this.locks.execute("outer", () -> this.locks.execute("inner", () -> {
			DistributedLocks.assertHeld("outer");
			DistributedLocks.assertHeld("inner");
		}));
	}

	@Test
	void messageNamesTheLocksHeldInstead() {
		this.locks.execute("outer", () -> this.locks.execute("inner",
				() -> assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"))
					.withMessageStartingWith(
							"Lock 'a' is not held for the work of this thread, which holds 'inner', 'outer': call")));
	}

	@Test
	void handleOfThisThreadIsHeldUntilReleased() {
		LockHandle lock = this.locks.acquire(LockTarget.of("a"), LockOptions.options().onLost(OnLost.IGNORE));
		DistributedLocks.assertHeld("a");
		DistributedLocks.assertHeld();

		lock.release();

		assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
		assertThatIllegalStateException().isThrownBy(DistributedLocks::assertHeld);
	}

	@Test
	void detachedHandleIsNotHeldByThisThread() {
		try (LockHandle lock = this.locks.acquire(LockTarget.of("a"))) {
			lock.detach();

			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
		}
	}

	@Test
	void otherThreadHoldsNothing() {
		this.locks
			.execute("a",
					() -> CompletableFuture.runAsync(
							() -> assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a")),
							OwnThread::run)
						.join());
	}

	@Test
	void lostLockIsReportedAsLost() {
		LockHandle lock = this.locks.acquire(LockTarget.of("a"),
				LockOptions.options().timeout(Duration.ofSeconds(1)).autoRenew(false));

		this.timer.advance(Duration.ofSeconds(2));

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> DistributedLocks.assertHeld("a"))
			.satisfies((lost) -> assertThat(lost.getLockName()).isEqualTo("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(DistributedLocks::assertHeld);
		lock.release();
	}

	@Test
	void lossInsideTheWorkIsReportedEvenIfIgnored() {
		LockOptions options = LockOptions.options()
			.timeout(Duration.ofSeconds(1))
			.autoRenew(false)
			.onLost(OnLost.IGNORE);

		this.locks.execute(LockTarget.of("a"), options, () -> {
			this.timer.advance(Duration.ofSeconds(2));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> DistributedLocks.assertHeld("a"));
			assertThatCode(LockContext::requireHeld).doesNotThrowAnyException();
		});
	}

	@Test
	void lockReleasedByTheWorkItselfIsNotHeld() {
		this.locks.execute("a", () -> {
			LockContext.current().release();

			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
			assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
		});
	}

	@Test
	void requireHeldFailsWithoutALock() {
		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld)
			.withMessage("No lock is held for the work of this thread: call it through LockOperations.execute, or the"
					+ " annotated method through its Spring bean (not from within the same object, and not on another"
					+ " thread)");

		try (DistributedLocks.Assumption locked = DistributedLocks.assumeHeld()) {
			LockContext.requireHeld();
		}
	}

	@Test
	void assumptionLetsAssertionsPassUntilClosed() {
		try (DistributedLocks.Assumption outer = DistributedLocks.assumeHeld()) {
			try (DistributedLocks.Assumption inner = DistributedLocks.assumeHeld()) {
				DistributedLocks.assertHeld("a");
				inner.close();
			}
			DistributedLocks.assertHeld();
			outer.close();
			assertThatIllegalStateException().isThrownBy(() -> DistributedLocks.assertHeld("a"));
		}

		assertThatIllegalStateException().isThrownBy(DistributedLocks::assertHeld);
	}

	@Test
	void assumptionAppliesToOneThread() {
		try (DistributedLocks.Assumption assumption = DistributedLocks.assumeHeld()) {
			assertThat(assumption).isNotNull();
			CompletableFuture
				.runAsync(() -> assertThatIllegalStateException().isThrownBy(DistributedLocks::assertHeld),
						OwnThread::run)
				.join();
		}
	}

}
