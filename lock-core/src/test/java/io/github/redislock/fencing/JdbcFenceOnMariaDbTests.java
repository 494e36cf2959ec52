package io.github.redislock.fencing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.CodeBlock;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.transaction.FenceGuard;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Needs a MariaDB, whose transactions are {@code REPEATABLE READ} by default:
 * {@code LOCK_TEST_MARIADB=jdbc:mariadb://localhost/test?user=root}.
 */
@EnabledIfEnvironmentVariable(named = "LOCK_TEST_MARIADB", matches = "jdbc:mariadb:.+",
		disabledReason = "LOCK_TEST_MARIADB names no MariaDB")
class JdbcFenceOnMariaDbTests extends JdbcFenceTests {

	private static final String LATEST = "select concat(holder, ' ', fencing_token) from lock_fence"
			+ " where resource_name = 'account'";

	// On by default since 11.6: the other tests are about rows that are waited for.
	private final DataSource dataSource = dataSource("sessionVariables", "innodb_snapshot_isolation=OFF");

	private @Nullable String lockTimeout;

	@Override
	DataSource dataSource() {
		return this.dataSource;
	}

	@Override
	Resource table() throws IOException {
		String statement = CodeBlock.in(GUIDE, "sql").get(0).text();
		return new ByteArrayResource(statement.getBytes(StandardCharsets.UTF_8));
	}

	@Override
	void limitWaiting(JdbcTemplate connected) {
		if (this.lockTimeout != null) {
			connected.execute("set innodb_lock_wait_timeout = " + this.lockTimeout);
		}
	}

	/**
	 * The count of a new, a changed and an unchanged row is 1, 2 and 0, or 1, 2 and 1.
	 */
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void upsertIsUnderstoodHoweverTheDriverCountsRows(boolean affected) {
		DataSource counting = dataSource("useAffectedRows", String.valueOf(affected));
		JdbcTemplate jdbc = new JdbcTemplate(counting);
		JdbcFence fence = new JdbcFence(jdbc);
		TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(counting));

		transaction.executeWithoutResult((status) -> {
			fence.admit("account", 7, "one");
			fence.admit("account", 7, "one");
		});
		transaction.executeWithoutResult((status) -> fence.admit("account", 9, "other"));

		for (long late : new long[] { 8, 9 }) {
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> transaction.executeWithoutResult((status) -> fence.admit("account", late, "one")));
		}
		assertThat(jdbc.queryForObject(LATEST, String.class)).isEqualTo("other 9");
	}

	@Test
	void namesThatDifferInCaseHaveTheirOwnRows() {
		JdbcFence fence = new JdbcFence(new JdbcTemplate(this.dataSource));

		transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult((status) -> {
			fence.admit("Account", 9);
			fence.admit("account", 7);
		});

		assertThat(new JdbcTemplate(this.dataSource).queryForObject(LATEST, String.class)).isEqualTo("- 7");
	}

	@Test
	void newestRowCountsAndNotTheOneThatTheTransactionReadBefore() {
		assertThat(failureAfterReadingAnOldRow(this.dataSource, 8)).isInstanceOf(StaleFencingTokenException.class);
		assertThat(failureAfterReadingAnOldRow(this.dataSource, 10)).isNull();
	}

	@Test
	void snapshotIsolationRefusesBoth() {
		DataSource isolated = dataSource("sessionVariables", "innodb_snapshot_isolation=ON");

		assertThat(failureAfterReadingAnOldRow(isolated, 8)).isInstanceOf(CannotAcquireLockException.class);
		assertThat(failureAfterReadingAnOldRow(isolated, 10)).isInstanceOf(CannotAcquireLockException.class);
	}

	@Test
	void shorterTimeoutOfTheServerApplies() throws Exception {
		this.lockTimeout = "1";

		assertWaitsOnlyBriefly(transaction(TransactionDefinition.PROPAGATION_REQUIRED));
	}

	@Test
	void shorterTimeoutOfTheTransactionApplies() throws Exception {
		TransactionTemplate brief = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		brief.setTimeout(1);

		assertWaitsOnlyBriefly(brief);
	}

	@Test
	void locksAcquiredInOppositeOrderDoNotDeadlock() {
		CyclicBarrier begin = new CyclicBarrier(2);

		CompletableFuture<Integer> one = CompletableFuture.supplyAsync(() -> roundsWithoutADeadlock("a", "b", begin),
				OwnThread::run);
		CompletableFuture<Integer> other = CompletableFuture.supplyAsync(() -> roundsWithoutADeadlock("b", "a", begin),
				OwnThread::run);

		assertThat(one.join() + other.join()).isGreaterThanOrEqualTo(50);
	}

	/**
	 * Commit twice under two locks, as if another instance did not have them, and return
	 * how many transactions were committed.
	 */
	private int roundsWithoutADeadlock(String first, String second, CyclicBarrier begin) {
		DataSourceTransactionManager manager = new DataSourceTransactionManager(this.dataSource);
		manager.addListener(new FenceGuard(manager));
		LockOptions options = LockOptions.options().fence(new JdbcFence(new JdbcTemplate(this.dataSource)));
		int committed = 0;
		try (LockTemplate locks = new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults())) {
			for (int round = 0; round < 50; round++) {
				Throwable failure = catchThrowable(
						() -> locks.execute(first, options, () -> locks.execute(second, options, () -> {
							await(begin);
							new TransactionTemplate(manager).executeWithoutResult((status) -> {
							});
						})));
				if (failure == null) {
					committed++;
				}
				else {
					assertThat(failure).isInstanceOf(StaleFencingTokenException.class);
				}
			}
		}
		return committed;
	}

	/**
	 * Read the row under the default isolation, let another holder commit, and then use
	 * the fence.
	 */
	private static @Nullable Throwable failureAfterReadingAnOldRow(DataSource dataSource, long token) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource);
		JdbcFence fence = new JdbcFence(jdbc);
		TransactionTemplate transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
		jdbc.update("delete from lock_fence");
		transaction.executeWithoutResult((status) -> fence.admit("account", 7));
		return catchThrowable(() -> transaction.executeWithoutResult((status) -> {
			assertThat(jdbc.queryForObject(LATEST, String.class)).isEqualTo("- 7");
			CompletableFuture
				.runAsync(() -> transaction.executeWithoutResult((next) -> fence.admit("account", 9)), OwnThread::run)
				.join();
			assertThat(jdbc.queryForObject(LATEST, String.class)).isEqualTo("- 7");
			fence.admit("account", token);
		}));
	}

	private static DataSource dataSource(String property, String value) {
		DriverManagerDataSource dataSource = new DriverManagerDataSource(System.getenv("LOCK_TEST_MARIADB"));
		Properties properties = new Properties();
		properties.setProperty(property, value);
		dataSource.setConnectionProperties(properties);
		return dataSource;
	}

	private static void await(CyclicBarrier barrier) {
		try {
			barrier.await(1, TimeUnit.MINUTES);
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

}
