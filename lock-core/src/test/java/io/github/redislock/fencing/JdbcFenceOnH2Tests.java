package io.github.redislock.fencing;

import java.sql.Statement;

import javax.sql.DataSource;

import io.github.redislock.transaction.TestDatabase;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.StatementCallback;
import org.springframework.transaction.TransactionDefinition;

import static org.assertj.core.api.Assertions.assertThat;

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

	@AfterEach
	void close() {
		this.database.close();
	}

}
