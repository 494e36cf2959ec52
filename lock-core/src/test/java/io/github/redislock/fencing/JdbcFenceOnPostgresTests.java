package io.github.redislock.fencing;

import javax.sql.DataSource;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

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

	@Test
	void transactionContinuesAfterTheRefusedInsertOfAnUnknownProduct() {
		TransactionTemplate transaction = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
		JdbcFence fence = new JdbcFence(new JdbcTemplate(this.dataSource) {

			@Override
			@SuppressWarnings("unchecked")
			public <T extends @Nullable Object> T execute(ConnectionCallback<T> action) {
				T result = super.execute(action);
				return "PostgreSQL".equals(result) ? (T) "unknown" : result;
			}

		});
		transaction.executeWithoutResult((status) -> fence.admit("account", 9, "shop-2/Ab3dEf…"));

		transaction.executeWithoutResult((status) -> fence.admit("account", 9));
		assertThatExceptionOfType(StaleFencingTokenException.class)
			.isThrownBy(() -> transaction.executeWithoutResult((status) -> fence.admit("account", 8)));
	}

}
