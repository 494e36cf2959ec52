package io.github.redislock.transaction;

import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import io.github.redislock.testing.OwnThread;
import org.h2.jdbcx.JdbcConnectionPool;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An in-memory database with a counter, and transactions on it.
 */
public final class TestDatabase implements AutoCloseable {

	private final JdbcConnectionPool pool = JdbcConnectionPool
		.create("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000".formatted(UUID.randomUUID()), "sa", "");

	private final JdbcTemplate jdbc = new JdbcTemplate(this.pool);

	private final DataSourceTransactionManager manager = new DataSourceTransactionManager(this.pool);

	public TestDatabase() {
		this.pool.setMaxConnections(40);
		this.jdbc.execute("create table counter (amount int not null)");
		this.jdbc.update("insert into counter values (0)");
	}

	public DataSource dataSource() {
		return this.pool;
	}

	public JdbcTemplate jdbc() {
		return this.jdbc;
	}

	public DataSourceTransactionManager manager() {
		return this.manager;
	}

	public TransactionTemplate transaction() {
		return new TransactionTemplate(this.manager);
	}

	/**
	 * Return a transaction that suspends the running one.
	 */
	public TransactionTemplate anotherTransaction() {
		TransactionTemplate template = transaction();
		template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		return template;
	}

	public int amount() {
		Integer amount = this.jdbc.queryForObject("select amount from counter", Integer.class);
		return (amount != null) ? amount : 0;
	}

	/**
	 * Return the committed value, even if a transaction runs on this thread.
	 */
	public int amountElsewhere() {
		return CompletableFuture.supplyAsync(this::amount, OwnThread::run).join();
	}

	public void setAmount(int amount) {
		this.jdbc.update("update counter set amount = ?", amount);
	}

	/**
	 * Read and write. A concurrent increment that reads in between loses this one.
	 */
	public void increment() {
		setAmount(amount() + 1);
	}

	@Override
	public void close() {
		this.jdbc.execute("shutdown");
		this.pool.dispose();
	}

}
