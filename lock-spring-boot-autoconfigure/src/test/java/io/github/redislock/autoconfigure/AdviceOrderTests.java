package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.ResourcelessTransactions;
import org.aopalliance.intercept.MethodInterceptor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.Ordered;
import org.springframework.resilience.InvocationRejectedException;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;

import static org.assertj.core.api.Assertions.assertThat;

@ExtendWith(OutputCaptureExtension.class)
class AdviceOrderTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(
				AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
						DistributedLockAutoConfiguration.class, AopAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory")
		.withUserConfiguration(Chain.class);

	@Test
	void lockIsInsideAsyncAndOutsideTransactionAndCache(CapturedOutput output) {
		this.runner.run((context) -> {
			List<String> events = context.getBean(Chain.class).events;
			String caller = Thread.currentThread().getName();

			context.getBean(Work.class).run("1");

			Awaitility.await().until(() -> events.contains("released"));
			// The advice in between has the same order, so the order of the beans
			// decides.
			assertThat(events).startsWith("acquired")
				.endsWith("work", "commit", "released")
				.containsExactlyInAnyOrder("acquired", "begin", "cache lookup", "advice", "work", "commit", "released");
			assertThat(context.getBean(Chain.class).threads).hasSize(1).doesNotContain(caller);
			assertThat(output).doesNotContain("not eligible");
		});
	}

	@Test
	void eachRetryOfSpringFrameworkAcquiresTheLockAgain() {
		this.runner.withUserConfiguration(Resilience.class).run((context) -> {
			List<String> events = context.getBean(Chain.class).events;

			context.getBean(ResilientWork.class).runAtSecondAttempt();

			assertThat(events).filteredOn((event) -> !event.equals("released"))
				.containsExactly("acquired", "advice", "work", "acquired", "advice", "work");
		});
	}

	@Test
	void callOverTheConcurrencyLimitAcquiresNoLock() {
		this.runner.withUserConfiguration(Resilience.class).run((context) -> {
			ResilientWork work = context.getBean(ResilientWork.class);

			work.runAlone(() -> {
				CompletableFuture<Void> other = CompletableFuture.runAsync(() -> work.runAlone(() -> {
				}), OwnThread::run);

				assertThat(other).failsWithin(Duration.ofSeconds(60))
					.withThrowableThat()
					.withCauseInstanceOf(InvocationRejectedException.class);
			});

			assertThat(context.getBean(Chain.class).events).containsOnlyOnce("acquired");
		});
	}

	@Test
	void lockOrderIsBetweenThoseOfSpringSecurityAndSpringRetry() {
		this.runner.withUserConfiguration(OtherAdvice.class).run((context) -> {
			List<String> events = context.getBean(Chain.class).events;

			context.getBean(Work.class).run("1");

			Awaitility.await().until(() -> events.contains("released"));
			assertThat(events).containsSubsequence("@PreAuthorize", "@PostAuthorize", "acquired", "@Retryable", "work",
					"released");
		});
	}

	@Test
	void lockCanBeMovedInsideTheTransaction() {
		this.runner.withPropertyValues("redis-lock.order=2147483647").run((context) -> {
			List<String> events = context.getBean(Chain.class).events;

			context.getBean(Work.class).run("1");

			Awaitility.await().until(() -> events.contains("commit"));
			assertThat(events.indexOf("begin")).isLessThan(events.indexOf("acquired"));
		});
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	@EnableAsync(proxyTargetClass = true)
	@EnableCaching(proxyTargetClass = true)
	static class Chain {

		private final List<String> events = new CopyOnWriteArrayList<>();

		private final List<String> threads = new CopyOnWriteArrayList<>();

		@Bean
		Work work(Chain chain) {
			return new Work(chain);
		}

		@Bean
		LockListener listener() {
			return new LockListener() {

				@Override
				public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
					Chain.this.events.add("acquired");
					Chain.this.threads.add(Thread.currentThread().getName());
				}

				@Override
				public void released(HeldLock lock, ReleaseOutcome outcome, Duration held) {
					Chain.this.events.add("released");
				}

			};
		}

		@Bean
		PlatformTransactionManager transactionManager() {
			return new ResourcelessTransactions() {

				@Override
				protected void doBegin(Object transaction, TransactionDefinition definition) {
					Chain.this.events.add("begin");
				}

				@Override
				protected void doCommit(DefaultTransactionStatus status) {
					Chain.this.events.add("commit");
				}

			};
		}

		@Bean
		CacheManager cacheManager() {
			return new ConcurrentMapCacheManager() {

				@Override
				protected Cache createConcurrentMapCache(String name) {
					return new ConcurrentMapCache(name) {

						@Override
						protected Object lookup(Object key) {
							Chain.this.events.add("cache lookup");
							return super.lookup(key);
						}

					};
				}

			};
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor advisor(ObjectProvider<Chain> chain) {
			return advisor(chain, "advice", Ordered.LOWEST_PRECEDENCE);
		}

		static DefaultPointcutAdvisor advisor(ObjectProvider<Chain> chain, String event, int order) {
			MethodInterceptor advice = (invocation) -> {
				chain.getObject().events.add(event);
				return invocation.proceed();
			};
			DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(
					AnnotationMatchingPointcut.forMethodAnnotation(DistributedLock.class), advice);
			advisor.setOrder(order);
			return advisor;
		}

	}

	static class Work {

		private final Chain chain;

		Work(Chain chain) {
			this.chain = chain;
		}

		@Async
		@Transactional
		@Cacheable("results")
		@DistributedLock
		public void run(String id) {
			this.chain.events.add("work");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableResilientMethods(proxyTargetClass = true)
	static class Resilience {

		@Bean
		ResilientWork resilientWork(Chain chain) {
			return new ResilientWork(chain);
		}

	}

	static class ResilientWork {

		private final Chain chain;

		ResilientWork(Chain chain) {
			this.chain = chain;
		}

		@Retryable(maxRetries = 1, delay = 1)
		@DistributedLock
		public void runAtSecondAttempt() {
			this.chain.events.add("work");
			if (this.chain.events.indexOf("work") == this.chain.events.lastIndexOf("work")) {
				throw new IllegalStateException("the first attempt fails");
			}
		}

		@ConcurrencyLimit(limit = 1, policy = ThrottlePolicy.REJECT)
		@DistributedLock(retry = 0)
		public void runAlone(Runnable task) {
			task.run();
		}

	}

	/**
	 * Advice with the default orders of libraries that are missing from the class path.
	 */
	@Configuration(proxyBeanMethods = false)
	static class OtherAdvice {

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor preAuthorize(ObjectProvider<Chain> chain) {
			return Chain.advisor(chain, "@PreAuthorize", 200);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor postAuthorize(ObjectProvider<Chain> chain) {
			return Chain.advisor(chain, "@PostAuthorize", 500);
		}

		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static DefaultPointcutAdvisor springRetry(ObjectProvider<Chain> chain) {
			return Chain.advisor(chain, "@Retryable", Ordered.LOWEST_PRECEDENCE - 1);
		}

	}

}
