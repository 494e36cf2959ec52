package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;

import javax.sql.DataSource;

import io.github.redislock.LockLostException;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.transaction.CommitGuard;
import io.github.redislock.transaction.FenceGuard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceInitializationAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionManagerCustomizationAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class RedisLockTransactionAutoConfigurationTests {

	private static final Duration LEASE = Duration.ofSeconds(10);

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
						DistributedLockAutoConfiguration.class, RedisLockTransactionAutoConfiguration.class,
						DataSourceAutoConfiguration.class, DataSourceTransactionManagerAutoConfiguration.class,
						DataSourceInitializationAutoConfiguration.class, JdbcTemplateAutoConfiguration.class,
						TransactionAutoConfiguration.class, TransactionManagerCustomizationAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory", "spring.datasource.generate-unique-name=true",
				"spring.sql.init.schema-locations=classpath:io/github/redislock/fencing/lock_fence.sql")
		.withBean(LockTimer.class, ManualLockTimer::new)
		.withUserConfiguration(Table.class);

	@Test
	void lockLostBeforeCommitRollsBackTheMethodsTransaction(CapturedOutput output) {
		this.runner.run((context) -> {
			Notes notes = context.getBean(Notes.class);

			assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::writeAndLoseTheLock);
			assertThat(notes.count()).isZero();

			notes.write();
			assertThat(notes.count()).isEqualTo(1);
			assertThat(output).doesNotContain("begins before the lock").doesNotContain("not eligible");
		});
	}

	@Test
	void commitGuardCanBeDisabled() {
		this.runner.withPropertyValues("redis-lock.transaction.commit-guard=no").run((context) -> {
			Notes notes = context.getBean(Notes.class);

			assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::writeAndLoseTheLock);
			assertThat(notes.count()).isEqualTo(1);

			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> assertThatExceptionOfType(LockLostException.class)
					.isThrownBy(notes::writeAndLoseTheLock));
			assertThat(notes.count()).isEqualTo(2);
		});
	}

	@Test
	void lockAcquiredInsideATransactionIsKeptUntilItsEnd() {
		this.runner.run((context) -> {
			RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);

			context.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> assertThat(locks.acquire(LockTarget.of("job")).release())
					.isEqualTo(ReleaseOutcome.DEFERRED));

			assertThat(locks.isLocked(LockTarget.of("job"))).isFalse();
		});
	}

	@Test
	void transactionManagerOfTheApplicationIsGuardedOnce() {
		this.runner.withUserConfiguration(OwnManagers.class).run((context) -> {
			for (ConfigurableTransactionManager manager : context.getBeansOfType(ConfigurableTransactionManager.class)
				.values()) {
				assertThat(manager.getTransactionExecutionListeners())
					.hasExactlyElementsOfTypes(manager.equals(context.getBean("guardedManager"))
							? new Class<?>[] { CommitGuard.class, FenceGuard.class }
							: new Class<?>[] { FenceGuard.class, CommitGuard.class });
			}
			Notes notes = context.getBean(Notes.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::writeAndLoseTheLock);
			assertThat(notes.count()).isZero();
		});
	}

	@Test
	void fenceRefusesTheTransactionOfALateHolder() {
		this.runner.withUserConfiguration(FencedNotes.class)
			.withPropertyValues("redis-lock.transaction.commit-guard=no")
			.run((context) -> {
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				FencedNotes.Writer writer = context.getBean(FencedNotes.Writer.class);
				writer.write();
				jdbc.update(
						"update lock_fence set fencing_token = fencing_token + 3600000000, holder = 'other/Ab3dEf…'");

				assertThatExceptionOfType(StaleFencingTokenException.class).isThrownBy(writer::write)
					.withMessageContainingAll("Write to 'notes' refused", "which 'other/Ab3dEf…' used before");

				assertThat(context.getBean(Notes.class).count()).isEqualTo(1);
				context.getBean(Notes.class).write();
			});
	}

	@Test
	void fenceWithoutItsTableMakesStartupFail() {
		this.runner.withUserConfiguration(FencedNotes.class)
			.withPropertyValues("spring.sql.init.mode=never")
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContainingAll(
						"Fence 'notesFence' cannot be used: Table 'lock_fence' or one of its columns is" + " missing (",
						"create it as in classpath:io/github/redislock/fencing/lock_fence.sql."));
	}

	@Test
	void databaseThatDoesNotReplyDoesNotMakeStartupFail(CapturedOutput output) {
		this.runner.withUserConfiguration(UnreachableDatabase.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).contains("The table 'lock_fence' of a fence could not be checked: ");
		});
	}

	@Test
	void orderThatPutsTheLockInsideTheTransactionIsReportedOnce(CapturedOutput output) {
		this.runner.withUserConfiguration(TransactionsFirst.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output).containsOnlyOnce("begins before the lock is taken")
				.contains("Notes.write()', '")
				.contains("Notes.writeAndLoseTheLock()' begins")
				.doesNotContain("Notes.only")
				.contains("The order of the lock is 2147483547, that of the transaction 0;");

			Notes notes = context.getBean(Notes.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(notes::writeAndLoseTheLock);
			assertThat(notes.count()).isZero();
		});
	}

	@Test
	void applicationWithoutTransactionsNeedsNoTransactionClasses() {
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
							DistributedLockAutoConfiguration.class, RedisLockTransactionAutoConfiguration.class))
			.withClassLoader(new FilteredClassLoader("org.springframework.transaction", "org.springframework.jdbc"))
			.withPropertyValues("redis-lock.store=in-memory")
			.run((context) -> {
				assertThat(context).hasNotFailed().doesNotHaveBean(RedisLockTransactionAutoConfiguration.class);
				context.getBean(RedisLockTemplate.class).execute("job", () -> {
				});
			});
	}

	@Configuration(proxyBeanMethods = false)
	static class Table {

		@Bean
		Notes notes(JdbcTemplate jdbc, LockTimer timer) {
			jdbc.execute("create table if not exists note (text varchar(100))");
			return new Notes(jdbc, (ManualLockTimer) timer);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class FencedNotes {

		@Bean
		JdbcFence notesFence(JdbcTemplate jdbc) {
			return new JdbcFence(jdbc);
		}

		@Bean
		Writer writer(JdbcTemplate jdbc) {
			return new Writer(jdbc);
		}

		static class Writer {

			private final JdbcTemplate jdbc;

			Writer(JdbcTemplate jdbc) {
				this.jdbc = jdbc;
			}

			@DistributedLock(name = "notes", fence = "notesFence")
			@Transactional
			public void write() {
				this.jdbc.update("insert into note values ('a note')");
			}

		}

	}

	@Configuration(proxyBeanMethods = false)
	static class UnreachableDatabase {

		@Bean
		JdbcFence notesFence() {
			return new JdbcFence(new JdbcTemplate(new DriverManagerDataSource("jdbc:h2:tcp://localhost:1/none")));
		}

		@Bean
		FencedNotes.Writer writer(JdbcTemplate jdbc) {
			return new FencedNotes.Writer(jdbc);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(order = 0, proxyTargetClass = true)
	static class TransactionsFirst {

	}

	@Configuration(proxyBeanMethods = false)
	static class OwnManagers {

		@Bean
		PlatformTransactionManager transactionManager(DataSource dataSource) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of());
			return manager;
		}

		@Bean(defaultCandidate = false)
		DataSourceTransactionManager guardedManager(DataSource dataSource) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
			manager.addListener(new CommitGuard());
			return manager;
		}

	}

	static class Notes {

		private final JdbcTemplate jdbc;

		private final ManualLockTimer timer;

		Notes(JdbcTemplate jdbc, ManualLockTimer timer) {
			this.jdbc = jdbc;
			this.timer = timer;
		}

		@DistributedLock
		@Transactional
		public void write() {
			this.jdbc.update("insert into note values ('a note')");
		}

		@DistributedLock(timeout = "10s", autoRenew = false)
		@Transactional
		public void writeAndLoseTheLock() {
			this.jdbc.update("insert into note values ('a note')");
			this.timer.advance(LEASE);
		}

		@DistributedLock
		public void onlyLocked() {
		}

		@Transactional
		public void onlyTransactional() {
		}

		int count() {
			Integer count = this.jdbc.queryForObject("select count(*) from note", Integer.class);
			return (count != null) ? count : 0;
		}

	}

}
