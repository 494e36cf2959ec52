package io.github.redislock.benchmarks.jmh;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOperations;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.EnableDistributedLocks;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.aopalliance.intercept.Joinpoint;
import org.aopalliance.intercept.MethodInterceptor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Measures the cost of the annotation. A short method is called directly, through the
 * template, through a proxy that does nothing, and through the annotation with and
 * without an expression.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class AdviceBenchmark {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Setup.class);

	private final Stock bean = this.context.getBean(Stock.class);

	private final LockOperations locks = this.context.getBean(LockOperations.class);

	private final Payments payments = this.context.getBean(Payments.class);

	private final Payments advised = withEmptyAdvice(new Payments());

	private final Stock plain = new Stock();

	private final Payments plainPayments = new Payments();

	private final String[] orders = IntStream.range(0, 16).mapToObj((i) -> "order-" + i).toArray(String[]::new);

	private final String[] names = Arrays.stream(this.orders).map((id) -> "payment:" + id).toArray(String[]::new);

	private int item;

	@TearDown
	public void close() {
		this.context.close();
	}

	/**
	 * Call the method without a lock.
	 * @return the result, so that the call is not optimized away
	 */
	@Benchmark
	public int plainCall() {
		return this.plain.take(this.item++);
	}

	@Benchmark
	public int templateCall() {
		int taken = this.item++;
		return this.locks.<Integer, RuntimeException>execute("stock", () -> this.plain.take(taken));
	}

	@Benchmark
	public int annotatedCall() {
		return this.bean.take(this.item++);
	}

	@Benchmark
	public int templateCallWithKey() {
		int next = this.item++ & 15;
		return this.locks.<Integer, RuntimeException>execute(this.names[next],
				() -> this.plainPayments.pay(this.orders[next]));
	}

	@Benchmark
	public int annotatedCallWithKey() {
		return this.payments.pay(this.orders[this.item++ & 15]);
	}

	@Benchmark
	public int annotatedCallWithProperty() {
		return this.payments.payFor(this.orders[this.item++ & 15]);
	}

	@Benchmark
	public int emptyAdviceCall() {
		return this.advised.pay(this.orders[this.item++ & 15]);
	}

	private static Payments withEmptyAdvice(Payments target) {
		ProxyFactory factory = new ProxyFactory(target);
		factory.setProxyTargetClass(true);
		factory.addAdvice((MethodInterceptor) Joinpoint::proceed);
		return (Payments) factory.getProxy();
	}

	/**
	 * A locked bean.
	 */
	public static class Stock {

		@DistributedLock(name = "stock")
		public int take(int item) {
			return item + 1;
		}

	}

	/**
	 * A bean that is locked by key.
	 */
	public static class Payments {

		@DistributedLock(name = "payment", key = "#orderId")
		public int pay(String orderId) {
			return orderId.length();
		}

		@DistributedLock(name = "payment", key = "#orderId.blank")
		public int payFor(String orderId) {
			return orderId.length();
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

		@Bean
		Payments payments() {
			return new Payments();
		}

	}

}
