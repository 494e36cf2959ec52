package io.github.redislock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.leadership.Leadership;

/**
 * Runs a method of a bean on the leader of a role only, and skips its calls in all other
 * instances. <pre class="code">
 * &#64;LeaderOnly("mailer")
 * &#64;Scheduled(fixedDelay = 5, timeUnit = TimeUnit.SECONDS)
 * public void poll() { … }
 * </pre>
 * <p>
 * A skipped call returns {@code null}, or an empty optional, collection, map, stream,
 * array, publisher or {@code CompletableFuture}. A method that returns something else,
 * such as an {@code int}, is refused at startup, and so is an unknown role.
 * <p>
 * The check whether the instance {@linkplain Leadership#isLeader() leads} comes before
 * all other advice, such as a transaction or a lock; for a reactive method it is made at
 * the call, not at each subscription. A call that has begun goes on even if the
 * leadership is lost: let long work check {@link Leadership#isLeader()} again, or pass
 * {@link Leadership#term()} to what it changes.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface LeaderOnly {

	/**
	 * The role, which may have placeholders <code>${…}</code>.
	 * @return the name of a role for which there is a {@link Leadership}
	 */
	String value();

}
