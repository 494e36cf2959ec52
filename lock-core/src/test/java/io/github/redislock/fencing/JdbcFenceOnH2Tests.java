package io.github.redislock.fencing;

import java.sql.Statement;

import javax.sql.DataSource;

import io.github.redislock.transaction.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class JdbcFenceOnH2Tests extends JdbcFenceTests {

	private final TestDatabase database = new TestDatabase();

	@Override
	DataSource dataSource() {
		return this.database.dataSource();
	}

	@Override
	void limitWaiting(JdbcTemplate connected) {
		// H2 ignores the timeout of a statement that waits for a row.
		connected.execute("set lock_timeout 5000");
	}

	@Test
	void laterStatementsOfTheConnectionHaveNoTimeout() {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());

		Integer timeout = transaction(TransactionDefinition.PROPAGATION_REQUIRED).execute((status) -> {
			new JdbcFence(jdbc).admit("account", 7);
			return jdbc.execute((StatementCallback<Integer>) Statement::getQueryTimeout);
		});

		assertThat(timeout).isZero();
	}

	/**
	 * The failures are those of other databases, which Spring does not translate.
	 */
	@ParameterizedTest
	@CsvSource({ "55P03, 0, true", "HY000, 1020, true", "HY000, 1205, true", "HY000, 1206, false" })
	void untranslatedFailureOfABusyRowMayBeRetried(String state, int code, boolean busy) {
		JdbcTemplate jdbc = new JdbcTemplate(dataSource());
		jdbc.execute(("create trigger failing before insert on lock_fence for each row as 'org.h2.api.Trigger create()"
				+ " { return (connection, before, after) ->"
				+ " { throw new java.sql.SQLException(\"no\", \"%s\", %s); }; }'")
			.formatted(state, code));

		assertThatExceptionOfType(DataAccessException.class)
			.isThrownBy(() -> transaction(TransactionDefinition.PROPAGATION_REQUIRED)
				.executeWithoutResult((status) -> new JdbcFence(jdbc).admit("account", 7)))
			.isInstanceOf(busy ? CannotAcquireLockException.class : UncategorizedSQLException.class);
	}

	@AfterEach
	void close() {
		this.database.close();
	}

}
