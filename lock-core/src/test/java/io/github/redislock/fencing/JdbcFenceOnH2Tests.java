package io.github.redislock.fencing;

import javax.sql.DataSource;

import io.github.redislock.transaction.TestDatabase;
import org.junit.jupiter.api.AfterEach;

class JdbcFenceOnH2Tests extends JdbcFenceTests {

	private final TestDatabase database = new TestDatabase();

	@Override
	DataSource dataSource() {
		return this.database.dataSource();
	}

	@AfterEach
	void close() {
		this.database.close();
	}

}
