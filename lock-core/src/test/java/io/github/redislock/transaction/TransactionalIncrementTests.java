package io.github.redislock.transaction;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Many threads read and write a row, each in a transaction. A thread that reads before
 * the last commit would lose that update.
 */
@ExtendWith(RedisServerExtension.class)
@Tag("promise-8")
class TransactionalIncrementTests {

	private static final int THREADS = 8;

	private static final int INCREMENTS = 200;

	private AnnotationConfigApplicationContext context;

	private Counter counter;

	private TestDatabase database;

	@BeforeEach
	void start() {
		this.context = new AnnotationConfigApplicationContext(Application.class);
		this.counter = this.context.getBean(Counter.class);
		this.database = this.context.getBean(TestDatabase.class);
	}

	@AfterEach
	void stop() {
		this.context.close();
	}

	@Test
	void noIncrementIsLostWithTheLockOutsideTheTransaction() throws Exception {
		incrementTogether(this.counter::increment);

		assertThat(this.database.amount()).isEqualTo(INCREMENTS);
	}

	@Test
	void noIncrementIsLostWithTheLockInsideARunningTransaction() throws Exception {
		CallerWithTransaction caller = this.context.getBean(CallerWithTransaction.class);

		incrementTogether(caller::increment);

		assertThat(this.database.amount()).isEqualTo(INCREMENTS);
	}

	@Test
	void incrementIsLostIfTheLockIsReleasedBeforeTheCommit() throws Exception {
		CountDownLatch released = new CountDownLatch(1);
		CountDownLatch read = new CountDownLatch(1);
		ExecutorService other = Executors.newSingleThreadExecutor();
		try (LockTemplate early = new LockTemplate(store(), LockConfiguration.defaults())) {
			Future<?> second = other.submit((Callable<@Nullable Void>) () -> {
				released.await();
				early.execute("early", () -> {
					int before = this.database.amount();
					read.countDown();
					this.database.setAmount(before + 1);
				});
				return null;
			});
			this.database.transaction().executeWithoutResult((status) -> {
				early.execute("early", this.database::increment);
				released.countDown();
				await(read);
			});
			second.get();
		}
		finally {
			other.shutdown();
		}

		assertThat(this.database.amount()).isEqualTo(1);
	}

	private static void incrementTogether(Runnable increment) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		try {
			List<Future<?>> done = IntStream.range(0, INCREMENTS)
				.<Future<?>>mapToObj((i) -> threads.submit(increment))
				.toList();
			for (Future<?> each : done) {
				each.get();
			}
		}
		finally {
			threads.shutdown();
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static RedisLockStore store() {
		return RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults());
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@EnableTransactionManagement
	static class Application {

		@Bean
		RedisLockTemplate locks() {
			LockOptions patient = LockOptions.options().waitTime(Duration.ofMinutes(1));
			return new RedisLockTemplate(store(), LockConfiguration.defaults().options(patient));
		}

		@Bean
		TestDatabase database() {
			return new TestDatabase();
		}

		@Bean
		PlatformTransactionManager transactionManager(TestDatabase database) {
			database.manager().addListener(new CommitGuard());
			return database.manager();
		}

		@Bean
		Counter counter(TestDatabase database) {
			return new Counter(database);
		}

		@Bean
		CallerWithTransaction caller(Counter counter) {
			return new CallerWithTransaction(counter);
		}

	}

	static class Counter {

		private final TestDatabase database;

		Counter(TestDatabase database) {
			this.database = database;
		}

		@DistributedLock("counter")
		@Transactional
		public void increment() {
			this.database.increment();
		}

	}

	static class CallerWithTransaction {

		private final Counter counter;

		CallerWithTransaction(Counter counter) {
			this.counter = counter;
		}

		@Transactional
		public void increment() {
			this.counter.increment();
		}

	}

}
