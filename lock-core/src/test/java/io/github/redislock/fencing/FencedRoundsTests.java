package io.github.redislock.fencing;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.OnLost;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.ClockThatIsSet;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import io.github.redislock.transaction.FenceGuard;
import io.github.redislock.transaction.TestDatabase;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.init.DatabasePopulatorUtils;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A holder stops between reading a counter and writing it, and the next one gets the lock
 * although the first goes on later. The counter must hold the number of increments that
 * were committed. Without a fence, the late holder overwrites the other one's increment.
 * Uses the PostgreSQL in {@code LOCK_TEST_POSTGRES} if there is one, and otherwise H2.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-4")
class FencedRoundsTests {

	private static final int ROUNDS = Effort.of(4, 200);

	private static final Duration LEASE = Duration.ofMillis(60);

	private final ExecutorService threads = Executors.newFixedThreadPool(2);

	private @Nullable TestDatabase embedded;

	private Holder first;

	private Holder second;

	private LockTemplate firstLocks;

	private LockTemplate secondLocks;

	@BeforeEach
	void createTables() {
		String postgres = System.getenv("LOCK_TEST_POSTGRES");
		if (postgres == null) {
			this.embedded = new TestDatabase();
		}
		this.first = new Holder(dataSource(postgres));
		this.second = new Holder(dataSource(postgres));
		this.first.jdbc.execute("drop table if exists lock_fence");
		DatabasePopulatorUtils.execute(
				new ResourceDatabasePopulator(new ClassPathResource("lock_fence.sql", JdbcFence.class)),
				this.first.dataSource);
		this.first.jdbc.execute("drop table if exists counters");
		this.first.jdbc.execute("create table counters (id int primary key, amount int not null)");
	}

	private DataSource dataSource(@Nullable String postgres) {
		if (postgres == null) {
			return Objects.requireNonNull(this.embedded).dataSource();
		}
		// Other tests use the same tables at the same time.
		SingleConnectionDataSource connection = new SingleConnectionDataSource(postgres, true);
		JdbcTemplate jdbc = new JdbcTemplate(connection);
		jdbc.execute("create schema if not exists rounds");
		jdbc.execute("set search_path to rounds");
		return connection;
	}

	@AfterEach
	void close() {
		this.threads.shutdownNow();
		this.firstLocks.close();
		this.secondLocks.close();
		this.first.close();
		this.second.close();
		if (this.embedded != null) {
			this.embedded.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void databaseHoldsWhatExclusionWouldHaveGiven(Fault fault) throws Exception {
		start(fault);
		int refused = 0;
		for (int round = 0; round < ROUNDS; round++) {
			boolean open = round % 2 == 0;
			int committed = run(fault, round, open, true);

			assertThat(amount(round)).as("round %s", round).isEqualTo(committed).isPositive();
			refused += 2 - committed;
			if (!open) {
				assertThat(committed).as("round %s", round).isOne();
			}
		}

		assertThat(refused).isGreaterThanOrEqualTo(ROUNDS / 2);
	}

	@ParameterizedTest
	@EnumSource
	void withoutTheFenceUpdatesAreLost(Fault fault) throws Exception {
		start(fault);
		int lost = 0;
		for (int round = 0; round < Effort.of(4, 20); round++) {
			lost += run(fault, round, round % 2 == 0, false) - amount(round);
		}

		assertThat(lost).isPositive();
	}

	private void start(Fault fault) {
		ClockThatIsSet behind = new ClockThatIsSet(LockTimer.system());
		behind.set(Duration.ofHours(-1));
		boolean inMemory = fault == Fault.CLOCK_SET_BACK;
		this.firstLocks = template(inMemory ? new InMemoryLockStore() : redis("one:"));
		this.secondLocks = template(
				inMemory ? new InMemoryLockStore(behind) : redis((fault == Fault.FAILED_OVER) ? "other:" : "one:"));
	}

	private static LockTemplate template(LockStore store) {
		return new RedisLockTemplate(store, LockConfiguration.defaults().grace(Duration.ZERO));
	}

	private static LockStore redis(String prefix) {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(),
				RedisLockStoreOptions.defaults().keyPrefix(prefix));
	}

	/**
	 * Let two holders increment the counter of a round.
	 * @param open whether the first one stops inside a transaction, rather than between
	 * two
	 * @return how many increments were committed
	 */
	private int run(Fault fault, int round, boolean open, boolean fenced) throws Exception {
		this.first.jdbc.update("insert into counters values (?, 0)", round);
		LockTarget target = LockTarget.of("counter", round);
		LockOptions options = LockOptions.options().onLost(OnLost.IGNORE).waitTime(Duration.ofSeconds(10));
		LockOptions toStop = (fault == Fault.STOPPED) ? options.timeout(LEASE).autoRenew(false) : options;
		CountDownLatch stopped = new CountDownLatch(1);
		CountDownLatch resumed = new CountDownLatch(1);
		Future<Boolean> late = this.threads.submit(() -> this.first.increment(this.firstLocks, target,
				fenced ? toStop.fence(this.first.fence) : toStop, round, open, () -> {
					stopped.countDown();
					await(resumed);
				}));
		while (!stopped.await(100, TimeUnit.MILLISECONDS)) {
			if (late.isDone()) {
				throw new IllegalStateException("The first holder ended before it stopped: " + late.get());
			}
		}
		if (fault == Fault.RELEASED_BY_FORCE) {
			this.secondLocks.forceRelease(target);
		}
		else if (fault == Fault.KEY_DELETED) {
			new StringRedisTemplate(TestRedis.shared().connectionFactory()).delete("one:" + target.name());
		}
		Future<Boolean> next = this.threads.submit(() -> this.second.increment(this.secondLocks, target,
				fenced ? options.fence(this.second.fence) : options, round, true, () -> {
				}));
		try {
			// With a fence, the next holder waits for an open transaction of the first.
			next.get((open && fenced) ? 150 : 10_000, TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			// Goes on below.
		}
		resumed.countDown();
		return (late.get() ? 1 : 0) + (next.get() ? 1 : 0);
	}

	private int amount(int round) {
		return Objects.requireNonNull(this.first.amount(round));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Why the second holder gets the lock although the first one is still at work.
	 */
	enum Fault {

		/** The first holder was stopped for longer than its lease. */
		STOPPED,

		/** The second one asks a Redis without the data of the first. */
		FAILED_OVER,

		/** The same, and the clock of that Redis is behind. */
		CLOCK_SET_BACK,

		RELEASED_BY_FORCE,

		/** The key of the lock was deleted by hand. */
		KEY_DELETED

	}

	/**
	 * A process with its own connections.
	 */
	private static final class Holder {

		private final DataSource dataSource;

		private final JdbcTemplate jdbc;

		private final TransactionTemplate transaction;

		private final JdbcFence fence;

		private Holder(DataSource dataSource) {
			this.dataSource = dataSource;
			this.jdbc = new JdbcTemplate(dataSource);
			this.fence = new JdbcFence(this.jdbc);
			DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
			manager.addListener(new FenceGuard(manager));
			this.transaction = new TransactionTemplate(manager);
		}

		/**
		 * Increment a counter under a lock.
		 * @param pause runs between reading and writing
		 * @return whether the increment was committed
		 */
		private boolean increment(LockTemplate locks, LockTarget target, LockOptions options, int id, boolean once,
				Runnable pause) {
			boolean[] committed = { false };
			try {
				locks.execute(target, options, () -> {
					if (once) {
						this.transaction.executeWithoutResult((status) -> write(id, readThen(id, pause)));
					}
					else {
						int before = Objects.requireNonNull(this.transaction.execute((status) -> amount(id)));
						pause.run();
						this.transaction.executeWithoutResult((status) -> write(id, before));
					}
					committed[0] = true;
				});
			}
			catch (StaleFencingTokenException | CannotAcquireLockException ex) {
				assertThat(ex).hasMessageContaining("'" + target.name() + "'");
			}
			return committed[0];
		}

		private int readThen(int id, Runnable pause) {
			int before = Objects.requireNonNull(amount(id));
			pause.run();
			return before;
		}

		private @Nullable Integer amount(int id) {
			return this.jdbc.queryForObject("select amount from counters where id = ?", Integer.class, id);
		}

		private void write(int id, int before) {
			this.jdbc.update("update counters set amount = ? where id = ?", before + 1, id);
		}

		private void close() {
			if (this.dataSource instanceof SingleConnectionDataSource single) {
				single.destroy();
			}
		}

	}

}
