package io.github.redislock.fencing;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

import javax.sql.DataSource;

import io.github.redislock.LockFence;
import io.github.redislock.LockHandle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.ArgumentPreparedStatementSetter;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;
import org.springframework.jdbc.core.PreparedStatementCallback;
import org.springframework.jdbc.support.JdbcAccessor;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A fence in a database, which admits a transaction only if none with a greater fencing
 * token was admitted before. <pre class="code">
 * &#64;Bean
 * JdbcFence orders(JdbcTemplate jdbc) {
 *     return new JdbcFence(jdbc);
 * }
 *
 * &#64;DistributedLock(name = "order", key = "#id", fence = "orders")
 * &#64;Transactional
 * public void pay(String id) { … }
 * </pre>
 * <p>
 * Keeps the greatest token of each lock in a table, which
 * {@code classpath:io/github/redislock/fencing/lock_fence.sql} creates:
 * <pre class="code">
 * create table lock_fence (
 *     resource_name varchar(255) not null primary key,
 *     fencing_token bigint       not null,
 *     holder        varchar(255) not null,
 *     admitted_at   timestamp    not null
 * );
 * </pre>
 * <p>
 * The fence works only inside the transaction of the writes. Until that transaction ends,
 * no other one with the same lock is admitted: it waits for up to 5 s (or the query
 * timeout of the {@code JdbcTemplate} or the timeout of the transaction, if that is
 * shorter), and then fails with a {@link CannotAcquireLockException}. Rows are never
 * deleted, because a lock without a row would admit any token. In a read-only
 * transaction, and in one that suspends a transaction with the same lock, the fence only
 * compares the token with the row. Thread-safe.
 *
 * @see io.github.redislock.LockOptions#fence
 */
public final class JdbcFence implements LockFence {

	/**
	 * The default table.
	 */
	public static final String DEFAULT_TABLE = "lock_fence";

	private static final Log logger = LogFactory.getLog(JdbcFence.class);

	private static final Pattern TABLE_NAME = Pattern
		.compile("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*)*");

	/**
	 * How long a statement may wait for the transaction of another holder, in seconds.
	 */
	private static final int LONGEST_WAIT = 5;

	/**
	 * Under {@code REPEATABLE READ}, these read the newest row only if they lock it.
	 */
	private static final Set<String> READ_LOCKED = Set.of("H2", "MariaDB", "MySQL", "PostgreSQL");

	/** The length of the column. */
	private static final int LONGEST_NAME = 255;

	/** The holder of a token that the application itself passes to {@link #admit}. */
	private static final String UNNAMED = "-";

	/** PostgreSQL's state after its own lock timeout, which Spring does not translate. */
	private static final String LOCK_NOT_AVAILABLE = "55P03";

	/** MariaDB's errors for a row that was changed or remains locked. */
	private static final Set<Integer> CONFLICTS = Set.of(1020, 1205);

	/**
	 * A tie is possible if the clock of the server that grants the lock was set back.
	 * Takes the column prefix, the new token and the new holder.
	 */
	private static final String NEWER = "(%1$sfencing_token < %2$s or %1$sfencing_token = %2$s"
			+ " and %1$sholder in (%3$s, '-'))";

	private static final String INSERT = "insert into %s (resource_name, fencing_token, holder, admitted_at)"
			+ " values (?, ?, ?, current_timestamp)";

	private final JdbcOperations jdbc;

	private final String table;

	/**
	 * Create a fence that uses the table {@value #DEFAULT_TABLE}.
	 * @param jdbc the database that the writes go to, such as a {@code JdbcTemplate}
	 */
	public JdbcFence(JdbcOperations jdbc) {
		this(jdbc, DEFAULT_TABLE);
	}

	/**
	 * Create a fence.
	 * @param jdbc the database that the writes go to, such as a {@code JdbcTemplate}
	 * @param table the name of the table, optionally with schema and catalog
	 */
	public JdbcFence(JdbcOperations jdbc, String table) {
		if (table == null || !TABLE_NAME.matcher(table).matches()) {
			throw new IllegalArgumentException(
					"table must be a plain name, as in 'lock_fence' or 'app.lock_fence', but is '%s'".formatted(table));
		}
		this.jdbc = jdbc;
		this.table = table;
	}

	@Override
	public boolean isInTransaction() {
		DataSource dataSource = (this.jdbc instanceof JdbcAccessor accessor) ? accessor.getDataSource() : null;
		if (dataSource == null) {
			throw new IllegalStateException("A %s does not name its DataSource: create the fence with a JdbcTemplate"
				.formatted(this.jdbc.getClass().getSimpleName()));
		}
		return TransactionSynchronizationManager.isActualTransactionActive()
				&& TransactionSynchronizationManager.hasResource(dataSource) && product() != null;
	}

	@Override
	public void check() {
		// Fails if the DataSource is not known.
		isInTransaction();
		try {
			this.jdbc.execute("select resource_name, fencing_token, holder, admitted_at from %s where 1 = 0"
				.formatted(this.table));
		}
		catch (BadSqlGrammarException ex) {
			throw new IllegalStateException(
					"Table '%s' or one of its columns is missing (%s); create it as in classpath:%s".formatted(
							this.table, ex.getMostSpecificCause().getMessage(),
							"io/github/redislock/fencing/lock_fence.sql"),
					ex);
		}
		catch (DataAccessException ex) {
			logger.warn("The table '%s' of a fence could not be checked: %s".formatted(this.table, ex.getMessage()));
		}
	}

	/**
	 * Admit a write, or refuse it, for a resource that the application names itself.
	 * @param resource what is to be written; up to 255 characters
	 * @param token the fencing token of the writer's lock
	 * @throws StaleFencingTokenException if a greater token has already been admitted;
	 * the transaction then does not commit
	 * @throws IllegalStateException if there is no transaction on this database
	 * @see LockHandle#fencingToken()
	 */
	public void admit(String resource, long token) {
		admit(resource, token, UNNAMED);
	}

	/**
	 * Admit a holder, or refuse it.
	 * @throws StaleFencingTokenException if a holder with a greater token, or another
	 * holder with the same token, was admitted before
	 * @throws CannotAcquireLockException if another transaction keeps the row locked, or
	 * has changed it at the same time
	 */
	@Override
	public void admit(String lockName, long token, String holder) {
		if (lockName.length() > LONGEST_NAME) {
			throw new IllegalArgumentException("'%s' is too long for a fence, whose names have up to %s characters"
				.formatted(lockName, LONGEST_NAME));
		}
		String product = product();
		if (product == null) {
			throw new IllegalStateException(("The fence of '%s' was used, but there is no transaction on this database."
					+ " Call the fence inside the transaction of the write")
				.formatted(lockName));
		}
		try {
			requireNewest(product, lockName, token, holder);
		}
		catch (DataAccessException | StaleFencingTokenException ex) {
			throw notCommitted(!isBusy(ex) ? ex : new CannotAcquireLockException(("Write to '%s' not admitted: another"
					+ " transaction has its row in table '%s' locked, or has changed it at the same time. If this goes"
					+ " on, a stopped process has a transaction open: end its session in the database")
				.formatted(lockName, this.table), ex));
		}
	}

	private static boolean isBusy(RuntimeException ex) {
		return ex instanceof ConcurrencyFailureException || ex instanceof QueryTimeoutException
				|| (ex instanceof UncategorizedSQLException && ex.getCause() instanceof SQLException cause
						&& (LOCK_NOT_AVAILABLE.equals(cause.getSQLState())
								|| CONFLICTS.contains(cause.getErrorCode())));
	}

	private void requireNewest(String product, String lockName, long token, String holder) {
		Row own = new Row(token, holder);
		List<Object> key = List.of(this, lockName);
		Admitted suspended = (Admitted) TransactionSynchronizationManager.getResource(key);
		if (suspended != null) {
			// That transaction keeps the row locked: this one would wait for it forever.
			own.require(lockName, own.mayFollow(suspended.row), suspended.row);
		}
		else if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
			Row newest = read(lockName, "");
			own.require(lockName, newest == null || own.mayFollow(newest), newest);
		}
		else {
			if (!write(product, lockName, token, holder)) {
				Row newest = read(lockName, READ_LOCKED.contains(product) ? " for update" : "");
				own.require(lockName, newest != null && own.isTiedWith(newest), newest);
			}
			if (TransactionSynchronizationManager.isSynchronizationActive()) {
				TransactionSynchronizationManager.registerSynchronization(new Admitted(key, own, new AtomicBoolean()));
			}
		}
	}

	/**
	 * Return whether a row was written for certain.
	 */
	private boolean write(String product, String lockName, long token, String holder) {
		return switch (product) {
			case "PostgreSQL" -> update(
					(INSERT.replace("%s", "%s as f") + " on conflict (resource_name) do update"
							+ " set fencing_token = excluded.fencing_token, holder = excluded.holder,"
							+ " admitted_at = excluded.admitted_at where "
							+ NEWER.formatted("f.", "excluded.fencing_token", "excluded.holder")),
					lockName, token, holder) == 1;
			// Later assignments use the new values of earlier ones, so the token is last.
			// A new row and an unchanged one have the same count.
			case "MySQL", "MariaDB" -> {
				String newer = NEWER.formatted("", "values(fencing_token)", "values(holder)");
				yield update(
						INSERT + " on duplicate key update holder = if(" + newer + ", values(holder), holder),"
								+ " admitted_at = if(" + newer + ", values(admitted_at), admitted_at),"
								+ " fencing_token = greatest(fencing_token, values(fencing_token))",
						lockName, token, holder) == 2;
			}
			// If another insert was first, the second update finds the row.
			default ->
				raise(lockName, token, holder) || insert(lockName, token, holder) || raise(lockName, token, holder);
		};
	}

	private boolean raise(String lockName, long token, String holder) {
		return update(
				"update %s set fencing_token = ?, holder = ?, admitted_at = current_timestamp"
						+ " where resource_name = ? and " + NEWER.formatted("", "?", "?"),
				token, holder, lockName, token, token, holder) > 0;
	}

	private boolean insert(String lockName, long token, String holder) {
		return Boolean.TRUE.equals(this.jdbc.execute((ConnectionCallback<Boolean>) (connection) -> {
			// Some databases refuse all further statements after an error in a
			// transaction.
			Savepoint before = connection.setSavepoint();
			try {
				update(INSERT, lockName, token, holder);
				return true;
			}
			catch (DuplicateKeyException ex) {
				connection.rollback(before);
				return false;
			}
		}));
	}

	private int update(String sql, Object... values) {
		return run(sql, PreparedStatement::executeUpdate, values);
	}

	private @Nullable Row read(String lockName, String suffix) {
		return run("select fencing_token, holder from %s where resource_name = ?" + suffix,
				(PreparedStatementCallback<@Nullable Row>) (statement) -> {
					ResultSet rows = statement.executeQuery();
					return rows.next() ? new Row(rows.getLong(1), rows.getString(2)) : null;
				}, lockName);
	}

	private <T extends @Nullable Object> T run(String sql, PreparedStatementCallback<T> action, Object... values) {
		return this.jdbc.execute(sql.formatted(this.table), (PreparedStatementCallback<T>) (statement) -> {
			new ArgumentPreparedStatementSetter(values).setValues(statement);
			// H2 would not limit the wait for a row, but all later statements.
			if (!"H2".equals(statement.getConnection().getMetaData().getDatabaseProductName())) {
				int timeout = statement.getQueryTimeout();
				statement.setQueryTimeout((timeout > 0) ? Math.min(timeout, LONGEST_WAIT) : LONGEST_WAIT);
			}
			return action.doInPreparedStatement(statement);
		});
	}

	/**
	 * Return the name of the database product.
	 * @return {@code null} if the connection is not in a transaction
	 */
	private @Nullable String product() {
		return this.jdbc.execute((ConnectionCallback<@Nullable String>) (connection) -> connection.getAutoCommit()
				? null : connection.getMetaData().getDatabaseProductName());
	}

	/**
	 * Prevent the commit, in case the caller ignores the exception.
	 */
	private static RuntimeException notCommitted(RuntimeException refusal) {
		if (TransactionSynchronizationManager.isSynchronizationActive()) {
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {

				@Override
				public void beforeCommit(boolean readOnly) {
					throw refusal;
				}

			});
		}
		return refusal;
	}

	@Override
	public String toString() {
		return "JdbcFence[%s]".formatted(this.table);
	}

	/**
	 * A holder that was admitted, or wants to be.
	 */
	private record Row(long token, String holder) {

		boolean mayFollow(Row newest) {
			return this.token > newest.token || isTiedWith(newest);
		}

		boolean isTiedWith(Row other) {
			return this.token == other.token && (this.holder.equals(other.holder) || this.holder.equals(UNNAMED)
					|| other.holder.equals(UNNAMED));
		}

		void require(String lockName, boolean admitted, @Nullable Row newest) {
			if (!admitted) {
				throw new StaleFencingTokenException(lockName, this.token,
						(newest != null) ? newest.token : Long.MAX_VALUE, (newest != null) ? newest.holder : null);
			}
		}

	}

	/**
	 * Remembers, as a resource of the thread, that a suspended transaction has a row
	 * locked, and for which holder.
	 *
	 * @param key the fence and the name of the row
	 * @param over set by the commit, after which the row is free
	 */
	private record Admitted(List<Object> key, Row row, AtomicBoolean over) implements TransactionSynchronization {

		@Override
		public int getOrder() {
			return Ordered.HIGHEST_PRECEDENCE;
		}

		@Override
		public void suspend() {
			if (!this.over.get()) {
				TransactionSynchronizationManager.unbindResourceIfPossible(this.key);
				TransactionSynchronizationManager.bindResource(this.key, this);
			}
		}

		@Override
		public void resume() {
			TransactionSynchronizationManager.unbindResourceIfPossible(this.key);
		}

		@Override
		public void afterCommit() {
			// Other actions after the commit may begin transactions.
			this.over.set(true);
		}

	}

}
