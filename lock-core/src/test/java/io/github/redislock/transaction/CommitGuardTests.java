package io.github.redislock.transaction;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.awaitility.Awaitility.await;

@Tag("promise-8")
class CommitGuardTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final Duration LEASE = Duration.ofSeconds(30);

	private static final LockOptions SHORT = LockOptions.options().timeout(LEASE).autoRenew(false);

	private static final String ROLLED_BACK = "; thrown before the commit, so this transaction is rolled back";

	private final ManualLockTimer timer = new ManualLockTimer();

	private final LockConfiguration configuration = LockConfiguration.defaults().timer(this.timer);

	private final LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(this.timer), this.configuration);

	private final TestDatabase database = new TestDatabase();

	@AfterEach
	void close() {
		this.locks.close();
		this.database.close();
	}

	@Test
	void lossOfALockAcquiredInsideRollsBackTheTransaction() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.database.transaction().executeWithoutResult((status) -> {
				this.locks.execute(JOB, SHORT, this.database::increment);
				loseAll();
			}))
			.satisfies((lost) -> {
				assertThat(lost.getLockName()).isEqualTo("job");
				assertThat(lost.getReason()).endsWith(ROLLED_BACK);
				assertThat(lost.getSuppressed()).isEmpty();
			});

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void lockLostInsideRollsBackEvenIfTheExceptionIsSwallowed() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.database.transaction().executeWithoutResult((status) -> {
				try {
					this.locks.execute(JOB, SHORT, () -> {
						this.database.increment();
						loseAll();
					});
				}
				catch (LockLostException ex) {
					assertThat(ex.getLockName()).isEqualTo("job");
				}
			}));

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void lossOfALockAcquiredOutsideRollsBackWithOneException() {
		TransactionTemplate guarded = guardedTransaction();

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.locks.execute(JOB, SHORT, () -> guarded.executeWithoutResult((status) -> {
				this.database.increment();
				loseAll();
			})))
			.satisfies((lost) -> {
				assertThat(lost.getReason()).endsWith(ROLLED_BACK);
				assertThat(lost.getSuppressed()).isEmpty();
			});

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void lossOutsideDoesNotPreventTheCommitWithoutAGuard() {
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, SHORT,
				() -> this.database.transaction().executeWithoutResult((status) -> {
					this.database.increment();
					loseAll();
				})))
			.satisfies((lost) -> assertThat(lost.getReason())
				.endsWith("; thrown at the release, so the work may have taken effect"));

		assertThat(this.database.amount()).isEqualTo(1);
	}

	@Test
	void lossInsideDoesNotPreventTheCommitWithoutAGuard() {
		try (LockTemplate unguarded = new RedisLockTemplate(new InMemoryLockStore(this.timer),
				this.configuration.commitGuard(false))) {
			this.database.transaction().executeWithoutResult((status) -> {
				unguarded.execute(JOB, SHORT, this.database::increment);
				loseAll();
			});
		}

		assertThat(this.database.amount()).isEqualTo(1);
	}

	@Test
	void lossAfterAnotherFailureAddsNoExceptionToTheRollback() {
		assertThatIllegalArgumentException().isThrownBy(() -> guardedTransaction().executeWithoutResult((status) -> {
			this.locks.execute(JOB, SHORT, this.database::increment);
			loseAll();
			throw new IllegalArgumentException("own failure");
		})).satisfies((failure) -> assertThat(failure.getSuppressed()).isEmpty());

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void heldLocksLetTheTransactionCommit() {
		TransactionTemplate guarded = guardedTransaction();

		this.locks.execute("outer", () -> guarded.executeWithoutResult((status) -> {
			this.locks.execute("inner", this.database::increment);
			this.timer.advance(Duration.ofMinutes(5));
		}));

		assertThat(this.database.amount()).isEqualTo(1);
	}

	@Test
	void ignoredLossLetsTheTransactionCommit() {
		LockOptions ignoring = SHORT.onLost(OnLost.IGNORE);
		TransactionTemplate guarded = guardedTransaction();

		this.locks.execute(LockTarget.of("outer"), ignoring, () -> guarded
			.executeWithoutResult((status) -> this.locks.execute(LockTarget.of("inner"), ignoring, () -> {
				this.database.increment();
				loseAll();
			})));

		assertThat(this.database.amount()).isEqualTo(1);
	}

	@Test
	void lockOfTheSuspendedTransactionAlsoGuardsTheInnerOne() {
		this.database.manager().addListener(new CommitGuard());

		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.database.transaction().executeWithoutResult((outer) -> {
				this.locks.execute(JOB, SHORT, () -> {
				});
				loseAll();
				this.database.anotherTransaction().executeWithoutResult((inner) -> this.database.increment());
			}));

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void handleThatMayBelongToAnotherThreadGuardsNoTransaction() {
		LockHandle background = this.locks.acquire(LockTarget.of("batch"), SHORT.reentrant(false));
		loseAll();

		guardedTransaction().executeWithoutResult((status) -> this.database.increment());

		assertThat(background.isHeld()).isFalse();
		assertThat(this.database.amount()).isEqualTo(1);
	}

	@Test
	void handleReleasedByAnotherThreadGuardsNoTransaction() {
		LockHandle lock = this.locks.acquire(JOB, SHORT);
		CompletableFuture.runAsync(lock::release, OwnThread::run).join();
		loseAll();

		assertThatNoException().isThrownBy(LockContext::requireNoneLost);
	}

	@Test
	void forgottenHandleGuardsNoTransaction() {
		WeakReference<LockHandle> forgotten = new WeakReference<>(this.locks.acquire(JOB, SHORT));
		loseAll();

		await().until(() -> {
			System.gc();
			return forgotten.refersTo(null);
		});

		assertThatNoException().isThrownBy(LockContext::requireNoneLost);
	}

	@Test
	void lostHandleFailsEachTransactionOfItsThreadUntilReleased() {
		TransactionTemplate transaction = guardedTransaction();
		LockHandle lock = this.locks.acquire(JOB, SHORT);
		loseAll();

		for (int attempt = 0; attempt < 3; attempt++) {
			assertThatExceptionOfType(LockLostException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
				}));
		}

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.NOT_HELD);
		assertThatNoException().isThrownBy(() -> transaction.executeWithoutResult((status) -> {
		}));
	}

	@Test
	void workThatLostItsLockCommitsNoTransaction() {
		TransactionTemplate transaction = guardedTransaction();

		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.locks.execute(JOB, SHORT, () -> {
			loseAll();
			for (int attempt = 0; attempt < 3; attempt++) {
				assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(() -> transaction.executeWithoutResult((status) -> {
					}));
			}
		}));
	}

	@Test
	void requireHeldToleratesAnIgnoredLossOfTheOuterLock() {
		this.locks.execute(LockTarget.of("outer"), SHORT.onLost(OnLost.IGNORE),
				() -> this.locks.execute("inner", () -> {
					assertThatNoException().isThrownBy(LockContext::requireHeld);
					loseAll();
					assertThatNoException().as("the inner one is renewed").isThrownBy(LockContext::requireHeld);
				}));
	}

	@Test
	void lossIsReportedEachTimeUntilTheLockIsReleased() {
		LockHandle lock = this.locks.acquire(JOB, SHORT);
		assertThatNoException().isThrownBy(LockContext::requireHeld);
		loseAll();

		for (int step = 0; step < 3; step++) {
			assertThatExceptionOfType(LockLostException.class).as("step %d", step).isThrownBy(LockContext::requireHeld);
		}

		lock.release();
		assertThatIllegalStateException().isThrownBy(LockContext::requireHeld);
	}

	@Test
	void transactionWithoutALockCommits() {
		assertThatNoException().isThrownBy(() -> guardedTransaction().executeWithoutResult((status) -> {
		}));
	}

	private TransactionTemplate guardedTransaction() {
		this.database.manager().addListener(new CommitGuard());
		return this.database.transaction();
	}

	/**
	 * End the leases of all locks that are not renewed.
	 */
	private void loseAll() {
		this.timer.advance(LEASE);
	}

}
