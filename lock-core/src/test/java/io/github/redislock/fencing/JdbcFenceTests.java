package io.github.redislock.fencing;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import io.github.redislock.testing.CodeBlock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.Ordered;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests what a fence promises in any database.
 */
@Tag("promise-4")
abstract class JdbcFenceTests {

	static final Path GUIDE = Path.of("..", "docs", "guide", "fencing.md");

	private final ExecutorService other = Executors.newFixedThreadPool(8);

	private JdbcTemplate jdbc;

	private TransactionTemplate transaction;

	private JdbcFence fence;

	abstract DataSource dataSource();

	/**
	 * Return the statement that creates the table.
	 */
	Resource table() throws IOException {
		return new ClassPathResource("lock_fence.sql", JdbcFence.class);
	}

	@BeforeEach
	void createTable() throws IOException {
		this.jdbc = new JdbcTemplate(dataSource());
		this.transaction = new TransactionTemplate(new DataSourceTransactionManager(dataSource()));
		this.fence = new JdbcFence(this.jdbc);
		this.jdbc.execute("drop table if exists lock_fence");
		DatabasePopulatorUtils.execute(new ResourceDatabasePopulator(table()), dataSource());
	}

	@Test
	void sqlOfTheGuideRejectsStaleTokens() throws IOException {
		String statement = CodeBlock.in(GUIDE, "sql").get(1).text();
		this.jdbc.execute("drop table if exists account");
		this.jdbc.execute("create table account (id int primary key, balance int, fence bigint)");
		this.jdbc.execute("insert into account values (7, 0, 0)");
		NamedParameterJdbcTemplate named = new NamedParameterJdbcTemplate(this.jdbc);

		assertThat(named.update(statement, Map.of("id", 7, "balance", 10, "token", 2L))).isOne();
		assertThat(named.update(statement, Map.of("id", 7, "balance", 20, "token", 1L))).isZero();
		assertThat(named.update(statement, Map.of("id", 7, "balance", 30, "token", 2L))).isOne();
		assertThat(this.jdbc.queryForObject("select balance from account", Integer.class)).isEqualTo(30);
	}

	@AfterEach
	void stop() throws InterruptedException {
		this.other.shutdown();
		assertThat(this.other.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
	}

	@Test
	void greaterAndEqualTokensAreAdmitted() {
		admit("account", 7);
		admit("account", 7);
		admit("account", 9);

		assertThat(newest("account")).isEqualTo(9);
	}

	@Test
	void smallerTokenIsRejectedAndItsTransactionRolledBack() {
		admit("account", 9);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.fence.admit("other", 7);
				this.fence.admit("account", 7);
			}))
			.withMessage("Write to 'account' refused: its fencing token 7 is older than 9, which '-' used before."
					+ " Acquire the lock again, and read again before you write")
			.satisfies((stale) -> {
				assertThat(stale.getResource()).isEqualTo("account");
				assertThat(stale.getToken()).isEqualTo(7);
				assertThat(stale.getNewestToken()).isEqualTo(9);
				assertThat(stale.getNewestHolder()).isEqualTo("-");
			});

		assertThat(newest("account")).isEqualTo(9);
		assertThat(this.jdbc.queryForList("select * from lock_fence")).hasSize(1);
	}

	@Test
	void resourcesHaveIndependentTokens() {
		admit("one", 9);
		admit("other", 7);

		assertThat(newest("other")).isEqualTo(7);
	}

	@Test
	void staleWriterRacingWithAFirstWriteIsRejected() throws Exception {
		assertThat(raceForTheFirstRow(9, 7)).isInstanceOf(StaleFencingTokenException.class);
		assertThat(newest("account")).isEqualTo(9);
	}

	@Test
	void newerWriterRacingWithAFirstWriteIsAdmitted() throws Exception {
		assertThat(raceForTheFirstRow(7, 9)).isNull();
		assertThat(newest("account")).isEqualTo(9);
	}

	@Test
	void writerIsAdmittedAfterTheRollbackOfAnotherFirstWrite() throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch started = new CountDownLatch(1);
		Future<?> first = this.other.submit((Callable<@Nullable Void>) () -> this.transaction.execute((status) -> {
			this.fence.admit("account", 9);
			written.countDown();
			await(started);
			status.setRollbackOnly();
			return null;
		}));
		await(written);
		started.countDown();
		admit("account", 7);
		first.get();

		assertThat(newest("account")).isEqualTo(7);
	}

	@Test
	void tokenNeverDecreasesUnderConcurrentWrites() throws Exception {
		List<Future<@Nullable Long>> writers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			long token = 1 + (i * 37) % 200;
			writers.add(this.other.submit(() -> this.transaction.execute((status) -> {
				Long before = this.jdbc.query("select fencing_token from lock_fence where resource_name = 'account'",
						(rows) -> rows.next() ? rows.getLong(1) : 0L);
				this.fence.admit("account", token);
				assertThat(token).isGreaterThanOrEqualTo((before != null) ? before : 0);
				return token;
			})));
		}
		int refused = 0;
		for (Future<@Nullable Long> writer : writers) {
			Throwable failure = catchThrowable(writer::get);
			if (failure != null) {
				assertThat(failure).isInstanceOf(ExecutionException.class)
					.hasCauseInstanceOf(StaleFencingTokenException.class);
				refused++;
			}
		}

		assertThat(newest("account")).isEqualTo(200);
		assertThat(refused).isPositive();
	}

	@Test
	void refusalNamesTheHolderThatCameBetween() {
		admit("order:42", 9, "shop-2/Ab3dEf…");

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> admit("order:42", 7, "shop-1/Gh5jKl…"))
			.withMessage("Write to 'order:42' refused: its fencing token 7 is older than 9, which 'shop-2/Ab3dEf…'"
					+ " used before. Acquire the lock again, and read again before you write")
			.satisfies((stale) -> assertThat(stale.getNewestHolder()).isEqualTo("shop-2/Ab3dEf…"));
	}

	@Test
	void equalTokenOfAnotherHolderIsRefused() {
		admit("order:42", 9, "shop-2/Ab3dEf…");

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> admit("order:42", 9, "shop-1/Gh5jKl…"))
			.withMessageContaining("its fencing token 9 is not newer than 9, which 'shop-2/Ab3dEf…' used before");

		admit("order:42", 9, "shop-2/Ab3dEf…");
	}

	@Test
	void applicationMayAdmitATokenThatTheGuardHasAdmitted() {
		admit("order:42", 9, "shop-2/Ab3dEf…");
		admit("order:42", 9);
		admit("order:42", 9, "shop-2/Ab3dEf…");

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> admit("order:42", 9, "shop-1/Xy1zWv…"));
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(() -> admit("order:42", 8));
	}

	@Test
	void ignoredRefusalPreventsTheCommit() {
		admit("account", 9);

		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> this.transaction.executeWithoutResult((status) -> {
				this.fence.admit("other", 7);
				assertThat(catchThrowable(() -> this.fence.admit("account", 7))).isNotNull();
			}));

		assertThat(this.jdbc.queryForList("select * from lock_fence")).hasSize(1);
	}

	@Test
	void rowOfAStoppedHolderIsWaitedForOnlyBriefly() throws Exception {
		long begin = System.nanoTime();

		assertThat(failureBesideAStoppedHolder(this.transaction)).isInstanceOf(CannotAcquireLockException.class)
			.hasMessageContainingAll("'account' not admitted: another", "table 'lock_fence'", "a stopped process");

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(9));
		assertThat(newest("account")).isEqualTo(8);
	}

	@Test
	void readOnlyTransactionOnlyCompares() {
		TransactionTemplate reading = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> this.fence.admit("account", 7));
		assertThat(this.jdbc.queryForList("select * from lock_fence")).isEmpty();
		admit("account", 9);

		reading.executeWithoutResult((status) -> this.fence.admit("account", 9));
		reading.executeWithoutResult((status) -> this.fence.admit("account", 10));
		assertThat(newest("account")).isEqualTo(9);
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> reading.executeWithoutResult((status) -> this.fence.admit("account", 8)));
		admit("account", 11, "shop-2/Ab3dEf…");
		assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(
				() -> reading.executeWithoutResult((status) -> this.fence.admit("account", 11, "shop-1/Gh5jKl…")));
	}

	@Test
	void transactionDoesNotWaitForTheOneThatItSuspends() {
		TransactionTemplate another = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		admit("account", 7);

		this.transaction.executeWithoutResult((outer) -> {
			this.fence.admit("account", 9);
			another.executeWithoutResult((inner) -> this.fence.admit("account", 9));
			assertThatExceptionOfType(StaleFencingTokenException.class)
				.isThrownBy(() -> another.executeWithoutResult((inner) -> this.fence.admit("account", 6)));
			another.executeWithoutResult((inner) -> this.fence.admit("other", 6));
			this.fence.admit("account", 9);
		});

		assertThat(newest("account")).isEqualTo(9);
		another.executeWithoutResult((status) -> this.fence.admit("account", 10));
		assertThat(newest("account")).isEqualTo(10);
	}

	@Test
	void transactionThatBeginsAfterACommitIsRecorded() {
		TransactionTemplate another = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

		this.transaction.executeWithoutResult((outer) -> {
			this.fence.admit("account", 7);
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public int getOrder() {
					return Ordered.HIGHEST_PRECEDENCE;
				}

				@Override
				public void afterCommit() {
					another.executeWithoutResult((inner) -> JdbcFenceTests.this.fence.admit("account", 9));
				}

			});
		});

		assertThat(newest("account")).isEqualTo(9);
	}

	@Test
	void nameMustFitIntoTheColumn() {
		admit("n".repeat(255), 7);

		assertThatIllegalArgumentException().isThrownBy(() -> admit("n".repeat(256), 7))
			.withMessageEndingWith("is too long for a fence, whose names have up to 255 characters");
	}

	@ParameterizedTest
	@ValueSource(longs = { 7, 8 })
	void staleTransactionThatReadBeforeIsRefusedUnderRepeatableRead(long token) {
		TransactionTemplate repeatable = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		repeatable.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
		admit("account", 7, "shop-1/Gh5jKl…");

		assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> repeatable.executeWithoutResult((status) -> {
			assertThat(newest("account")).isEqualTo(7);
			CompletableFuture.runAsync(() -> admit("account", 9), this.other).join();
			this.fence.admit("account", token);
		})).isInstanceOfAny(StaleFencingTokenException.class, CannotAcquireLockException.class);

		assertThat(newest("account")).isEqualTo(9);
	}

	@Test
	void checkNamesWhatIsMissing() {
		this.fence.check();
		this.jdbc.execute("alter table lock_fence drop column admitted_at");

		assertThatIllegalStateException().isThrownBy(this.fence::check)
			.withMessageContainingAll("Table 'lock_fence' or one of its columns is missing", "lock_fence.sql")
			.satisfies((failure) -> assertThat(failure.getMessage()).containsIgnoringCase("admitted_at"));
		assertThatIllegalStateException().isThrownBy(new JdbcFence(this.jdbc, "no_fence")::check)
			.withMessageContaining("'no_fence'");
	}

	@Test
	void fenceMustKnowItsDataSource() {
		JdbcOperations proxy = (JdbcOperations) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { JdbcOperations.class }, (self, method, arguments) -> null);

		assertThatIllegalStateException().isThrownBy(new JdbcFence(proxy)::check)
			.withMessageContaining("create the fence with a JdbcTemplate");
	}

	@Test
	void fenceWithoutATransactionIsRejected() {
		assertThatIllegalStateException().isThrownBy(() -> this.fence.admit("account", 7))
			.withMessageContainingAll("'account'", "inside the transaction of the write");
		assertThat(this.jdbc.queryForList("select * from lock_fence")).isEmpty();
	}

	@Test
	void tableNameIsConfigurableButMustBeAnIdentifier() {
		this.jdbc.execute("drop table if exists fences");
		this.jdbc.execute("create table fences (resource_name varchar(255) primary key, fencing_token bigint not null,"
				+ " holder varchar(255) not null, admitted_at timestamp not null)");
		JdbcFence own = new JdbcFence(this.jdbc, "fences");

		this.transaction.executeWithoutResult((status) -> own.admit("account", 7));

		assertThat(this.jdbc.queryForObject("select fencing_token from fences", Long.class)).isEqualTo(7);
		assertThatIllegalArgumentException().isThrownBy(() -> new JdbcFence(this.jdbc, "fences; drop table fences"));
	}

	/**
	 * Write a resource for the first time in two transactions, the second one while the
	 * first may still be open.
	 * @return how the second one failed
	 */
	private @Nullable Throwable raceForTheFirstRow(long firstToken, long secondToken) throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch started = new CountDownLatch(1);
		Future<?> first = this.other.submit(() -> this.transaction.executeWithoutResult((status) -> {
			this.fence.admit("account", firstToken);
			written.countDown();
			await(started);
		}));
		await(written);
		started.countDown();
		Throwable failure = catchThrowable(() -> admit("account", secondToken));
		first.get();
		return failure;
	}

	/**
	 * Check that a shorter time than that of the fence limits the wait for a row.
	 */
	final void assertWaitsOnlyBriefly(TransactionTemplate later) throws Exception {
		long begin = System.nanoTime();

		assertThat(failureBesideAStoppedHolder(later)).isInstanceOf(CannotAcquireLockException.class);

		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(4));
	}

	/**
	 * Admit a holder while an earlier one has been stopped with its transaction open.
	 * @return how the later one failed
	 */
	final @Nullable Throwable failureBesideAStoppedHolder(TransactionTemplate later) throws Exception {
		CountDownLatch written = new CountDownLatch(1);
		CountDownLatch resumed = new CountDownLatch(1);
		admit("account", 7);
		Future<?> stopped = this.other.submit(() -> this.transaction.executeWithoutResult((status) -> {
			this.fence.admit("account", 8);
			written.countDown();
			await(resumed);
		}));
		await(written);
		Throwable failure = catchThrowable(() -> later.executeWithoutResult((status) -> {
			limitWaiting(this.jdbc);
			this.fence.admit("account", 9);
		}));
		resumed.countDown();
		stopped.get();
		return failure;
	}

	/**
	 * Limit how long the running transaction waits, if its statements do not.
	 */
	void limitWaiting(JdbcTemplate connected) {
	}

	final TransactionTemplate transaction(int propagation) {
		TransactionTemplate template = new TransactionTemplate(
				Objects.requireNonNull(this.transaction.getTransactionManager()));
		template.setPropagationBehavior(propagation);
		return template;
	}

	private void admit(String lockName, long token, String holder) {
		this.transaction.executeWithoutResult((status) -> this.fence.admit(lockName, token, holder));
	}

	private void admit(String resource, long token) {
		this.transaction.executeWithoutResult((status) -> this.fence.admit(resource, token));
	}

	private @Nullable Long newest(String resource) {
		return this.jdbc.queryForObject("select fencing_token from lock_fence where resource_name = ?", Long.class,
				resource);
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
