package io.github.redislock.fencing;

import java.sql.Connection;
import java.sql.Savepoint;
import java.util.regex.Pattern;

import io.github.redislock.LockHandle;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcOperations;

/**
 * A fence in a database, which admits a write only if none with a greater fencing token
 * was admitted before. <pre class="code">
 * &#64;DistributedLock(name = "account", key = "#id")
 * &#64;Transactional
 * public void book(String id, Entry entry) {
 *     this.fence.admit("account:" + id, LockContext.current().fencingToken());
 *     this.ledger.append(id, entry);
 * }
 * </pre>
 * <p>
 * Keeps the greatest token of each resource in a table, which
 * {@code classpath:io/github/redislock/fencing/lock_fence.sql} creates:
 * <pre class="code">
 * create table lock_fence (
 *     resource_name varchar(255) not null primary key,
 *     fencing_token bigint       not null
 * );
 * </pre>
 * <p>
 * The fence works only inside the transaction of the write. Until that transaction ends,
 * no other write to the same resource is admitted. Rows are never deleted, because a
 * resource without a row would admit any token. Thread-safe.
 *
 * @see LockHandle#fencingToken()
 */
public final class JdbcFence {

	/**
	 * The default table.
	 */
	public static final String DEFAULT_TABLE = "lock_fence";

	private static final Pattern TABLE_NAME = Pattern
		.compile("[\\p{L}_][\\p{L}\\p{N}_$]*(\\.[\\p{L}_][\\p{L}\\p{N}_$]*)*");

	private final JdbcOperations jdbc;

	private final String update;

	private final String insert;

	private final String select;

	/**
	 * Create a fence that uses the table {@value #DEFAULT_TABLE}.
	 * @param jdbc the database that the writes go to
	 */
	public JdbcFence(JdbcOperations jdbc) {
		this(jdbc, DEFAULT_TABLE);
	}

	/**
	 * Create a fence.
	 * @param jdbc the database that the writes go to
	 * @param table the name of the table, optionally with schema and catalog
	 */
	public JdbcFence(JdbcOperations jdbc, String table) {
		if (table == null || !TABLE_NAME.matcher(table).matches()) {
			throw new IllegalArgumentException(
					"table must be a plain name, as in 'lock_fence' or 'app.lock_fence', but is '%s'".formatted(table));
		}
		this.jdbc = jdbc;
		this.update = "update %s set fencing_token = ? where resource_name = ? and fencing_token <= ?".formatted(table);
		this.insert = "insert into %s (resource_name, fencing_token) values (?, ?)".formatted(table);
		this.select = "select fencing_token from %s where resource_name = ?".formatted(table);
	}

	/**
	 * Admit a write, or refuse it.
	 * @param resource what is to be written; up to 255 characters
	 * @param token the fencing token of the writer's lock
	 * @throws StaleFencingTokenException if a greater token has already been admitted;
	 * the transaction must be rolled back
	 * @throws IllegalStateException if there is no transaction on this database
	 */
	public void admit(String resource, long token) {
		requireTransaction(resource);
		// If another insert was first, the second update finds the row.
		if (raise(resource, token) || insert(resource, token) || raise(resource, token)) {
			return;
		}
		Long newest = DataAccessUtils.singleResult(this.jdbc.queryForList(this.select, Long.class, resource));
		if (newest == null || newest != token) {
			throw new StaleFencingTokenException(resource, token, (newest != null) ? newest : Long.MAX_VALUE);
		}
	}

	private boolean raise(String resource, long token) {
		return this.jdbc.update(this.update, token, resource, token) > 0;
	}

	private boolean insert(String resource, long token) {
		return Boolean.TRUE.equals(this.jdbc.execute((ConnectionCallback<Boolean>) (connection) -> {
			// Some databases refuse all further statements after an error in a
			// transaction.
			Savepoint before = connection.setSavepoint();
			try {
				this.jdbc.update(this.insert, resource, token);
				return true;
			}
			catch (DuplicateKeyException ex) {
				connection.rollback(before);
				return false;
			}
		}));
	}

	private void requireTransaction(String resource) {
		Boolean autoCommit = this.jdbc.execute((ConnectionCallback<Boolean>) Connection::getAutoCommit);
		if (Boolean.TRUE.equals(autoCommit)) {
			throw new IllegalStateException(("The fence of '%s' was used, but there is no transaction on this database."
					+ " Call the fence inside the transaction of the write")
				.formatted(resource));
		}
	}

}
