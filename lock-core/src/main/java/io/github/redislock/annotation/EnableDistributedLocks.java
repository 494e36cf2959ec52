package io.github.redislock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.internal.interceptor.LockedMethods;

import org.springframework.context.annotation.Import;

/**
 * Makes {@link DistributedLock} work in a Spring application without Spring Boot.
 * <pre class="code">
 * &#64;Configuration
 * &#64;EnableDistributedLocks
 * class LockConfig {
 *
 *     &#64;Bean
 *     RedisLockTemplate locks(RedisConnectionFactory connectionFactory) {
 *         return new RedisLockTemplate(connectionFactory);
 *     }
 *
 * }
 * </pre>
 * <p>
 * Needs a bean of type {@link io.github.redislock.LockOperations}; if there are several,
 * the primary one is used. With Spring Boot, the annotation is not needed. If it is
 * present anyway, its attributes apply instead of {@code redis-lock.order}.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Import(DistributedLockSelector.class)
public @interface EnableDistributedLocks {

	/**
	 * The order of the lock among other advice on the same method. Advice with a smaller
	 * order runs outside advice with a greater one.
	 * <p>
	 * Default: inside asynchronous execution, security checks and Spring Framework's
	 * retries, and outside transactions and caches.
	 * @return the order
	 */
	int order() default LockedMethods.DEFAULT_ORDER;

	/**
	 * Whether to proxy classes even if a bean implements an interface.
	 * <p>
	 * Applies to all automatic proxies of the application. Default: {@code false}, so a
	 * proxied bean that implements an interface can be injected only by its interface
	 * types, unless class proxies are enabled elsewhere.
	 * @return whether to proxy classes
	 */
	boolean proxyTargetClass() default false;

}
