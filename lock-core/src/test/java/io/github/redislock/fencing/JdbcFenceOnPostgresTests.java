package io.github.redislock.fencing;

import javax.sql.DataSource;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Needs a PostgreSQL, where an error ends a transaction:
 * {@code LOCK_TEST_POSTGRES=jdbc:postgresql://localhost/test?user=test}.
 */
@EnabledIfEnvironmentVariable(named = "LOCK_TEST_POSTGRES", matches = "jdbc:postgresql:.+",
		disabledReason = "LOCK_TEST_POSTGRES names no PostgreSQL")
class JdbcFenceOnPostgresTests extends JdbcFenceTests {

	private final DataSource dataSource = new DriverManagerDataSource(System.getenv("LOCK_TEST_POSTGRES"));

	@Override
	DataSource dataSource() {
		return this.dataSource;
	}

	@Test
	void shorterTimeoutOfTheTransactionApplies() throws Exception {
		TransactionTemplate brief = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		brief.setTimeout(1);

		assertWaitsOnlyBriefly(brief);
	}

}
