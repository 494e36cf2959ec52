package io.github.redislock.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.ClockThatIsSet;
import io.github.redislock.testing.OwnThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Tag("promise-8")
class DeferredReleaseTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private final ManualLockTimer timer = new ManualLockTimer();

	private final LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(this.timer),
			LockConfiguration.defaults().timer(this.timer));

	private final TestDatabase database = new TestDatabase();

	@AfterEach
	void close() {
		this.locks.close();
		this.database.close();
	}

	@Test
	void lockAcquiredInATransactionIsKeptUntilItsCommit() {
		List<Boolean> seen = new ArrayList<>();
		this.database.transaction().executeWithoutResult((status) -> {
			this.locks.execute("job", this.database::increment);
			this.locks.execute("other", () -> {
			});
			seen.add(isLocked("job"));
			seen.add(isLocked("other"));
		});

		assertThat(seen).containsExactly(true, true);
		assertThat(isLocked("job")).isFalse();
		assertThat(isLocked("other")).isFalse();
	}

	@Test
	void lockAcquiredInATransactionIsKeptUntilItsRollback() {
		List<Boolean> seen = new ArrayList<>();
		this.database.transaction().executeWithoutResult((status) -> {
			this.locks.execute("job", this.database::increment);
			status.setRollbackOnly();
			seen.add(isLocked("job"));
		});

		assertThat(seen).containsExactly(true);
		assertThat(isLocked("job")).isFalse();
		assertThat(this.database.amount()).isZero();
	}

	@Test
	void asynchronousLocksIgnoreTheTransactionOfTheCaller() {
		this.database.transaction().executeWithoutResult((status) -> {
			AsyncLockHandle lock = this.locks.async().acquire(JOB).join();
			assertThat(lock.release().join()).isEqualTo(ReleaseOutcome.RELEASED);
			this.locks.async().execute(JOB, () -> CompletableFuture.completedFuture("done")).join();
			assertThat(isLocked("job")).isFalse();
		});
	}

	@ParameterizedTest
	@ValueSource(ints = { 0, Ordered.LOWEST_PRECEDENCE })
	void synchronizationsRunWhileTheLockIsStillHeld(int order) {
		List<Boolean> seen = new ArrayList<>();
		this.database.transaction().executeWithoutResult((status) -> {
			this.locks.execute("job", this.database::increment);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return order;
				}

				@Override
				public void afterCommit() {
					seen.add(isLocked("job"));
				}

				@Override
				public void afterCompletion(int result) {
					seen.add(isLocked("job"));
				}

			});
		});

		assertThat(seen).containsExactly(true, true);
	}

	@Test
	void lockAcquiredAfterTheCommitIsKeptUntilTheCompletion() {
		List<Boolean> seen = new ArrayList<>();
		this.database.transaction().executeWithoutResult((status) -> {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void afterCommit() {
					DeferredReleaseTests.this.locks.execute("job", () -> {
					});
					seen.add(isLocked("job"));
				}

			});
		});

		assertThat(seen).containsExactly(true);
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void releaseReturnsDeferredAndLaterItsFinalOutcome() {
		LockHandle lock = this.database.transaction().execute((status) -> {
			LockHandle taken = this.locks.acquire(JOB);

			assertThat(taken.release()).isEqualTo(ReleaseOutcome.DEFERRED);
			assertThat(taken.release()).isEqualTo(ReleaseOutcome.DEFERRED);
			assertThat(taken.isHeld()).isTrue();
			assertThat(taken.remaining()).isPositive();
			assertThat(taken.verify()).isTrue();
			assertThatIllegalStateException().isThrownBy(taken::renew);
			return taken;
		});

		assertThat(lock).isNotNull();
		assertThat(lock.isHeld()).isFalse();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void deferredLockIsRenewedUntilTheTransactionEnds() {
		this.database.transaction().executeWithoutResult((status) -> {
			LockHandle lock = this.locks.acquire(JOB, LockOptions.options().timeout(Duration.ofSeconds(30)));
			lock.close();

			this.timer.advance(Duration.ofMinutes(10));

			assertThat(lock.isHeld()).isTrue();
			assertThat(isLocked("job")).isTrue();
		});
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void lockThatMayBeLostIsKeptUntilTheTransactionEnds() {
		ClockThatIsSet clock = new ClockThatIsSet(this.timer);
		try (LockTemplate suspended = new RedisLockTemplate(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(clock))) {
			this.database.transaction().executeWithoutResult((status) -> {
				LockHandle lock = suspended.acquire(JOB);
				this.timer.advance(Duration.ofSeconds(1));
				clock.set(Duration.ofHours(1));
				assertThat(lock.isHeld()).isFalse();

				assertThat(lock.release()).isEqualTo(ReleaseOutcome.DEFERRED);

				assertThat(suspended.inspect(JOB)).isPresent();
			});
			assertThat(suspended.inspect(JOB)).isEmpty();
		}
	}

	@Test
	void handleThatIsNotReleasedOutlivesItsTransaction() {
		LockHandle lock = this.database.transaction().execute((status) -> this.locks.acquire(JOB));

		assertThat(lock).isNotNull();
		assertThat(lock.isHeld()).isTrue();
		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void lockReleasedInsideALaterTransactionIsKeptUntilItsEnd() {
		LockHandle lock = this.locks.acquire(JOB);

		this.database.transaction().executeWithoutResult((status) -> {
			assertThat(lock.release()).isEqualTo(ReleaseOutcome.DEFERRED);
			assertThat(isLocked("job")).isTrue();
		});

		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void lockAroundTheTransactionIsReleasedImmediately() {
		LockHandle lock = this.locks.acquire(JOB);
		this.database.transaction().executeWithoutResult((status) -> this.database.increment());

		assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
	}

	@Test
	void lockBelongsToTheTransactionItWasAcquiredIn() {
		this.database.transaction().executeWithoutResult((outer) -> {
			LockHandle outerLock = this.locks.acquire(LockTarget.of("outer"));
			this.database.anotherTransaction().executeWithoutResult((inner) -> {
				this.locks.execute("inner", () -> {
				});
				assertThat(outerLock.release()).isEqualTo(ReleaseOutcome.DEFERRED);
				assertThat(isLocked("inner")).isTrue();
			});

			assertThat(isLocked("inner")).isFalse();
			assertThat(isLocked("outer")).isTrue();
		});

		assertThat(isLocked("outer")).isFalse();
	}

	@Test
	void lockAcquiredDuringASuspensionIsReleasedImmediately() {
		TransactionTemplate none = this.database.transaction();
		none.setPropagationBehavior(TransactionDefinition.PROPAGATION_NOT_SUPPORTED);
		this.database.transaction().executeWithoutResult((outer) -> {
			LockHandle outerLock = this.locks.acquire(LockTarget.of("outer"));
			none.executeWithoutResult((status) -> {
				assertThat(this.locks.acquire(JOB).release()).isEqualTo(ReleaseOutcome.RELEASED);
				assertThat(outerLock.release()).isEqualTo(ReleaseOutcome.DEFERRED);
			});
			assertThat(isLocked("outer")).isTrue();
		});
		assertThat(isLocked("outer")).isFalse();
	}

	@Test
	void lockAwaitingTheCommitCanBeReentered() {
		this.database.transaction().executeWithoutResult((status) -> {
			for (int i = 0; i < 3; i++) {
				this.locks.execute("job", this.database::increment);
			}
			assertThat(isLocked("job")).isTrue();
		});

		assertThat(this.database.amount()).isEqualTo(3);
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void reentryInsideTheTransactionDoesNotReleaseTheOuterLock() {
		this.locks.execute("job", () -> {
			this.database.transaction()
				.executeWithoutResult((status) -> this.locks.execute("job", this.database::increment));

			assertThat(isLocked("job")).isTrue();
		});
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void lockReenteredInAnInnerTransactionIsKeptForTheOuterOne() {
		this.database.transaction().executeWithoutResult((outer) -> {
			this.locks.execute("job", this.database::increment);
			this.database.anotherTransaction().executeWithoutResult((inner) -> this.locks.execute("job", () -> {
			}));

			assertThat(isLocked("job")).isTrue();
		});
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void handleReleasedByAnotherThreadWaitsForItsTransaction() {
		this.database.transaction().executeWithoutResult((status) -> {
			LockHandle lock = this.locks.acquire(JOB);

			assertThat(CompletableFuture.supplyAsync(lock::release, OwnThread::run).join())
				.isEqualTo(ReleaseOutcome.DEFERRED);
			assertThat(isLocked("job")).isTrue();
		});
		assertThat(isLocked("job")).isFalse();
	}

	@Test
	void handleReleasedInATransactionOfAnotherThreadDoesNotWaitForThatTransaction() {
		CompletableFuture<ReleaseOutcome> released = new CompletableFuture<>();
		CompletableFuture<Void> end = new CompletableFuture<>();
		CompletableFuture<?> other = this.database.transaction().execute((status) -> {
			LockHandle lock = this.locks.acquire(JOB);
			CompletableFuture<?> releasing = CompletableFuture
				.runAsync(() -> this.database.transaction().executeWithoutResult((another) -> {
					released.complete(lock.release());
					end.join();
				}), OwnThread::run);
			assertThat(released.join()).isEqualTo(ReleaseOutcome.DEFERRED);
			return releasing;
		});

		assertThat(isLocked("job")).isFalse();
		end.complete(null);
		assertThat(other).succeedsWithin(Duration.ofSeconds(10));
	}

	@Test
	void otherCallersGetTheLockOnlyAfterTheCommit() throws Exception {
		CountDownLatch done = new CountDownLatch(1);
		CompletableFuture<Integer> seen = new CompletableFuture<>();
		this.database.transaction().executeWithoutResult((status) -> {
			this.locks.execute("job", () -> this.database.setAmount(42));
			new Thread(() -> {
				LockOptions patient = LockOptions.options().waitTime(Duration.ofMinutes(1));
				this.locks.execute(JOB, patient, () -> seen.complete(this.database.amount()));
				done.countDown();
			}).start();
			assertThat(seen).isNotDone();
		});
		done.await();

		assertThat(seen).isCompletedWithValue(42);
	}

	@Test
	void templateWithoutTransactionsReleasesImmediately() {
		try (LockTemplate plain = new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			this.database.transaction()
				.executeWithoutResult(
						(status) -> assertThat(plain.acquire(JOB).release()).isEqualTo(ReleaseOutcome.RELEASED));
		}
	}

	private boolean isLocked(String name) {
		return this.locks.isLocked(LockTarget.of(name));
	}

}
