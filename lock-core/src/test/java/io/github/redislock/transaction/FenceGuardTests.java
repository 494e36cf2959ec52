package io.github.redislock.transaction;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockFence;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionSystemException;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowable;

@Tag("promise-4")
class FenceGuardTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private static final long FUTURE = Long.MAX_VALUE / 2;

	private final LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	private final TestDatabase database = new TestDatabase();

	private final TestDatabase otherDatabase = new TestDatabase();

	private final JdbcTemplate jdbc = this.database.jdbc();

	private final LockOptions fenced = LockOptions.options().fence(new JdbcFence(this.jdbc));

	@BeforeEach
	void guard() {
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("lock_fence.sql", JdbcFence.class)),
				this.database.dataSource());
		this.database.manager().addListener(new FenceGuard(this.database.manager()));
		this.otherDatabase.manager().addListener(new FenceGuard(this.otherDatabase.manager()));
	}

	@AfterEach
	void close() {
		assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
		this.locks.close();
		this.database.close();
		this.otherDatabase.close();
	}

	@Test
	void transactionIsAdmittedWithTheTokenOfTheHold() {
		long token = this.locks.execute(JOB, this.fenced, (lock) -> {
			this.database.transaction().executeWithoutResult((status) -> this.database.increment());
			return lock.fencingToken();
		});

		assertThat(token("job")).isEqualTo(token);
		assertThat(this.jdbc.queryForObject("select holder from lock_fence", String.class)).endsWith("…");
	}

	@Test
	void refusedTransactionDoesNotBeginAndLeavesNothingBound() {
		raise("job", FUTURE);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.locks.execute(JOB, this.fenced, () -> {
				try {
					this.database.transaction().executeWithoutResult((status) -> this.database.increment());
				}
				finally {
					assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
					assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
					assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isFalse();
				}
			}))
			.withMessageContainingAll("'job'", "older than " + FUTURE, "'other/Ab3dEf…'");

		assertThat(this.database.amount()).isZero();
		assertThat(((JdbcConnectionPool) this.database.dataSource()).getActiveConnections()).isZero();
		this.database.transaction().executeWithoutResult((status) -> this.database.increment());
		assertThat(this.database.amount()).isOne();
	}

	@Test
	void suspendedTransactionResumesAfterTheRefusalOfAnInnerOne() {
		this.locks.execute(JOB, this.fenced, () -> {
			TransactionTemplate reading = this.database.transaction();
			reading.setReadOnly(true);
			reading.executeWithoutResult((outer) -> {
				raiseElsewhere("job", FUTURE);

				assertThatExceptionOfType(StaleFencingTokenException.class)
					.isThrownBy(() -> this.database.anotherTransaction()
						.executeWithoutResult((inner) -> this.database.increment()));

				assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
				assertThat(TransactionSynchronizationManager.isCurrentTransactionReadOnly()).isTrue();
				assertThat(this.database.amount()).isZero();
			});
		});
	}

	@Test
	void transactionOfAnotherManagerResumesAndCommits() {
		raise("job", FUTURE);

		this.otherDatabase.transaction().executeWithoutResult((outer) -> {
			this.otherDatabase.increment();
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.locks.execute(JOB, this.fenced,
						() -> this.database.transaction().executeWithoutResult((inner) -> this.database.increment())));
			this.otherDatabase.increment();
		});

		assertThat(this.otherDatabase.amount()).isEqualTo(2);
		assertThat(this.database.amount()).isZero();
	}

	@Test
	void innerTransactionDoesNotWaitForItsSuspendedOuterOne() {
		long begin = System.nanoTime();

		this.locks.execute(JOB, this.fenced, () -> this.database.transaction().executeWithoutResult((outer) -> {
			this.database.anotherTransaction().executeWithoutResult((inner) -> this.database.increment());
			this.locks.execute(JOB, this.fenced, () -> this.database.anotherTransaction()
				.executeWithoutResult((inner) -> this.database.increment()));
			this.database.increment();
		}));

		assertThat(this.database.amount()).isEqualTo(3);
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
	}

	@Test
	void lockAcquiredInsideATransactionIsAdmittedBeforeItsWork() {
		raise("job", FUTURE);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.database.transaction().executeWithoutResult((status) -> {
				this.database.increment();
				this.locks.execute(JOB, this.fenced, () -> {
					throw new AssertionError("runs");
				});
			}));

		assertThat(this.database.amount()).isZero();
		assertThat(this.locks.isLocked(JOB)).isFalse();
	}

	@Test
	void ignoredRefusalDoesNotCommit() {
		raise("job", FUTURE);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.database.transaction().executeWithoutResult((status) -> {
				this.database.increment();
				assertThat(catchThrowable(() -> this.locks.acquire(JOB, this.fenced))).isNotNull();
				this.database.increment();
			}));

		assertThat(this.database.amount()).isZero();
	}

	@Test
	void allLocksAreAdmittedInTheOrderOfTheirNames() {
		RecordedFence fence = new RecordedFence();
		LockOptions options = LockOptions.options().fence(fence);

		this.locks.execute(LockTarget.allOf(LockTarget.of("d"), LockTarget.of("a")), options, () -> this.locks
			.execute(LockTarget.of("c"), options, () -> this.locks.execute(LockTarget.of("b"),
					() -> this.database.transaction().executeWithoutResult((status) -> this.database.increment()))));

		assertThat(fence.admitted).containsExactly("a", "c", "d");
	}

	@Test
	void reenteredLockIsAdmittedOnceForEachTransaction() {
		RecordedFence fence = new RecordedFence();
		LockOptions options = LockOptions.options().fence(fence);

		this.locks.execute(JOB, options, () -> this.locks.execute(JOB, options, () -> {
			this.database.transaction()
				.executeWithoutResult((status) -> this.database.transaction()
					.executeWithoutResult((same) -> this.database.increment()));
			this.database.transaction().executeWithoutResult((status) -> this.database.increment());
		}));

		assertThat(fence.admitted).containsExactly("job", "job");
	}

	@Test
	void reenteringALockWithoutFenceAddsOne() {
		RecordedFence fence = new RecordedFence();

		this.locks.execute(JOB, () -> this.locks.execute(JOB, LockOptions.options().fence(fence),
				() -> this.database.transaction().executeWithoutResult((status) -> this.database.increment())));

		assertThat(fence.admitted).containsExactly("job");
	}

	@Test
	void holderIsAdmittedAgainIfItsSavepointIsRolledBack() {
		TransactionTemplate nested = this.database.transaction();
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

		this.database.transaction().executeWithoutResult((outer) -> {
			nested.executeWithoutResult((inner) -> {
				this.locks.execute(JOB, this.fenced, this.database::increment);
				inner.setRollbackOnly();
			});
			assertThat(this.jdbc.queryForList("select * from lock_fence")).hasSize(1);
			this.database.increment();
		});

		assertThat(this.jdbc.queryForList("select * from lock_fence")).hasSize(1);
		assertThat(this.database.amount()).isOne();
	}

	@Test
	void refusedNestedTransactionRollsBackToItsSavepoint() {
		RecordedFence fence = new RecordedFence();
		TransactionTemplate nested = this.database.transaction();
		nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

		this.locks.execute(JOB, LockOptions.options().fence(fence),
				() -> this.database.transaction().executeWithoutResult((outer) -> {
					this.database.increment();
					fence.refuses = true;
					assertThatExceptionOfType(StaleFencingTokenException.class)
						.isThrownBy(() -> nested.executeWithoutResult((inner) -> this.database.increment()));
					this.database.increment();
				}));

		assertThat(this.database.amount()).isEqualTo(2);
	}

	@Test
	void failureOfTheRollbackIsAddedToTheRefusal() {
		raise("job", FUTURE);
		DataSourceTransactionManager broken = new DataSourceTransactionManager(this.database.dataSource()) {

			@Override
			protected void doRollback(DefaultTransactionStatus status) {
				super.doRollback(status);
				throw new TransactionSystemException("connection lost");
			}

		};
		broken.addListener(new FenceGuard(broken));

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.locks.execute(JOB, this.fenced,
					() -> new TransactionTemplate(broken).executeWithoutResult((status) -> this.database.increment())))
			.satisfies((refusal) -> assertThat(refusal.getSuppressed()).singleElement()
				.isInstanceOf(TransactionSystemException.class));
	}

	@Test
	void onlyTransactionsOfItsDataSourceAreFenced() {
		this.locks.execute(JOB, this.fenced, () -> this.otherDatabase.transaction().executeWithoutResult((outer) -> {
			this.otherDatabase.increment();
			assertThat(this.jdbc.queryForList("select * from lock_fence")).isEmpty();
			this.database.transaction().executeWithoutResult((inner) -> this.database.increment());
			assertThat(this.jdbc.queryForList("select * from lock_fence")).hasSize(1);
		}));
	}

	@Test
	void readOnlyTransactionIsRefusedToo() {
		raise("job", FUTURE);
		TransactionTemplate reading = this.database.transaction();
		reading.setReadOnly(true);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.locks.execute(JOB, this.fenced, () -> {
				reading.executeWithoutResult((status) -> this.database.amount());
			}));
	}

	@Test
	void handleIsFencedToo() {
		raise("job", FUTURE);

		try (LockHandle lock = this.locks.acquire(JOB, this.fenced)) {
			assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(
					() -> this.database.transaction().executeWithoutResult((status) -> this.database.increment()));
		}
	}

	@Test
	void workThatWasNotFencedCausesOneWarning() {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock.internal.engine.BlockingHandle")) {
			this.locks.execute(JOB, this.fenced, this.database::increment);

			assertThat(log.lines()).containsExactly("WARN Lock 'job' is released, but its fence admitted its holder in"
					+ " no transaction: the work was not fenced. Begin a transaction of the fence's DataSource inside"
					+ " the lock, or remove the fence");
		}
	}

	@Test
	void fencedRefusedAndFailedWorkCauseNoWarning() {
		try (LogRecorder log = LogRecorder.warningsOf("io.github.redislock.internal.engine.BlockingHandle")) {
			Runnable fencedWork = () -> this.locks.execute(JOB, this.fenced,
					() -> this.database.transaction().executeWithoutResult((status) -> this.database.increment()));
			fencedWork.run();
			raise("job", FUTURE);
			assertThat(catchThrowable(fencedWork::run)).isInstanceOf(StaleFencingTokenException.class);
			assertThat(catchThrowable(() -> this.locks.execute(JOB, this.fenced, () -> {
				throw new IllegalStateException("before its transaction");
			}))).hasMessage("before its transaction");

			assertThat(log.lines()).isEmpty();
		}
	}

	@Test
	void sharedLocksAndAsynchronousWorkAreRefused() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.locks.execute(JOB.forReading(), this.fenced, this.database::increment))
			.withMessage("Lock 'job (read)' is shared and cannot have a fence, which would refuse all holders but"
					+ " the newest");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> this.locks.async().execute(JOB, this.fenced, () -> CompletableFuture.completedFuture(1)))
			.withMessage("Lock 'job' is for asynchronous work and cannot have a fence, which needs the transaction of"
					+ " one thread: acquire the lock with LockOperations.execute");
		assertThat(this.locks.isLocked(JOB)).isFalse();
	}

	private void raise(String lockName, long token) {
		this.jdbc.update("merge into lock_fence key (resource_name) values (?, ?, 'other/Ab3dEf…', current_timestamp)",
				lockName, token);
	}

	private void raiseElsewhere(String lockName, long token) {
		CompletableFuture.runAsync(() -> raise(lockName, token), OwnThread::run).join();
	}

	private long token(String lockName) {
		Long token = this.jdbc.queryForObject("select fencing_token from lock_fence where resource_name = ?",
				Long.class, lockName);
		return (token != null) ? token : 0;
	}

	/**
	 * Records what it admits in any transaction. Before it refuses, it writes something
	 * that must be rolled back.
	 */
	private final class RecordedFence implements LockFence {

		private final List<String> admitted = new ArrayList<>();

		private boolean refuses;

		@Override
		public boolean isInTransaction() {
			return TransactionSynchronizationManager.isActualTransactionActive();
		}

		@Override
		public void admit(String lockName, long token, String holder) {
			if (this.refuses) {
				FenceGuardTests.this.database.increment();
				throw new StaleFencingTokenException(lockName, token, FUTURE);
			}
			this.admitted.add(lockName);
		}

		@Override
		public void check() {
		}

	}

}
