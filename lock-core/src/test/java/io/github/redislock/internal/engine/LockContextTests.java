package io.github.redislock.internal.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockContextTests {

	private static final LockOptions SHORT = LockOptions.options().timeout(Duration.ofSeconds(1)).autoRenew(false);

	private static final LockOptions ONCE = LockOptions.options().retry(0);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final CountingStore store = new CountingStore(new InMemoryLockStore(this.timer));

	private final LockTemplate locks = new LockTemplate(this.store,
			LockConfiguration.defaults().timer(this.timer).closeWait(Duration.ZERO));

	@AfterEach
	void close() {
		this.locks.close();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void lockIsHeldOnlyDuringTheWork(boolean reentrant) {
		this.locks.execute(LockTarget.of("a"), LockOptions.options().reentrant(reentrant), () -> {
			LockContext.requireHeld();
			LockContext.requireHeld("a");
			LockContext.requireHeld(LockTarget.of("a"));
			assertThat(this.store.calls()).as("only the acquisition").isEqualTo(1);
		});

		assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
	}

	@Test
	void requireHeldAcceptsNameAndKey() {
		this.locks.execute(LockTarget.of("a", "b:c").name(), () -> {
			LockContext.requireHeld("a", "b:c");
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a", "b:d"));
		});
	}

	@Test
	void eachOfSeveralAcquiredLocksIsHeld() {
		LockTarget several = LockTarget.allOf(LockTarget.of("a"), LockTarget.of("b"), LockTarget.of("c"));

		this.locks.execute(several, LockOptions.options(), () -> {
			LockContext.requireHeld("b");
			LockContext.requireHeld(LockTarget.allOf(LockTarget.of("c"), LockTarget.of("a")));
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("d"));
		});
	}

	@Test
	void writerHoldsTheLockInEverySharingMode() {
		this.locks.execute(LockTarget.of("a"), () -> {
			LockContext.requireHeld(LockTarget.of("a").forReading());
			LockContext.requireHeld(LockTarget.of("a").permits(3));
		});
	}

	@Test
	void readerHoldsTheLockOnlyForReading() {
		this.locks.execute(LockTarget.of("a").forReading(), () -> {
			LockContext.requireHeld();
			LockContext.requireHeld(LockTarget.of("a").forReading());
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld(LockTarget.of("a").permits(3)));
			assertThatIllegalStateException()
				.isThrownBy(() -> LockContext.requireHeld(LockTarget.of("b").forReading()));
		});
	}

	@Test
	void heldPermitCoversOtherPermitCountsAndReadingButNotWriting() {
		this.locks.execute(LockTarget.of("a").permits(3), () -> {
			LockContext.requireHeld(LockTarget.of("a").permits(3));
			LockContext.requireHeld(LockTarget.of("a").permits(2));
			LockContext.requireHeld(LockTarget.of("a").forReading());
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld(LockTarget.of("b").permits(3)));
		});
	}

	@Test
	void permitIsReenteredAfterThePermitCountWasReduced() {
		this.locks.execute(LockTarget.of("a").permits(2),
				() -> this.locks.execute(LockTarget.of("a").permits(1), LockOptions.options().retry(0), () -> {
					LockContext.requireHeld(LockTarget.of("a").permits(1));
					assertThat(this.locks.inspect(LockTarget.of("a")))
						.hasValueSatisfying((state) -> assertThat(state.holders()).isEqualTo(1));
				}));
	}

	@Test
	void permitIsReenteredEvenIfAReadLockWasAcquiredAfterIt() {
		LockTarget permit = LockTarget.of("a").permits(2);

		try (LockHandle outer = this.locks.acquire(permit)) {
			this.locks.execute(LockTarget.of("a").forReading(), ONCE.reentrant(false), (reader) -> {
				assertThat(reader.fencingToken()).isNotEqualTo(outer.fencingToken());
				long inner = this.locks.execute(permit, ONCE, LockHandle::fencingToken);
				assertThat(inner).isEqualTo(outer.fencingToken());
				return inner;
			});
		}
	}

	@Test
	void refusalBlamesNoLockOfTheCallerThatIsNotInTheWay() {
		LockTarget target = LockTarget.of("a");

		try (LockHandle own = this.locks.acquire(target)) {
			assertThatExceptionOfType(LockNotAcquiredException.class)
				.isThrownBy(() -> this.locks.acquire(target, ONCE.reentrant(false)))
				.withMessageNotContaining("the caller itself");
			assertThat(this.locks.async().execute(LockTarget.of("b"), () -> this.locks.async().acquire(target, ONCE)))
				.failsWithin(Duration.ofSeconds(20))
				.withThrowableThat()
				.withCauseInstanceOf(LockNotAcquiredException.class)
				.withMessageNotContaining("the caller itself");
			assertThat(own.isHeld()).isTrue();
		}
	}

	@Test
	void outerAndInnerLocksAreHeldInAsyncWork() {
		AsyncLockOperations async = this.locks.async();

		async.execute(LockTarget.of("outer"),
				() -> async.execute(LockTarget.of("middle"), () -> async.execute(LockTarget.of("inner"), () -> {
					LockContext.requireHeld("outer");
					LockContext.requireHeld("inner");
					assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"))
						.withMessageContaining("which holds 'outer', 'middle', 'inner': run");
					return CompletableFuture.completedFuture("done");
				})))
			.join();
	}

	@Test
	void outerAndInnerLocksAreHeldInNestedWork() {
		this.locks.execute("outer", () -> this.locks.execute("inner", () -> {
			LockContext.requireHeld("outer");
			LockContext.requireHeld("inner");
		}));
	}

	@Test
	void messageNamesTheLocksHeldInstead() {
		this.locks.execute("outer", () -> this.locks.execute("inner",
				() -> assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"))
					.withMessageStartingWith(
							"Lock 'a' is not held for the work of this thread, which holds 'outer', 'inner': run")));
	}

	@Test
	void handleOfThisThreadIsHeldUntilReleased() {
		LockHandle lock = this.locks.acquire(LockTarget.of("a"), LockOptions.options().onLost(OnLost.IGNORE));
		LockContext.requireHeld("a");
		LockContext.requireHeld();

		lock.release();

		assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
	}

	@Test
	void detachedHandleIsNotHeldByThisThread() {
		try (LockHandle lock = this.locks.acquire(LockTarget.of("a"))) {
			lock.detach();

			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
		}
	}

	@Test
	void otherThreadDoesNotHoldTheLock() {
		this.locks.execute("a",
				() -> CompletableFuture
					.runAsync(() -> assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a")),
							OwnThread::run)
					.join());
	}

	@Test
	void lostLockIsReportedAsLost() {
		LockHandle lock = this.locks.acquire(LockTarget.of("a"), SHORT);

		this.timer.advance(Duration.ofSeconds(2));

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.requireHeld("a"))
			.satisfies((lost) -> assertThat(lost.getLockName()).isEqualTo("a"));
		assertThatExceptionOfType(LockLostException.class).isThrownBy(LockContext::requireHeld);
		lock.release();
	}

	@Test
	void lossOfAnyLockIsReported() {
		this.locks.execute("inner", () -> {
			LockHandle lost = this.locks.acquire(LockTarget.of("lost"), SHORT);
			LockContext.requireHeld("inner");

			this.timer.advance(Duration.ofSeconds(2));

			assertThatExceptionOfType(LockLostException.class).isThrownBy(LockContext::requireHeld)
				.satisfies((loss) -> assertThat(loss.getLockName()).isEqualTo("lost"));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.requireHeld("inner"))
				.satisfies((loss) -> assertThat(loss.getLockName()).isEqualTo("lost"));
			lost.release();
			LockContext.requireHeld();
			LockContext.requireHeld("inner");
		});
	}

	@Test
	void requireHeldFailsEvenIfTheLossIsIgnored() {
		this.locks.execute(LockTarget.of("a"), SHORT.onLost(OnLost.IGNORE), () -> {
			this.timer.advance(Duration.ofSeconds(2));

			assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.requireHeld("a"));
			assertThatExceptionOfType(LockLostException.class).isThrownBy(LockContext::requireHeld);
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("b"));
			this.locks.execute("b", () -> {
				LockContext.requireHeld("b");
				LockContext.requireHeld();
				assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> LockContext.requireHeld("a"));
			});
		});
	}

	@Test
	void lockReleasedByTheWorkItselfIsNotHeld() {
		this.locks.execute("a", () -> {
			LockContext.current().release();

			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
			assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
		});
	}

	@Test
	void lockReleasedByTheAsyncWorkItselfIsNotHeld() {
		this.locks.async().execute(LockTarget.of("a"), LockOptions.options(), (lock) -> {
			lock.release().join();

			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
			return CompletableFuture.completedFuture("done");
		}).join();
	}

	@Test
	void requireHeldExplainsHowToAcquireALock() {
		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld)
			.withMessage("No lock is held for the work of this thread: run the work with LockOperations.execute, or"
					+ " call the annotated method through its Spring bean (not from within the same object, and not on"
					+ " another thread)");

		try (LockContext.Assumption locked = LockContext.assumeHeld()) {
			LockContext.requireHeld();
		}
	}

	@Test
	void assumptionLetsAssertionsPassUntilClosed() {
		try (LockContext.Assumption outer = LockContext.assumeHeld()) {
			try (LockContext.Assumption inner = LockContext.assumeHeld()) {
				LockContext.requireHeld("a");
				inner.close();
			}
			LockContext.requireHeld();
			outer.close();
			assertThatIllegalStateException().isThrownBy(() -> LockContext.requireHeld("a"));
		}

		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
	}

	@Test
	void assumptionAppliesOnlyToItsThread() {
		try (LockContext.Assumption assumption = LockContext.assumeHeld()) {
			assertThat(assumption).isNotNull();
			CompletableFuture
				.runAsync(() -> assertThatIllegalStateException().isThrownBy(LockContext::requireHeld), OwnThread::run)
				.join();
		}
	}

}
