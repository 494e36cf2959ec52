package io.github.redislock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.leadership.Leadership;

/**
 * Runs a bean's method only on the leader of a role, and skips its calls in all other
 * instances. <pre class="code">
 * &#64;LeaderOnly("mailer")
 * &#64;Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
 * public void poll() { … }
 * </pre>
 * <p>
 * A skipped call returns {@code null}, or an empty optional, collection, map, stream,
 * array, publisher or {@code CompletableFuture}. Startup fails for a method whose result
 * cannot be empty, such as an {@code int}, and for an unknown role.
 * <p>
 * The instance checks whether it {@linkplain Leadership#isLeader() leads} before it
 * begins a transaction or acquires a lock. For a reactive method, the check takes place
 * at the call, not at each subscription. A call that has begun continues even if the
 * leadership is lost: let long work check {@link Leadership#isLeader()} again, or pass
 * {@link Leadership#term()} to what it changes.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * The role, which may contain placeholders <code>${…}</code>.
	 * @return the name of a role for which there is a {@link Leadership}
	 */
	String value();

}
