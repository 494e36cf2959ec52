package io.github.redislock.benchmarks.jmh;

import java.util.concurrent.TimeUnit;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTemplate;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.memory.InMemoryLockStore;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * What the annotation adds to a call: the same method called plainly, under the template,
 * and through the annotation, with and without an expression.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AdviceBenchmark {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Setup.class);

	private final Stock bean = this.context.getBean(Stock.class);

	private final LockOperations locks = this.context.getBean(LockOperations.class);

	private final Stock plain = new Stock();

	private int item;

	/**
	 * Let everything go.
	 */
	@TearDown
	public void close() {
		this.context.close();
	}

	/**
	 * Without any lock.
	 * @return what keeps the call alive
	 */
	@Benchmark
	public int plainCall() {
		return this.plain.take(this.item++);
	}

	/**
	 * Under the template.
	 * @return what keeps the call alive
	 */
	@Benchmark
	public int templateCall() {
		int taken = this.item++;
		return this.locks.<Integer, RuntimeException>execute("stock", () -> this.plain.take(taken));
	}

	/**
	 * Through the annotation.
	 * @return what keeps the call alive
	 */
	@Benchmark
	public int annotatedCall() {
		return this.bean.take(this.item++);
	}

	/**
	 * Through the annotation, with a key to evaluate.
	 * @return what keeps the call alive
	 */
	@Benchmark
	public int annotatedCallWithKey() {
		return this.bean.takeByKey(this.item++ % 16);
	}

	/**
	 * Something to lock.
	 */
	public static class Stock {

		/**
		 * Take an item.
		 * @param item which one
		 * @return the next one
		 */
		@DistributedLock(name = "stock")
		public int take(int item) {
			return item + 1;
		}

		/**
		 * Take an item, locked by itself.
		 * @param item which one
		 * @return the next one
		 */
		@DistributedLock(name = "stock", key = "#item")
		public int takeByKey(int item) {
			return item + 1;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Setup {

		@Bean(destroyMethod = "close")
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		Stock stock() {
			return new Stock();
		}

	}

}
