package io.github.redislock.autoconfigure;

import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.LeaderOnly;
import io.github.redislock.autoconfigure.LockDescriptors.LocksOfInstance;
import io.github.redislock.autoconfigure.LockDescriptors.Role;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.leadership.LeadershipGrantedEvent;
import io.github.redislock.leadership.LeadershipRevokedEvent;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.testing.FencingTokens;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

@ExtendWith(OutputCaptureExtension.class)
class LeadershipAutoConfigurationTests {

	private static final String ROLES = "redis-lock.leadership.roles.";

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockStoreAutoConfiguration.class,
				RedisLockAutoConfiguration.class, LeadershipAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory");

	@Test
	void configuredRoleIsABeanQualifiedByItsName() {
		this.application.withUserConfiguration(Mailers.class)
			.withPropertyValues(ROLES + "mailer.timeout=10s", ROLES + "price-feed.enabled=true")
			.run((context) -> {
				Leadership mailer = Objects.requireNonNull(context.getBean(Mailers.class).mailer);
				assertThat(mailer).isSameAs(context.getBean("mailerLeadership"));
				assertThat(mailer.role()).isEqualTo("mailer");
				Awaitility.await().until(mailer::isLeader);
				Awaitility.await().until(context.getBean("price-feedLeadership", Leadership.class)::isLeader);
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "${settings: }" })
	void roleNeedsNoSettings(String settings) {
		this.application.withPropertyValues(ROLES + "mailer=" + settings)
			.run((context) -> Awaitility.await().until(context.getBean(Leadership.class)::isLeader));
	}

	@ParameterizedTest
	@CsvSource({ "mailer=10s, redis-lock.leadership.roles.mailer",
			"mailer.timeout=soon, redis-lock.leadership.roles.mailer.timeout",
			"mailer.timeout=10, redis-lock.leadership.roles.mailer.timeout", "mailer.timeout=10, it has no unit" })
	void roleWithInvalidSettingsIsRefused(String property, String reason) {
		this.application.withPropertyValues(ROLES + property)
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(reason));
	}

	@Test
	void timeoutPropertySetsTheLeaseOfTheLeader() {
		this.application.withPropertyValues(ROLES + "mailer.timeout=10m").run((context) -> {
			Awaitility.await().until(context.getBean(Leadership.class)::isLeader);
			assertThat(context.getBean(LockOperations.class).local().held()).singleElement()
				.satisfies((held) -> assertThat(held.remaining()).hasMinutes(9));
		});
	}

	@Test
	void leadershipIsAbsentWithoutRolesOrLocks() {
		this.application.run((context) -> assertThat(context).doesNotHaveBean(Leadership.class));
		this.application.withPropertyValues(ROLES + "mailer.timeout=10s", "redis-lock.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(Leadership.class));
	}

	@ParameterizedTest
	@ValueSource(booleans = { false, true })
	void disabledRoleDoesNotRunForLeadership(boolean followsReadiness) {
		this.application
			.withPropertyValues(ROLES + "mailer.enabled=false",
					ROLES + "mailer.resign-when-out-of-service=" + followsReadiness)
			.run((context) -> {
				ready(context, ReadinessState.ACCEPTING_TRAFFIC);
				assertThat(context.getBean(LockLeadership.class).isRunning()).isFalse();
			});
	}

	@Test
	void applicationReceivesEventsForGrantAndShutdown() {
		Mailers mailers = new Mailers();
		this.application.withBean(Mailers.class, () -> mailers)
			.withPropertyValues(ROLES + "mailer.timeout=10s")
			.run((context) -> Awaitility.await().until(() -> mailers.events.size() == 1));

		assertThat(mailers.events).hasSize(2);
		LeadershipGrantedEvent granted = (LeadershipGrantedEvent) mailers.events.get(0);
		assertThat(granted.role()).isEqualTo("mailer");
		assertThat(mailers.events.get(1)).isEqualTo(new LeadershipRevokedEvent("mailer", granted.term()));
	}

	@Test
	void manuallyCreatedLeadershipIsStarted() {
		this.application.withUserConfiguration(ByHand.class)
			.run((context) -> Awaitility.await().until(context.getBean("audit", Leadership.class)::isLeader));
	}

	@Test
	void candidacyFollowsReadinessIfConfigured() {
		this.application
			.withPropertyValues(ROLES + "mailer.resign-when-out-of-service=true", ROLES + "audit.timeout=10s")
			.run((context) -> {
				Leadership mailer = context.getBean("mailerLeadership", Leadership.class);
				Leadership audit = context.getBean("auditLeadership", Leadership.class);
				Awaitility.await().until(audit::isLeader);
				assertThat(context.getBean("mailerLeadership", LockLeadership.class).isRunning()).isFalse();

				ready(context, ReadinessState.ACCEPTING_TRAFFIC);
				Awaitility.await().until(mailer::isLeader);

				ready(context, ReadinessState.REFUSING_TRAFFIC);
				assertThat(mailer.isLeader()).isFalse();
				LockOperations locks = context.getBean(LockOperations.class);
				Awaitility.await().until(() -> !locks.isLocked(LockTarget.of("leader:mailer")));
				assertThat(audit.isLeader()).isTrue();

				ready(context, ReadinessState.ACCEPTING_TRAFFIC);
				Awaitility.await().until(mailer::isLeader);
			});
	}

	@Test
	void leaderOnlyBeansRunWhileTheInstanceLeads(CapturedOutput output) {
		this.application.withUserConfiguration(LeaderOnlyConfig.class)
			.withPropertyValues(ROLES + "mailer.leader-only=poller,plain,prices", ROLES + "mailer.enabled=false")
			.run((context) -> {
				LockLeadership mailer = context.getBean(LockLeadership.class);
				List<Lifecycle> beans = List.of(context.getBean("poller", Lifecycle.class),
						context.getBean("plain", Lifecycle.class), context.getBean(Registry.class).prices);
				assertThat(beans).noneMatch(Lifecycle::isRunning);

				mailer.start();
				Awaitility.await().until(() -> beans.stream().allMatch(Lifecycle::isRunning));

				mailer.stop();
				assertThat(beans).noneMatch(Lifecycle::isRunning);
				assertThat(output).doesNotContain("did not stop");
			});
	}

	@Test
	void leaderOnlyBeanThatDoesNotStopInTimeIsReported(CapturedOutput output) {
		this.application.withUserConfiguration(LeaderOnlyConfig.class)
			.withConfiguration(AutoConfigurations.of(LifecycleAutoConfiguration.class))
			.withPropertyValues(ROLES + "mailer.leader-only=slow", "spring.lifecycle.timeout-per-shutdown-phase=20ms")
			.run((context) -> {
				Awaitility.await().until(context.getBean("slow", Lifecycle.class)::isRunning);

				context.getBean(LockLeadership.class).stop();

				assertThat(output).contains("'slow' did not stop within 20ms, and the next leader of role 'mailer'");
			});
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			pollr | Role 'mailer' should start and stop 'pollr', but there is no such bean
			pollr | Correct 'redis-lock.leadership.roles.mailer.leader-only'.
			text  | its type 'java.lang.String' cannot be started and stopped
			eager | 'eager', but it starts by itself in each instance
			""")
	void wrongLeaderOnlyBeanFailsStartup(String bean, String message) {
		this.application.withUserConfiguration(LeaderOnlyConfig.class)
			.withPropertyValues(ROLES + "mailer.leader-only=" + bean)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(LockSetupException.class)
				.hasMessageContaining(message));
	}

	@Test
	void misspelledRoleSettingIsReportedWithTheNearestName(CapturedOutput output) {
		this.application.withPropertyValues(ROLES + "mailer.timeot=10s", ROLES + "mailer.leader-only[0]=poller")
			.withUserConfiguration(LeaderOnlyConfig.class)
			.run((context) -> assertThat(output).contains("'redis-lock.leadership.roles.mailer.timeot'")
				.contains("did you mean 'redis-lock.leadership.roles.mailer.timeout'?")
				.doesNotContain("'redis-lock.leadership.roles.mailer.leader-only"));
	}

	@Test
	void metricsShowLeadershipAndSkippedCalls() {
		this.application.withUserConfiguration(Polls.class)
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
					RedisLockMetricsAutoConfiguration.class))
			.withBean(SimpleMeterRegistry.class)
			.withPropertyValues(ROLES + "mailer.enabled=false")
			.run((context) -> {
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				LockLeadership mailer = context.getBean(LockLeadership.class);
				assertThat(meters.get("redis.lock.leadership.leader").tag("role", "mailer").gauge().value()).isZero();
				assertThat(meters.get("redis.lock.leadership.grants").tag("role", "mailer").counter().count()).isZero();
				assertThat(meters.get("redis.lock.leadership.skipped").tag("role", "mailer").counter().count())
					.isZero();

				context.getBean(Polls.class).poll();
				mailer.start();

				Awaitility.await()
					.until(() -> meters.get("redis.lock.leadership.grants").counter().count() == 1
							&& meters.get("redis.lock.leadership.leader").gauge().value() == 1);
				context.getBean(Polls.class).poll();
				assertThat(meters.get("redis.lock.leadership.skipped").counter().count()).isEqualTo(1);
			});
	}

	@Test
	void endpointShowsRoles() {
		this.application
			.withPropertyValues(ROLES + "mailer.timeout=10s", ROLES + "audit.enabled=false",
					"redis-lock.instance-id=shop-1")
			.run((context) -> {
				Leadership mailer = context.getBean("mailerLeadership", Leadership.class);
				LockLeadership audit = context.getBean("auditLeadership", LockLeadership.class);
				LockOperations locks = context.getBean(LockOperations.class);
				LocksEndpoint endpoint = new LocksEndpoint(locks, context, List.of(mailer, audit));
				Awaitility.await().until(mailer::isLeader);

				long term = mailer.term().orElseThrow();
				assertThat(roles(endpoint)).extracting(Role::role, Role::leader, Role::term, Role::holder)
					.containsExactly(tuple("audit", false, null, null), tuple("mailer", true, term, "shop-1"));
				assertThat(roles(endpoint).get(1).since())
					.isEqualTo(FencingTokens.instant(term).truncatedTo(ChronoUnit.MILLIS));

				LockHandle held = locks.acquire(LockTarget.of("leader:audit"));
				LockHandle order = locks.acquire(LockTarget.of("order"));
				CompletableFuture<AsyncLockHandle> next = locks.async().acquire(order.target());
				audit.start();
				Awaitility.await().until(() -> locks.local().waiting().size() == 2);
				assertThat(roles(endpoint).get(0)).extracting(Role::leader, Role::term, Role::holder)
					.containsExactly(false, held.fencingToken(), "shop-1");

				held.close();
				Awaitility.await().until(() -> roles(endpoint).get(0).leader());
				order.close();
				next.join().release();
			});
	}

	private static List<Role> roles(LocksEndpoint endpoint) {
		LocksOfInstance shown = (LocksOfInstance) Objects.requireNonNull(endpoint.locks(null).getBody());
		return Objects.requireNonNull(shown.roles());
	}

	private static void ready(ApplicationContext context, ReadinessState state) {
		AvailabilityChangeEvent.publish(context, state);
	}

	static class Polls {

		@LeaderOnly("mailer")
		public void poll() {
		}

	}

	static class Mailers {

		private final List<Object> events = new CopyOnWriteArrayList<>();

		private @Nullable Leadership mailer;

		@Autowired
		void setMailer(@Qualifier("mailer") Leadership mailer) {
			this.mailer = mailer;
		}

		@EventListener({ LeadershipGrantedEvent.class, LeadershipRevokedEvent.class })
		void on(Object event) {
			this.events.add(event);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ByHand {

		@Bean
		LockLeadership audit(LockOperations locks) {
			return new LockLeadership("audit", locks);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class LeaderOnlyConfig {

		@Bean
		Poller poller() {
			return new Poller(false);
		}

		@Bean
		Plain plain() {
			return new Plain();
		}

		@Bean
		Poller slow() {
			return new Poller(false) {

				@Override
				public void stop(Runnable callback) {
					stop();
				}

			};
		}

		@Bean
		Poller eager() {
			return new Poller(true);
		}

		@Bean
		String text() {
			return "text";
		}

		@Bean
		Registry registry() {
			return new Registry();
		}

	}

	/** Behaves like the registries of listener containers. */
	public static class Registry extends Poller {

		private final Poller prices = new Poller(false);

		Registry() {
			super(true);
		}

		public @Nullable Poller getListenerContainer(String id) {
			return id.equals("prices") ? this.prices : null;
		}

	}

	static class Plain implements Lifecycle {

		private volatile boolean running;

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

	static class Poller extends Plain implements SmartLifecycle {

		private final boolean autoStartup;

		Poller(boolean autoStartup) {
			this.autoStartup = autoStartup;
		}

		@Override
		public boolean isAutoStartup() {
			return this.autoStartup;
		}

	}

}
