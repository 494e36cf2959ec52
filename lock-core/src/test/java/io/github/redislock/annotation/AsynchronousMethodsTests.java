package io.github.redislock.annotation;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.aop.Advisor;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Asynchronous methods combined with other advice and executors.
 */
class AsynchronousMethodsTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final List<String> SEEN = new CopyOnWriteArrayList<>();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
			Application.class);

	private final Methods methods = this.context.getBean(Methods.class);

	private final LockTemplate locks = this.context.getBean(LockTemplate.class);

	@AfterEach
	void close() {
		this.context.close();
		SEEN.clear();
	}

	@Test
	void aspectsInsideTheLockSeeTheInvocation() throws Exception {
		assertThat(this.methods.future("a").get(20, TimeUnit.SECONDS)).isEqualTo("a");
		assertThat(this.methods.mono("b").block(Duration.ofSeconds(20))).isEqualTo("b");

		assertThat(SEEN).containsExactly("future", "mono");
	}

	@Test
	void aspectsInsideTheLockRunForEachSubscription() {
		Mono<String> mono = this.methods.mono("a");

		mono.block(PATIENCE);
		mono.block(PATIENCE);

		assertThat(SEEN).containsExactly("mono", "mono");
	}

	@Test
	void missingFutureFailsTheCall() {
		assertThat(this.methods.none()).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.isInstanceOf(IllegalStateException.class)
			.withMessage("Method '%s.none()', or its fallback, returned null instead of a future",
					Methods.class.getName());
	}

	/** Without {@code @EnableAsync}, the caller is the worker. */
	@Test
	void workerPassesOnHowTheFutureEnded() {
		CompletableFuture<String> cancelled = new CompletableFuture<>();
		cancelled.cancel(false);
		IllegalStateException failure = new IllegalStateException("of the work");
		try (LockedContext context = LockedContext.of(Worker.class)) {
			Worker worker = context.get(Worker.class);

			assertThat(worker.work(cancelled)).isSameAs(cancelled);
			assertThat(worker.work(null)).isNull();
			assertThatThrownBy(() -> worker.work(CompletableFuture.failedFuture(failure))).isSameAs(failure);
		}
	}

	@Test
	void asyncMethodMayReturnAPlainFuture() throws Exception {
		assertThat(this.methods.worker().get(20, TimeUnit.SECONDS)).isEqualTo("worker");
	}

	@Test
	void unfinishedWorkThatTheReturnTypeDoesNotShowIsRejected() {
		assertThatIllegalStateException().isThrownBy(() -> this.methods.anything(Mono.never()))
			.withMessageStartingWith("Lock 'anything' does not protect all of its work, which returned"
					+ " reactor.core.publisher.MonoNever, whose work continues after the lock is released.");
		assertThatIllegalStateException().isThrownBy(() -> this.methods.anything(new CompletableFuture<>()));
		assertThat(this.methods.future(Stream.empty())).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.withMessageContaining("which is read after the lock is released");
		assertThat(this.methods.worker(Stream.empty())).failsWithin(PATIENCE)
			.withThrowableThat()
			.havingRootCause()
			.withMessageContaining("which is read after the lock is released");

		assertThat(this.methods.anything("text")).isEqualTo("text");
		assertThat(this.methods.anything(CompletableFuture.completedFuture("done"))).isNotNull();
		assertThat(this.locks.isLocked(LockTarget.of("anything"))).isFalse();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	@EnableDistributedLocks
	static class Application {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		Methods methods() {
			return new Methods();
		}

		/**
		 * Has no order, like AspectJ's aspects, so it runs inside the lock.
		 */
		@Bean
		@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
		static Advisor aspect() {
			NameMatchMethodPointcut pointcut = new NameMatchMethodPointcut();
			pointcut.setMappedNames("future", "mono");
			MethodInterceptor advice = (invocation) -> {
				SEEN.add(ExposeInvocationInterceptor.currentInvocation().getMethod().getName());
				return invocation.proceed();
			};
			return new DefaultPointcutAdvisor(pointcut, advice);
		}

	}

	static class Worker {

		@Async
		@DistributedLock
		@Nullable Future<String> work(@Nullable Future<String> future) {
			return future;
		}

	}

	static class Methods {

		@DistributedLock
		<T> CompletableFuture<T> future(T value) {
			return CompletableFuture.completedFuture(value);
		}

		@DistributedLock
		@Nullable CompletableFuture<String> none() {
			return null;
		}

		@DistributedLock
		Mono<String> mono(String value) {
			return Mono.just(value);
		}

		@Async
		@DistributedLock(name = "anything")
		<T> CompletableFuture<T> worker(T value) {
			return CompletableFuture.completedFuture(value);
		}

		@Async
		@DistributedLock(name = "worker")
		Future<String> worker() {
			return CompletableFuture.completedFuture(LockContext.current().target().name());
		}

		@DistributedLock(name = "anything")
		Object anything(Object value) {
			return value;
		}

	}

}
