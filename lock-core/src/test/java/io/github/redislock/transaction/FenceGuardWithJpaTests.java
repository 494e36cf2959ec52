package io.github.redislock.transaction;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.OnLost;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.OwnThread;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The fence's {@code JdbcTemplate} uses the connection of Hibernate.
 */
@Tag("promise-4")
class FenceGuardWithJpaTests {

	private static final LockTarget JOB = LockTarget.of("job");

	private final LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());

	private final TestDatabase database = new TestDatabase();

	private final JdbcTemplate jdbc = this.database.jdbc();

	private final LockOptions fenced = LockOptions.options().onLost(OnLost.IGNORE).fence(new JdbcFence(this.jdbc));

	private final LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();

	private EntityManager entities;

	private TransactionTemplate transaction;

	private TransactionTemplate anotherTransaction;

	@BeforeEach
	void start() {
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("lock_fence.sql", JdbcFence.class)),
				this.database.dataSource());
		this.jdbc.execute("create table account (id int primary key, balance int not null)");
		this.jdbc.execute("insert into account values (7, 0)");
		this.factory.setDataSource(this.database.dataSource());
		this.factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
		this.factory.setManagedTypes(PersistenceManagedTypes.of(Account.class.getName()));
		this.factory.afterPropertiesSet();
		this.entities = SharedEntityManagerCreator
			.createSharedEntityManager(Objects.requireNonNull(this.factory.getObject()));
		JpaTransactionManager manager = new JpaTransactionManager(Objects.requireNonNull(this.factory.getObject()));
		manager.addListener(new FenceGuard(manager));
		this.transaction = new TransactionTemplate(manager);
		this.anotherTransaction = new TransactionTemplate(manager);
		this.anotherTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	@AfterEach
	void close() {
		assertThat(((JdbcConnectionPool) this.database.dataSource()).getActiveConnections()).isZero();
		this.locks.close();
		this.factory.destroy();
		this.database.close();
	}

	@Test
	void changeOfTheHolderCommits() {
		long token = this.locks.execute(JOB, this.fenced, (lock) -> {
			this.transaction.executeWithoutResult((status) -> deposit(10));
			return lock.fencingToken();
		});

		assertThat(balance()).isEqualTo(10);
		assertThat(this.jdbc.queryForObject("select fencing_token from lock_fence", Long.class)).isEqualTo(token);
	}

	@Test
	void lateHolderIsRefusedBeforeItsWorkAndLeavesNothingBound() {
		try (LockHandle late = this.locks.acquire(JOB, this.fenced)) {
			letTheNextHolderDeposit(10);

			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
					throw new AssertionError("runs");
				}));

			assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
			assertThat(TransactionSynchronizationManager.isSynchronizationActive()).isFalse();
		}
		this.transaction.executeWithoutResult((status) -> deposit(5));
		assertThat(balance()).isEqualTo(15);
	}

	@Test
	void changesFlushedBeforeARefusalDoNotCommit() {
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				deposit(20);
				this.entities.flush();
				this.jdbc.update("insert into lock_fence values ('job', ?, 'other', current_timestamp)",
						Long.MAX_VALUE);
				this.locks.execute(JOB, this.fenced, () -> {
					throw new AssertionError("runs");
				});
			}));

		assertThat(balance()).isZero();
	}

	@Test
	void newTransactionInsideAFencedOneCommits() {
		this.locks.execute(JOB, this.fenced, () -> this.transaction.executeWithoutResult((outer) -> {
			this.anotherTransaction.executeWithoutResult((inner) -> deposit(10));
			deposit(5);
		}));

		assertThat(balance()).isEqualTo(15);
	}

	@Test
	void suspendedTransactionResumesAfterTheRefusalOfAnInnerOne() {
		this.locks.execute(JOB, this.fenced, () -> {
			this.transaction.setReadOnly(true);
			this.transaction.executeWithoutResult((outer) -> {
				letTheNextHolderDeposit(10);

				assertThatExceptionOfType(StaleFencingTokenException.class)
					.isThrownBy(() -> this.anotherTransaction.executeWithoutResult((inner) -> deposit(5)));

				assertThat(TransactionSynchronizationManager.isCurrentTransactionReadOnly()).isTrue();
				assertThat(this.entities.find(Account.class, 7).balance).isEqualTo(10);
			});
		});
	}

	private void letTheNextHolderDeposit(int amount) {
		this.locks.forceRelease(JOB);
		CompletableFuture.runAsync(
				() -> this.locks.execute(JOB, this.fenced,
						() -> this.anotherTransaction.executeWithoutResult((status) -> deposit(amount))),
				OwnThread::run)
			.join();
	}

	private void deposit(int amount) {
		this.entities.find(Account.class, 7).balance += amount;
	}

	private @Nullable Integer balance() {
		return this.jdbc.queryForObject("select balance from account", Integer.class);
	}

	@Entity(name = "account")
	static class Account {

		@Id
		int id;

		int balance;

	}

}
