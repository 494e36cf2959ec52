package io.github.redislock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockTarget;
import io.github.redislock.cache.LoadOnceCacheManager;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.boot.cache.metrics.CacheMetricsRegistrar;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class LoadOnceAutoConfigurationTests {

	private static final String LOAD_ONCE = "redis-lock.cache.load-once=";

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(RedisLockStoreAutoConfiguration.class,
				RedisLockAutoConfiguration.class, LoadOnceAutoConfiguration.class, CacheAutoConfiguration.class))
		.withUserConfiguration(Prices.class)
		.withPropertyValues("redis-lock.store=in-memory", "spring.cache.type=simple");

	@Test
	void cachesAreUnchangedWithoutTheProperty() {
		this.application.run((context) -> {
			assertThat(context.getBean(CacheManager.class)).isInstanceOf(ConcurrentMapCacheManager.class);
			assertThat(context.getBean(Prices.class).price("42")).isEqualTo("42 without a lock");
		});
	}

	@Test
	void cachesAreUnchangedIfLocksAreDisabled() {
		this.application.withPropertyValues(LOAD_ONCE + "true", "redis-lock.enabled=false")
			.run((context) -> assertThat(context.getBean(CacheManager.class))
				.isInstanceOf(ConcurrentMapCacheManager.class));
	}

	@ParameterizedTest
	@ValueSource(strings = { LOAD_ONCE + "true", LOAD_ONCE + "quotes, prices", "redis-lock.cache.load-once[0]=prices" })
	void annotatedMethodsOfTheNamedCachesLoadUnderALock(String property) {
		this.application.withPropertyValues(property).run((context) -> {
			Prices prices = context.getBean(Prices.class);

			assertThat(context.getBean(CacheManager.class)).isInstanceOf(LoadOnceCacheManager.class);
			assertThat(prices.price("42")).isEqualTo("42 under a lock");
			assertThat(prices.price("42")).isEqualTo("42 under a lock");
			assertThat(prices.future("43").join()).isEqualTo("43 under a lock");
			assertThat(prices.mono("44").block()).isEqualTo("44 under a lock");
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "quotes", "false" })
	void otherCachesAreUnchanged(String names) {
		this.application.withPropertyValues(LOAD_ONCE + names)
			.run((context) -> assertThat(context.getBean(Prices.class).price("42")).isEqualTo("42 without a lock"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "prices", "true" })
	void missingCachingIsReported(String names, CapturedOutput output) {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(RedisLockStoreAutoConfiguration.class,
					RedisLockAutoConfiguration.class, LoadOnceAutoConfiguration.class, CacheAutoConfiguration.class))
			.withPropertyValues("redis-lock.store=in-memory", LOAD_ONCE + names)
			.run((context) -> assertThat(output).contains("'redis-lock.cache.load-once=" + names
					+ "' has no effect: there" + " is no such cache, or @EnableCaching is missing"));
	}

	@Test
	void unknownCachesAreReported(CapturedOutput output) {
		this.application.withPropertyValues("spring.cache.cache-names=prices", LOAD_ONCE + "prices, price")
			.run((context) -> assertThat(output).containsOnlyOnce("has no effect")
				.contains("'redis-lock.cache.load-once=price' has no effect"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "true", "prices" })
	void knownCachesAreNotReported(String names, CapturedOutput output) {
		this.application.withPropertyValues(LOAD_ONCE + names)
			.run((context) -> assertThat(output).doesNotContain("has no effect"));
	}

	@Test
	void propertiesConfigureHowCallersWait() {
		this.application
			.withPropertyValues(LOAD_ONCE + "prices", "redis-lock.cache.wait-time=1s", "redis-lock.cache.stale-for=1m",
					"redis-lock.cache.on-busy=fail")
			.run((context) -> {
				Prices prices = context.getBean(Prices.class);
				LockOperations locks = context.getBean(LockOperations.class);
				prices.price("42");
				Awaitility.await().until(() -> locks.local().held().isEmpty());
				expire(context.getBean(CacheManager.class), "42");

				try (LockHandle first = locks.acquire(LockTarget.of("cache:prices", "42"));
						LockHandle second = locks.acquire(LockTarget.of("cache:prices", "43"))) {
					assertThat(prices.price("42")).isEqualTo("42 under a lock");
					assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> prices.price("43"));
				}
			});
	}

	@ParameterizedTest
	@ValueSource(strings = { "wait-time=900ms", "wait-time=10", "on-busy=wait", "stale-for=soon", "stale-for=-1s" })
	void invalidSettingsFailStartup(String property) {
		this.application.withPropertyValues(LOAD_ONCE + "prices", "redis-lock.cache." + property)
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("redis-lock.cache." + property.substring(0, property.indexOf('='))));
	}

	@Test
	void missesAreCounted() {
		this.application.withConfiguration(AutoConfigurations.of(RedisLockMetricsAutoConfiguration.class))
			.withBean(MeterRegistry.class, SimpleMeterRegistry::new)
			.withPropertyValues(LOAD_ONCE + "prices")
			.run((context) -> {
				context.getBean(Prices.class).price("42");

				assertThat(context.getBean(MeterRegistry.class)
					.get("redis.lock.cache.misses")
					.tags("lock", "cache:prices", "mode", "exclusive", "outcome", "loaded")
					.counter()
					.count()).isEqualTo(1);
			});
	}

	@Test
	void metersOfTheCacheAreStillFound() {
		this.application.withPropertyValues(LOAD_ONCE + "prices").run((context) -> {
			CacheMeterBinderProvider<ConcurrentMapCache> provider = new CacheMeterBinderProvider<>() {

				@Override
				public MeterBinder getMeterBinder(ConcurrentMapCache cache, Iterable<Tag> tags) {
					return (registry) -> registry.counter("cache.found", tags);
				}

			};
			CacheMetricsRegistrar registrar = new CacheMetricsRegistrar(new SimpleMeterRegistry(), List.of(provider));

			assertThat(registrar.bindCacheToRegistry(cache(context.getBean(CacheManager.class)))).isTrue();
		});
	}

	@Test
	void micrometerIsNotNeeded() {
		this.application.withClassLoader(new FilteredClassLoader("io.micrometer"))
			.withConfiguration(AutoConfigurations.of(RedisLockMetricsAutoConfiguration.class))
			.withPropertyValues(LOAD_ONCE + "prices")
			.run((context) -> assertThat(context.getBean(Prices.class).price("42")).isEqualTo("42 under a lock"));
	}

	@Test
	void locksAreNotCreatedBeforeTheFirstMiss() {
		this.application
			.withBean("ownLocks", LockOperations.class,
					() -> new RedisLockTemplate(new InMemoryLockStore(), LockConfiguration.defaults()),
					(definition) -> definition.setLazyInit(true))
			.withPropertyValues(LOAD_ONCE + "prices")
			.run((context) -> {
				context.getBean(CacheManager.class);
				assertThat(context.getBeanFactory().containsSingleton("ownLocks")).isFalse();

				assertThat(context.getBean(Prices.class).price("42")).isEqualTo("42 under a lock");
			});
	}

	private static Cache cache(CacheManager caches) {
		return Objects.requireNonNull(caches.getCache("prices"));
	}

	@SuppressWarnings("unchecked")
	private static void expire(CacheManager caches, String key) {
		((Map<Object, Object>) cache(caches).getNativeCache()).remove(key);
	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	public static class Prices {

		private final ObjectProvider<LockOperations> locks;

		Prices(ObjectProvider<LockOperations> locks) {
			this.locks = locks;
		}

		@Cacheable(cacheNames = "prices", sync = true)
		public String price(String product) {
			return product + (isLocked(product) ? " under a lock" : " without a lock");
		}

		@Cacheable(cacheNames = "prices", sync = true)
		public CompletableFuture<String> future(String product) {
			return CompletableFuture.completedFuture(price(product));
		}

		@Cacheable(cacheNames = "prices", sync = true)
		public Mono<String> mono(String product) {
			return Mono.fromCallable(() -> price(product));
		}

		private boolean isLocked(String product) {
			return this.locks.getObject().isLocked(LockTarget.of("cache:prices", product));
		}

	}

}
