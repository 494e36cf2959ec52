package io.github.redislock.autoconfigure.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.test.TestLocks;

import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.context.PropertyMapping;

/**
 * Makes a Spring test keep locks in memory instead of Redis, and lets it simulate
 * failures with {@link TestLocks}. <pre class="code">
 * &#64;SpringBootTest
 * &#64;AutoConfigureRedisLock
 * class PaymentsTests {
 *
 *     &#64;Autowired
 *     TestLocks locks;
 *
 * }
 * </pre>
 * <p>
 * Works for whole applications, slices, and single components
 * ({@code @SpringJUnitConfig(Payments.class)}): locked methods are really locked, and a
 * {@link io.github.redislock.redis.RedisLockTemplate} can be injected, both with the
 * {@code redis-lock} properties of the test's environment, which
 * {@code @SpringJUnitConfig} alone does not read from {@code application.yml}. No Redis
 * is needed for locks. After each test all locks are free, and all simulated failures
 * have ended.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
@PropertyMapping("redis-lock.test")
public @interface AutoConfigureRedisLock {

	/**
	 * Whether time passes for leases and waiting callers only when the test calls
	 * {@link TestLocks#advance(java.time.Duration)}. By default, they use the system's
	 * clock.
	 * @return whether the test advances the clock
	 */
	boolean manualClock() default false;

}
