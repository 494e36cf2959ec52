package io.github.redislock.samples.cluster.demo.ledger;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

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
		return new FencedLedger(database, System::nanoTime);
	}

}
