package io.github.redislock.autoconfigure.test;

import io.github.redislock.LockListener;
import io.github.redislock.LockTimer;
import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockStoreAutoConfiguration;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.LockStore;
import io.github.redislock.test.TestLocks;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.env.Environment;

/**
 * {@link EnableAutoConfiguration Auto-configuration} for {@link TestLocks}. Applies only
 * with {@link AutoConfigureRedisLock}.
 * <p>
 * Replaces the store and the clock; the template and the annotation are configured as in
 * production.
 */
@AutoConfiguration(before = { RedisLockStoreAutoConfiguration.class, RedisLockAutoConfiguration.class })
public final class TestLocksAutoConfiguration {

	static final String STORE_BEAN_NAME = "testLockStore";

	@Bean
	TestLocks testLocks(LockTimer timer) {
		return TestLocks.withTimer(timer);
	}

	/**
	 * Return the clock, which {@link TestLocks} closes.
	 */
	@Bean(destroyMethod = "")
	@ConditionalOnMissingBean
	LockTimer testLockTimer(Environment environment) {
		boolean manual = environment.getProperty("redis-lock.test.manual-clock", Boolean.class, false);
		return manual ? new ManualLockTimer() : LockTimer.system();
	}

	/**
	 * Return the store, which the template closes. This bean takes precedence over a
	 * store that the application declares.
	 */
	@Bean(name = STORE_BEAN_NAME, destroyMethod = "")
	@Primary
	LockStore testLockStore(TestLocks locks) {
		return locks.store();
	}

	@Bean
	LockListener testLockListener(TestLocks locks) {
		return locks.listener();
	}

	@Bean
	static TestLocksCheck testLocksCheck(ConfigurableListableBeanFactory beanFactory) {
		return new TestLocksCheck(beanFactory);
	}

}
