package io.github.redislock.samples.cluster.demo.ledger;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The ledger's database, which ends with the demonstration.
 */
@Configuration(proxyBeanMethods = false)
class LedgerConfiguration {

	@Bean
	EmbeddedDatabase ledgerDatabase() {
		return new EmbeddedDatabaseBuilder().generateUniqueName(true)
			.setType(EmbeddedDatabaseType.H2)
			.addScripts("classpath:io/github/redislock/fencing/lock_fence.sql", "classpath:ledger.sql")
			.build();
	}

	@Bean
	FencedLedger ledger(EmbeddedDatabase database) {
		return new FencedLedger(new TransactionTemplate(new JdbcTransactionManager(database)),
				new JdbcTemplate(database), System::nanoTime);
	}

}
