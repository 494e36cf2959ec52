package io.github.redislock.fencing;

import javax.sql.DataSource;

import io.github.redislock.transaction.TestDatabase;
import org.junit.jupiter.api.AfterEach;

import org.springframework.jdbc.core.JdbcTemplate;

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

	@AfterEach
	void close() {
		this.database.close();
	}

}
