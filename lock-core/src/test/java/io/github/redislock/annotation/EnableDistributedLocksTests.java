package io.github.redislock.annotation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.ResourcelessTransactions;
import io.github.redislock.testing.TestRedis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Primary;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * Applications with Spring, but without Spring Boot.
 */
@ExtendWith(RedisServerExtension.class)
class EnableDistributedLocksTests {

	@Test
	void closingTheContextReleasesLocksAndClosesTheTemplate() {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(OnRedis.class);
		RedisLockTemplate locks = context.getBean(RedisLockTemplate.class);
		locks.acquire(LockTarget.of("without-boot:left"));
		assertThat(exists("without-boot:left")).isTrue();

		context.close();

		assertThat(exists("without-boot:left")).isFalse();
		assertThatExceptionOfType(LockShutdownException.class)
			.isThrownBy(() -> locks.acquire(LockTarget.of("without-boot:left")));
	}

	@Test
	void advisorOrderIsTakenFromTheAnnotation() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Ordered.class)) {
			assertThat(context.getBean(LockedMethods.class).getOrder()).isEqualTo(17);
		}
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Enabled.class,
				InMemory.class)) {
			assertThat(context.getBean(LockedMethods.class).getOrder()).isEqualTo(LockedMethods.DEFAULT_ORDER);
		}
	}

	@Test
	void primaryTemplateIsUsedUnlessTheMethodNamesAnother() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Enabled.class,
				TwoTemplates.class, FaceBean.class, Elsewhere.class)) {
			context.getBean(Face.class).work();
			context.getBean(Elsewhere.class).work();

			assertThat(context.getBean("first", RecordingLocks.class).names).containsExactly("face");
			assertThat(context.getBean("second", RecordingLocks.class).names).containsExactly("elsewhere");
		}
	}

	@Test
	void methodResolvedLateIsLocked() {
		try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Enabled.class,
				TwoTemplates.class, Late.class)) {
			context.getBean(Face.class).work();

			assertThat(context.getBean("first", RecordingLocks.class).names).containsExactly("face");
		}
	}

	@Test
	void enableAnnotationsMayBeUsedInAnyOrder() {
		List<Class<?>> all = List.of(Enabled.class, WithAsync.class, WithTransactions.class, WithCaching.class);
		boolean schedulingFirst = false;
		for (List<Class<?>> order : permutations(all)) {
			schedulingFirst = !schedulingFirst;
			List<Class<?>> classes = new ArrayList<>(order);
			classes.add(schedulingFirst ? 0 : classes.size(), WithScheduling.class);
			classes.addAll(List.of(InMemory.class, Everything.class));
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
					classes.toArray(Class<?>[]::new))) {
				assertEverythingIsLocked(context.getBean(Everything.class), classes);
			}
		}
	}

	private static void assertEverythingIsLocked(Everything bean, List<Class<?>> order) {
		bean.transactional();
		bean.async();
		String first = bean.cached("a");
		String second = bean.cached("a");

		await().pollInterval(Duration.ofMillis(5))
			.atMost(Duration.ofSeconds(10))
			.until(() -> bean.ran().contains("async") && bean.ran().contains("scheduled"));
		assertThat(bean.ran()).as("%s", order)
			.containsExactlyInAnyOrder("transactional", "async", "cached", "scheduled");
		assertThat(second).isEqualTo(first);
	}

	private static List<List<Class<?>>> permutations(List<Class<?>> classes) {
		if (classes.isEmpty()) {
			return List.of(List.of());
		}
		List<List<Class<?>>> all = new ArrayList<>();
		for (Class<?> first : classes) {
			List<Class<?>> others = classes.stream().filter((other) -> other != first).toList();
			for (List<Class<?>> rest : permutations(others)) {
				List<Class<?>> one = new ArrayList<>(List.of(first));
				one.addAll(rest);
				all.add(one);
			}
		}
		return all;
	}

	private static boolean exists(String name) {
		try (RedisConnection connection = TestRedis.shared().connectionFactory().getConnection()) {
			return Boolean.TRUE.equals(connection.keyCommands().exists(("distributed_lock:" + name).getBytes()));
		}
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class OnRedis {

		@Bean
		LettuceConnectionFactory connectionFactory() {
			TestRedis redis = TestRedis.shared();
			return new LettuceConnectionFactory(new RedisStandaloneConfiguration(redis.host(), redis.port()));
		}

		@Bean
		RedisLockTemplate locks(RedisConnectionFactory connectionFactory) {
			return new RedisLockTemplate(connectionFactory);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Enabled {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks(order = 17, proxyTargetClass = true)
	static class Ordered {

		@Bean
		RecordingLocks locks() {
			return new RecordingLocks();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class InMemory {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Late {

		@Bean
		@Lazy
		FaceBean late() {
			return new FaceBean();
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class TwoTemplates {

		@Bean
		@Primary
		RecordingLocks first() {
			return new RecordingLocks();
		}

		@Bean
		RecordingLocks second() {
			return new RecordingLocks();
		}

	}

	@DistributedLock("face")
	interface Face {

		void work();

	}

	static class FaceBean implements Face {

		@Override
		public void work() {
		}

	}

	static class Elsewhere {

		@DistributedLock(name = "elsewhere", template = "second")
		void work() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableAsync
	static class WithAsync {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableScheduling
	static class WithScheduling {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableCaching
	static class WithCaching {

		@Bean
		CacheManager caches() {
			return new ConcurrentMapCacheManager();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement
	static class WithTransactions {

		@Bean
		PlatformTransactionManager transactions() {
			return new NoTransactions();
		}

	}

	static class NoTransactions extends ResourcelessTransactions {

		private static final long serialVersionUID = 1L;

		@Override
		protected Object doGetTransaction() {
			// The transaction must be the innermost advice.
			LockContext.requireHeld("transactional");
			return new Object();
		}

		@Override
		protected void doCommit(DefaultTransactionStatus status) {
			LockContext.requireHeld("transactional");
		}

	}

	static class Everything {

		private final Set<String> ran = ConcurrentHashMap.newKeySet();

		public Set<String> ran() {
			return this.ran;
		}

		@Transactional
		@DistributedLock("transactional")
		public void transactional() {
			assertThat(TransactionSynchronizationManager.isActualTransactionActive()).isTrue();
			ran("transactional");
		}

		@Async
		@DistributedLock("async")
		public void async() {
			ran("async");
		}

		@Cacheable("things")
		@DistributedLock(name = "cached", key = "#id")
		public String cached(String id) {
			LockContext.requireHeld("cached", id);
			assertThat(this.ran.add("cached")).as("called once").isTrue();
			return id + System.nanoTime();
		}

		@Scheduled(fixedDelay = 1_000_000)
		@DistributedLock("scheduled")
		public void scheduled() {
			ran("scheduled");
		}

		private void ran(String what) {
			LockContext.requireHeld(what);
			this.ran.add(what);
		}

	}

}
