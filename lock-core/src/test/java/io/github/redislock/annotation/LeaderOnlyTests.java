package io.github.redislock.annotation;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.testing.LogRecorder;
import io.reactivex.rxjava3.core.Single;
import org.assertj.core.api.AbstractThrowableAssert;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

class LeaderOnlyTests {

	@Test
	void callsRunOnTheLeaderAndAreSkippedElsewhere() {
		try (AnnotationConfigApplicationContext context = start(Mailer.class)) {
			Mailer.CALLS.set(0);
			Mailer mailer = context.getBean(Mailer.class);
			List<String> skipped = new CopyOnWriteArrayList<>();
			context.getBean(LeaderOnlyMethods.class).onSkipped(skipped::add);

			try (LogRecorder log = LogRecorder.debugOf("io.github.redislock.internal.interceptor.SkippedCall")) {
				mailer.poll();
				assertThat(log.text())
					.contains("LeaderOnlyTests$Mailer.poll() skipped: this instance does not lead role 'mailer'");
			}
			assertThat(mailer.first()).isEmpty();
			assertThat(mailer.all()).isEmpty();
			assertThat(mailer.name()).isNull();
			assertThat(mailer.later()).isCompletedWithValue(null);
			assertThat(mailer.stream().collectList().block()).isEmpty();
			assertThat(mailer.maybe().block()).isNull();
			assertThat(mailer.always().blockingGet()).isEmpty();
			assertThat(Mailer.CALLS).hasValue(0);
			assertThat(skipped).hasSize(8).containsOnly("mailer");

			lead(context);

			mailer.poll();
			assertThat(mailer.first()).contains("mail");
			assertThat(mailer.all()).containsExactly("mail");
			assertThat(mailer.name()).isEqualTo("mail");
			assertThat(mailer.later()).isCompletedWithValue("mail");
			assertThat(mailer.stream().collectList().block()).containsExactly("mail");
			assertThat(mailer.maybe().block()).containsExactly("mail");
			assertThat(mailer.always().blockingGet()).containsExactly("mail");
			assertThat(Mailer.CALLS).hasValue(8);
			assertThat(skipped).hasSize(8);
		}
	}

	@Test
	void scheduledMethodsRunOnlyOnTheLeader() {
		try (AnnotationConfigApplicationContext context = start(ScheduledMailer.class)) {
			AtomicInteger skipped = new AtomicInteger();
			context.getBean(LeaderOnlyMethods.class).onSkipped((role) -> skipped.incrementAndGet());
			Awaitility.await().until(() -> skipped.get() > 1);
			assertThat(ScheduledMailer.RUNS).hasValue(0);

			lead(context);

			Awaitility.await().until(() -> ScheduledMailer.RUNS.get() > 1);
		}
	}

	@Test
	void roleMayComeFromAProperty() {
		System.setProperty("leader-only-tests.role", "mailer");
		try (AnnotationConfigApplicationContext context = start(Placeholder.class)) {
			lead(context);
			assertThat(context.getBean(Placeholder.class).name()).isEqualTo("mail");
		}
		finally {
			System.clearProperty("leader-only-tests.role");
		}
	}

	@Test
	void annotationOnAnInterfaceMethodApplies() {
		try (AnnotationConfigApplicationContext context = start(Implementation.class)) {
			assertThat(context.getBean(Face.class).name()).isNull();
			lead(context);
			assertThat(context.getBean(Face.class).name()).isEqualTo("mail");
		}
	}

	@Test
	void leadershipAdvisorHasAlmostTheHighestPrecedence() {
		try (AnnotationConfigApplicationContext context = start(Mailer.class)) {
			assertThat(context.getBean(LeaderOnlyMethods.class).getOrder())
				.isLessThan(Ordered.HIGHEST_PRECEDENCE + 200);
		}
	}

	@Test
	void unknownRoleFailsStartup() {
		assertRefused(UnknownRole.class).hasMessageContaining(
				"runs only on the leader of role 'mailr', but there is no such role. Known roles: ['mailer'].");
	}

	@Test
	void returnTypeThatCannotBeEmptyFailsStartup() {
		assertRefused(Counting.class)
			.hasMessageContaining("LeaderOnlyTests$Counting.count()' runs only on the leader, but it returns int,"
					+ " so there is no value to return for a skipped call.");
	}

	@Test
	void reasonWhyWorkCannotBeFollowedIsTheCause() {
		assertRefused(Calling.class).isInstanceOf(InvalidLockedMethodException.class)
			.hasMessageContaining("it returns Callable, which is called after the lock is released");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, NotOfTheInterface.class, Callback.class })
	void methodThatCannotBeInterceptedFailsStartup(Class<?> bean) {
		assertRefused(bean).hasMessageContaining("its calls cannot be intercepted");
	}

	private static AbstractThrowableAssert<?, ?> assertRefused(Class<?> bean) {
		return assertThat(NestedExceptionUtils.getMostSpecificCause(catchThrowable(() -> start(bean).close())))
			.isInstanceOf(LockSetupException.class);
	}

	private static AnnotationConfigApplicationContext start(Class<?> bean) {
		return new AnnotationConfigApplicationContext(Config.class, bean);
	}

	private static void lead(AnnotationConfigApplicationContext context) {
		LockLeadership leadership = context.getBean(LockLeadership.class);
		leadership.start();
		Awaitility.await().until(leadership::isLeader);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	@EnableScheduling
	static class Config {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		LockLeadership mailerLeadership(LockTemplate locks) {
			LockLeadership leadership = new LockLeadership("mailer", locks);
			leadership.setAutoStartup(false);
			return leadership;
		}

	}

	static class Mailer {

		private static final AtomicInteger CALLS = new AtomicInteger();

		@LeaderOnly("mailer")
		public void poll() {
			CALLS.incrementAndGet();
		}

		@LeaderOnly("mailer")
		public Optional<String> first() {
			return Optional.of(mail());
		}

		@LeaderOnly("mailer")
		public List<String> all() {
			return List.of(mail());
		}

		@LeaderOnly("mailer")
		public @Nullable String name() {
			return mail();
		}

		@LeaderOnly("mailer")
		public CompletableFuture<String> later() {
			return CompletableFuture.completedFuture(mail());
		}

		@LeaderOnly("mailer")
		public Flux<String> stream() {
			return Flux.just(mail());
		}

		@LeaderOnly("mailer")
		public Mono<List<String>> maybe() {
			return Mono.just(List.of(mail()));
		}

		@LeaderOnly("mailer")
		public Single<List<String>> always() {
			return Single.just(List.of(mail()));
		}

		private String mail() {
			CALLS.incrementAndGet();
			return "mail";
		}

	}

	static class ScheduledMailer {

		private static final AtomicInteger RUNS = new AtomicInteger();

		@LeaderOnly("mailer")
		@Scheduled(fixedDelay = 5)
		void poll() {
			RUNS.incrementAndGet();
		}

	}

	static class Placeholder {

		@LeaderOnly("${leader-only-tests.role}")
		public @Nullable String name() {
			return "mail";
		}

	}

	interface Face {

		@LeaderOnly("mailer")
		@Nullable String name();

	}

	static class Implementation implements Face {

		@Override
		public @Nullable String name() {
			return "mail";
		}

	}

	static class UnknownRole {

		@LeaderOnly("mailr")
		public void poll() {
		}

	}

	static class Counting {

		@LeaderOnly("mailer")
		public int count() {
			return 1;
		}

	}

	static class Calling {

		@LeaderOnly("mailer")
		public Callable<Integer> call() {
			return () -> 1;
		}

	}

	static class PrivateMethod {

		@SuppressWarnings("unused")
		@LeaderOnly("mailer")
		private void poll() {
		}

	}

	static class Callback implements InitializingBean {

		@Override
		@LeaderOnly("mailer")
		public void afterPropertiesSet() {
		}

	}

	static class NotOfTheInterface implements Face {

		@Override
		public @Nullable String name() {
			return "mail";
		}

		@LeaderOnly("mailer")
		public void poll() {
		}

	}

}
