package io.github.redislock.benchmarks.fence;

import java.util.Locale;

import com.zaxxer.hikari.HikariDataSource;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.benchmarks.redis.RedisServer;
import io.github.redislock.benchmarks.stats.Histogram;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.transaction.FenceGuard;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures a transaction with one update under a lock, with and without a fence. The main
 * class of {@code benchmarks/run.sh fence}.
 */
public final class FenceBenchmark {

	private static final String IN_MEMORY = "jdbc:h2:mem:fence";

	/** The first rounds warm up. */
	private static final int WARM_UP = 5;

	private static final int ROUNDS = 20;

	/** How often each contender runs in a round, each time with another account. */
	private static final int CALLS = 500;

	private final RedisLockTemplate locks;

	private final JdbcTemplate jdbc;

	private final TransactionTemplate transactions;

	private FenceBenchmark(RedisLockTemplate locks, HikariDataSource database) {
		this.locks = locks;
		this.jdbc = new JdbcTemplate(database);
		DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
		manager.addListener(new FenceGuard(manager));
		this.transactions = new TransactionTemplate(manager);
	}

	/**
	 * Run the measurement. Creates its tables, {@code benchmark_account} and
	 * {@code benchmark_fence}, anew.
	 * @param arguments the JDBC URL of a database, by default one in memory
	 */
	public static void main(String[] arguments) throws Exception {
		try (RedisServer redis = RedisServer.start((String) null); HikariDataSource database = new HikariDataSource()) {
			database.setJdbcUrl((arguments.length > 0) ? arguments[0] : IN_MEMORY);
			LettuceConnectionFactory connections = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration(redis.host(), redis.port()));
			connections.afterPropertiesSet();
			connections.start();
			FenceBenchmark benchmark = new FenceBenchmark(new RedisLockTemplate(connections), database);
			benchmark.createTables();
			benchmark.measure();
		}
		System.exit(0);
	}

	private void createTables() {
		this.jdbc.execute("drop table if exists benchmark_account");
		this.jdbc.execute("drop table if exists benchmark_fence");
		this.jdbc.execute("create table benchmark_account (id integer primary key, balance bigint not null)");
		this.jdbc.execute("create table benchmark_fence (resource_name varchar(255) primary key,"
				+ " fencing_token bigint not null, holder varchar(255) not null, admitted_at timestamp not null)");
		for (int id = 0; id < CALLS; id++) {
			this.jdbc.update("insert into benchmark_account values (?, 0)", id);
		}
	}

	private void measure() {
		LockOptions unfenced = LockOptions.options();
		LockOptions fenced = unfenced.fence(new JdbcFence(this.jdbc, "benchmark_fence"));
		Histogram without = new Histogram();
		Histogram with = new Histogram();
		for (int round = -WARM_UP; round < ROUNDS; round++) {
			call(unfenced, (round < 0) ? new Histogram() : without);
			call(fenced, (round < 0) ? new Histogram() : with);
		}
		System.out.println("| a locked transaction with one update | p50 | p99 |");
		System.out.println("|---|--:|--:|");
		print("without a fence", without);
		print("with a fence", with);
	}

	private void call(LockOptions options, Histogram durations) {
		for (int call = 0; call < CALLS; call++) {
			int id = call;
			long begin = System.nanoTime();
			this.locks.execute(LockTarget.of("account", id), options,
					() -> this.transactions.executeWithoutResult((transaction) -> this.jdbc
						.update("update benchmark_account set balance = balance + 1 where id = ?", id)));
			durations.add(System.nanoTime() - begin);
		}
	}

	private static void print(String what, Histogram durations) {
		System.out.printf(Locale.ROOT, "| %s | %.2f ms | %.2f ms |%n", what, durations.percentile(0.5) / 1e6,
				durations.percentile(0.99) / 1e6);
	}

}
