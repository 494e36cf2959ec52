package io.github.redislock.autoconfigure;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockMode;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.observation.DefaultLockObservationConvention;
import io.github.redislock.observation.LockAcquireContext;
import io.github.redislock.observation.LockMeterListener;
import io.github.redislock.observation.LockObservationConvention;
import io.github.redislock.observation.LockObservationListener;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;

import static org.assertj.core.api.Assertions.assertThat;

class RedisLockMetricsAutoConfigurationTests {

	private final ApplicationContextRunner withoutMetrics = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockAutoConfiguration.class,
				RedisLockStoreAutoConfiguration.class, DistributedLockAutoConfiguration.class,
				RedisLockDisabledAutoConfiguration.class, AsyncLockAutoConfiguration.class,
				RedisLockObservationAutoConfiguration.class, RedisLockMetricsAutoConfiguration.class))
		.withPropertyValues("redis-lock.store=in-memory")
		.withUserConfiguration(Application.class);

	private final ApplicationContextRunner application = this.withoutMetrics
		.withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class, ObservationAutoConfiguration.class,
				CompositeMeterRegistryAutoConfiguration.class, SimpleMetricsExportAutoConfiguration.class));

	@Test
	void metersOfAnnotatedMethodsExistFromStartup() {
		this.application.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);

			assertThat(meters.find("redis.lock.losses").counters())
				.extracting((counter) -> counter.getId().getTag("lock") + ' ' + counter.getId().getTag("mode"))
				.containsExactlyInAnyOrder("order exclusive", "price read", "invoice:#{#year} exclusive",
						"report exclusive", "Shop.plain permit");
		});
	}

	@Test
	void callsAreCountedInTheMetersRegisteredAtStartup() {
		this.application.run((context) -> {
			MeterRegistry meters = context.getBean(MeterRegistry.class);
			int before = meters.getMeters().size();
			Shop shop = context.getBean(Shop.class);

			for (int id = 0; id < 50; id++) {
				shop.order(id);
				shop.invoice(2000 + id);
			}

			assertThat(meters.get("redis.lock.acquire").tags("lock", "order", "outcome", "acquired").timer().count())
				.isEqualTo(50);
			assertThat(meters.get("redis.lock.usage").tags("lock", "invoice:#{#year}").timers())
				.anySatisfy((timer) -> assertThat(timer.count()).isEqualTo(50));
			// The timer and the long-task timer of waits, for each of the two locks.
			assertThat(meters.getMeters()).hasSize(before + 4);
		});
	}

	@Test
	void timerOfWaitsUsesCustomConventionAndCommonTags() {
		this.application.withBean(LockObservationConvention.class, OwnConvention::new)
			.withPropertyValues("management.observations.key-values.region=eu")
			.run((context) -> {
				MeterRegistry meters = context.getBean(MeterRegistry.class);
				context.getBean(Shop.class).order(1);

				assertThat(meters.find("redis.lock.acquire").tag("lock", "order").timers()).singleElement()
					.satisfies((timer) -> assertThat(timer.getId().getTags()).extracting("key")
						.containsExactly("error", "lock", "mode", "outcome", "region", "shop"));
			});
	}

	@Test
	void observationsCanBeDisabledAsUsual() {
		this.application.withPropertyValues("management.observations.enable.redis.lock=false").run((context) -> {
			context.getBean(Shop.class).order(1);

			MeterRegistry meters = context.getBean(MeterRegistry.class);
			assertThat(meters.find("redis.lock.acquire").meters()).isEmpty();
			assertThat(meters.find("redis.lock.usage").meters()).isNotEmpty();
		});
	}

	@Test
	void metersCanBeDisabledAsUsual() {
		this.application.withPropertyValues("management.metrics.enable.redis.lock=false").run((context) -> {
			context.getBean(Shop.class).order(1);

			assertThat(context.getBean(MeterRegistry.class).getMeters())
				.noneMatch((meter) -> meter.getId().getName().startsWith("redis.lock"));
		});
	}

	@Test
	void meterBeansAreAbsentIfLocksAreDisabled() {
		this.application.withPropertyValues("redis-lock.enabled=false")
			.run((context) -> assertThat(context).doesNotHaveBean(LockMeterListener.class)
				.doesNotHaveBean(LockObservationListener.class)
				.doesNotHaveBean(DeclaredMeters.class));
	}

	@Test
	void locksWorkWithoutRegistries() {
		this.withoutMetrics.run((context) -> {
			assertThat(context).doesNotHaveBean(LockMeterListener.class).doesNotHaveBean(LockObservationListener.class);
			assertThat(context.getBean(Shop.class).order(1)).isEqualTo("order 1");
		});
	}

	@Test
	void locksWorkWithoutMicrometer() {
		this.withoutMetrics.withClassLoader(new FilteredClassLoader("io.micrometer")).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(context.getBean(Shop.class).order(1)).isEqualTo("order 1");
		});
	}

	@Test
	void metersWorkWithoutObservations() {
		this.withoutMetrics.withBean(MeterRegistry.class, SimpleMeterRegistry::new).run((context) -> {
			context.getBean(Shop.class).order(1);

			assertThat(context.getBean(MeterRegistry.class)
				.get("redis.lock.usage")
				.tags("lock", "order", "outcome", "released")
				.timer()
				.count()).isOne();
		});
	}

	@Test
	void severalRegistriesWithoutAPrimaryDoNotFailStartup() {
		this.withoutMetrics.withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("two", MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("three", ObservationRegistry.class, ObservationRegistry::create)
			.withBean("four", ObservationRegistry.class, ObservationRegistry::create)
			.run((context) -> {
				assertThat(context).hasNotFailed()
					.doesNotHaveBean(LockMeterListener.class)
					.doesNotHaveBean(LockObservationListener.class);
				assertThat(context.getBean(Shop.class).order(1)).isEqualTo("order 1");
			});
	}

	@Test
	void primaryRegistryIsUsedAmongSeveral() {
		SimpleMeterRegistry primary = new SimpleMeterRegistry();

		this.withoutMetrics.withBean("one", MeterRegistry.class, SimpleMeterRegistry::new)
			.withBean("two", MeterRegistry.class, () -> primary, (bean) -> bean.setPrimary(true))
			.run((context) -> {
				context.getBean(Shop.class).order(1);

				assertThat(primary.find("redis.lock.usage").timers()).isNotEmpty();
			});
	}

	@Test
	void listenerOfTheApplicationTakesPrecedence() {
		LockMeterListener own = new LockMeterListener(new SimpleMeterRegistry());

		this.application.withBean(LockMeterListener.class, () -> own)
			.run((context) -> assertThat(context.getBean(LockMeterListener.class)).isSameAs(own));
	}

	@Test
	void allListenersOfTheApplicationRegisterTheirMetersAtStartup() {
		SimpleMeterRegistry one = new SimpleMeterRegistry();
		SimpleMeterRegistry two = new SimpleMeterRegistry();

		this.application.withBean("one", LockMeterListener.class, () -> new LockMeterListener(one))
			.withBean("two", LockMeterListener.class, () -> new LockMeterListener(two))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(one.find("redis.lock.losses").tag("lock", "order").counters()).hasSize(1);
				assertThat(two.find("redis.lock.losses").tag("lock", "order").counters()).hasSize(1);
			});
	}

	@Test
	void declaredNamesAreObservedBeyondTheLimitForOthers() {
		LockMeterListener own = new LockMeterListener(new SimpleMeterRegistry());

		this.application.withBean(LockMeterListener.class, () -> own).run((context) -> {
			LockOperations locks = context.getBean(LockOperations.class);
			for (int number = 0; number < 201; number++) {
				locks.acquire(LockTarget.of("undeclared-" + number, 1)).close();
			}

			context.getBean(Shop.class).order(1);

			assertThat(context.getBean(MeterRegistry.class).find("redis.lock.acquire").tag("lock", "order").timers())
				.isNotEmpty();
		});
	}

	@Test
	void lockTaskDecoratorIsNotUsedByOtherExecutors() {
		this.application.withBean(OtherExecutor.class)
			.run((context) -> assertThat(context.getBean(OtherExecutor.class).decorators).isEmpty());
	}

	@Test
	void asynchronousWorkContinuesInTheObservationOfItsCaller() {
		this.application.run((context) -> {
			ObservationRegistry observations = context.getBean(ObservationRegistry.class);
			Observation caller = Observation.start("caller", observations);
			AtomicReference<@Nullable Observation> ofWork = new AtomicReference<>();

			caller.scoped(() -> context.getBean(AsyncLockOperations.class)
				.execute(LockTarget.of("order", 1), LockOptions.options(), () -> {
					ofWork.set(observations.getCurrentObservation());
					return CompletableFuture.completedFuture("done");
				})).get(20, TimeUnit.SECONDS);

			assertThat(ofWork.get()).isSameAs(caller);
		});
	}

	@Configuration(proxyBeanMethods = false)
	static class Application {

		@Bean
		Shop shop() {
			return new Shop();
		}

	}

	static class OtherExecutor {

		private final List<TaskDecorator> decorators;

		OtherExecutor(ObjectProvider<TaskDecorator> decorators) {
			this.decorators = decorators.orderedStream().toList();
		}

	}

	public static class Shop {

		@DistributedLock(name = "order", key = "#id")
		public String order(int id) {
			return "order " + id;
		}

		@DistributedLock(name = "price", key = "#id", mode = LockMode.READ)
		public void price(int id) {
		}

		@DistributedLock(name = "invoice:#{#year}")
		public void invoice(int year) {
		}

		@DistributedLock(name = "report")
		public void report() {
		}

		@DistributedLock(permits = "2")
		public void plain() {
		}

	}

	static class OwnConvention extends DefaultLockObservationConvention {

		@Override
		public KeyValues getLowCardinalityKeyValues(LockAcquireContext context) {
			return super.getLowCardinalityKeyValues(context).and(KeyValue.of("shop", "books"));
		}

	}

}
