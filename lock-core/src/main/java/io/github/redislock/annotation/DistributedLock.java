package io.github.redislock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.LockContext;
import io.github.redislock.LockLostException;
import io.github.redislock.LockMode;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.OnLost;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method of a bean, or all public methods of one, under a lock that all instances
 * of an application share. <pre class="code">
 * &#64;DistributedLock(name = "payment", key = "#orderId", retry = 0)
 * public Receipt pay(String orderId) { … }
 *
 * &#64;DistributedLock(name = "daily-report", ifLocked = IfLocked.SKIP, atLeastFor = "1m")
 * &#64;Scheduled(cron = "0 0 3 * * *")
 * public void report() { … }
 *
 * &#64;DistributedLock(key = "#order.customer.id", waitTime = "5s", fallback = "later")
 * public Confirmation confirm(Order order) { … }
 *
 * private Confirmation later(Order order, LockNotAcquiredException busy) { … }
 *
 * &#64;DistributedLock(name = "stock", key = "#order.items.![articleId]")
 * public void reserve(Order order) { … }
 *
 * &#64;DistributedLock(name = "price-list", mode = LockMode.READ)
 * public Quote quote(Basket basket) { … }
 *
 * &#64;DistributedLock(name = "export", permits = "3", waitTime = "1m")
 * public File export(Query query) { … }
 * </pre>
 * <p>
 * The lock is taken before the method, its transaction and its cache, and released after
 * them. If the caller has a transaction already, it is released when that has ended.
 * Inside the method, {@link LockContext#current()} returns the lock's handle. The caller
 * gets a {@link LockNotAcquiredException} if another holder has the lock, a
 * {@link LockStoreException} if the store does not reply (the method did not run), and a
 * {@link LockLostException} if the lock was lost before the method ended (see
 * {@link #onLost}).
 * <p>
 * The lock is held until the work of the method ends, not only the method itself. For a
 * future, that is until the future has ended. For {@code Mono}, {@code Flux} and all
 * reactive types that Spring knows, it is until the subscription has ended; each
 * subscription calls the method under a separate lock. For a suspending Kotlin function,
 * it is until the function returns. None of these waits on the caller's thread. A method
 * with a future runs on a thread of the template (see
 * {@link io.github.redislock.engine.LockConfiguration#executor}), or on its worker if it
 * is {@code @Async}. Cancelling ends the wait, or the work.
 * <p>
 * It works on methods of classes and of interfaces, even if they are inherited or
 * overridden. Only calls that come through the bean are locked: a call from within the
 * same object bypasses the proxy. Startup fails for a method that cannot be locked, such
 * as a private, static or final one, one whose work cannot be followed, or one with an
 * unknown variable in an expression.
 * <p>
 * On a class it applies to all public methods that the class and its subclasses declare;
 * on an interface, to the methods that the interface declares. It does not apply to
 * methods inherited from a superclass without the annotation, to those of {@link Object},
 * or to callbacks of the container such as {@code afterPropertiesSet}, {@code isRunning},
 * {@code onApplicationEvent} or setters with {@code @Autowired}. With a {@link #name} all
 * of these methods share one lock, or one for each {@link #key} if there is a key.
 * Without a name each method has a separate lock, with its default name. An annotation on
 * a method replaces the one on its type as a whole. To leave a method out, make it
 * non-public.
 * <p>
 * May be used as a meta-annotation, with {@link AliasFor} for its attributes:
 * <pre class="code">
 * &#64;DistributedLock(name = "account", timeout = "10s")
 * &#64;Retention(RetentionPolicy.RUNTIME)
 * public @interface LockAccount {
 *
 *     &#64;AliasFor(annotation = DistributedLock.class, attribute = "key")
 *     String value();
 *
 * }
 * </pre>
 *
 * @see EnableDistributedLocks
 * @see LockOperations#execute
 */
@Target({ ElementType.METHOD, ElementType.TYPE })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLock {

	/**
	 * Alias for {@link #name}: {@code @DistributedLock("nightly")}.
	 * @return the name
	 */
	@AliasFor("name")
	String value() default "";

	/**
	 * The name of the lock: calls with equal names, on any methods, exclude one another.
	 * <p>
	 * Text, in which <code>#{…}</code> is a SpEL expression as for {@link #key} and
	 * <code>${…}</code> a property: {@code "nightly"}, {@code "order:#{#id}:pay"},
	 * {@code "${app.region}:stock"}. A {@code #} anywhere else is refused at start-up.
	 * <p>
	 * Default: the name of the bean's class with its package, a dot and the method's
	 * name, as in {@code com.acme.OrderService.pay}; metrics count it by
	 * {@code OrderService.pay}. Overloaded methods then share a lock, which is reported
	 * at startup: give each a name.
	 * <p>
	 * All applications on one Redis share the names of locks. Those that must not share
	 * their locks need different prefixes ({@code redis-lock.key-prefix}).
	 * @return the name
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * What is locked, as a SpEL expression over the arguments; appended to the name after
	 * a colon.
	 * <p>
	 * As in {@code @Cacheable}: {@code "#orderId"}, {@code "#order.customer.id"},
	 * {@code "#from + '-' + #to"}, {@code "#p0"} or {@code "#a0"} for the first argument,
	 * and {@code #root.method}, {@code #root.methodName}, {@code #root.args},
	 * {@code #root.target}, {@code #root.targetClass}. Names of parameters need code that
	 * is compiled with {@code -parameters}. Types, constructors, beans and assignments
	 * are refused at start-up; arguments are never read as expressions.
	 * <p>
	 * A {@code :} in the text of the key is written {@code %3A} and a {@code %} is
	 * written {@code %25}, so that no other name and key make the same lock. The text of
	 * expressions inside of {@link #name} is used as it is.
	 * {@link io.github.redislock.LockTarget#of(String, Object)} spells names in the same
	 * way.
	 * <p>
	 * It must yield one value with a text ({@code toString()}); or several values, as a
	 * collection, an array or a stream, such as {@code "#items.![id]"}. With several
	 * values the locks of all of them are taken, all or none, and their order does not
	 * matter. Each of these locks excludes calls that name it alone. See
	 * {@link io.github.redislock.LockTarget#allOf}.
	 * <p>
	 * If the expression fails, or yields {@code null}, blank text, no element, or an
	 * element that is not one value, the call ends with an
	 * {@link io.github.redislock.InvalidLockNameException} before the method runs. That
	 * consumes a stream, which the method can no longer read. Default: none, so that all
	 * calls have one lock. With {@link #mode READ} or {@link #permits} it must be one
	 * value: several locks cannot be shared.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * Who may hold the lock at the same time.
	 * <p>
	 * {@link LockMode#READ}: any number of calls, of any methods with this name and mode,
	 * run at the same time, while no call that writes does; each has its own lease.
	 * {@link LockMode#EXCLUSIVE}, the default, excludes these and one another. First
	 * come, first served: readers do not overtake a writer that waits. {@link #permits}
	 * alone make it {@link LockMode#PERMIT}.
	 * <p>
	 * A writer may call a method that reads, and keeps the lock. A reader cannot get the
	 * lock for writing as well: a blocking call ends with an
	 * {@link IllegalStateException}, since it would wait for itself. See
	 * {@link io.github.redislock.LockTarget#forReading}. A quorum keeps no shared locks:
	 * startup fails there.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many calls, of all instances together, may hold the lock at the same time.
	 * <p>
	 * {@code permits = "3"} lets three calls with this name, and {@link #key} if there is
	 * one, run at the same time. The next call waits for its turn as for any lock. The
	 * permit of an instance that died comes back when its lease has run out. Methods of
	 * one name may have different numbers: a call is admitted while fewer permits are in
	 * use than its own number. A method without permits excludes them all.
	 * <p>
	 * With {@link #atLeastFor} it is a limit to the rate: {@code permits = "10",
	 * atLeastFor = "1s"} begins at most ten calls in any second. Not together with
	 * {@link LockMode#READ}, and not on a quorum. See
	 * {@link io.github.redislock.LockTarget#permits}.
	 * <p>
	 * A number of at least 1, or a property such as <code>"${app.exports:3}"</code>,
	 * which is read once. Startup fails for any other text. For a number that changes
	 * while the application runs, use {@link LockOperations#execute} with
	 * {@code LockTarget.permits}. Default: none, so that one call has the lock alone.
	 * @return the number
	 */
	String permits() default "";

	/**
	 * The lease: after its holder died, the lock frees itself when this time and a grace
	 * period are over.
	 * <p>
	 * Not a limit for the method: while it runs, the lease is renewed (see
	 * {@link #autoRenew}). A duration such as {@code "30s"}, {@code "500ms"},
	 * {@code "PT5M"} or <code>"${app.lock-timeout}"</code>, at least 10 ms. Default: that
	 * of the template ({@code redis-lock.timeout}, 30 s).
	 * @return the duration
	 */
	String timeout() default "";

	/**
	 * How long to wait for a lock that is not free, in multiples of {@link #retryDelay}.
	 * <p>
	 * {@code 0} asks once and does not wait. {@link #waitTime} says the same more
	 * clearly, and takes precedence; a default waiting time
	 * ({@code redis-lock.wait-time}) does not. Default: that of the template
	 * ({@code redis-lock.retry}, 3); 0 with {@link IfLocked#SKIP}.
	 * @return the number, or -1 for the default
	 */
	int retry() default -1;

	/**
	 * The pause between two requests where callers poll the store: after an error, or if
	 * the release of the lock is not announced (see {@link LockOptions#retryDelay}).
	 * <p>
	 * Otherwise the lock is handed over to the next waiter. A duration such as
	 * {@code "100ms"}, at least 1 ms. Default: that of the template
	 * ({@code redis-lock.retry-delay}, 100 ms).
	 * @return the duration
	 */
	String retryDelay() default "";

	/**
	 * How long to wait for the lock in all, in the order of arrival (not on a quorum).
	 * <p>
	 * A duration such as {@code "5s"}; {@code "0s"} does not wait, {@code "forever"}
	 * waits until the lock is held, however long that takes. Default: that of the
	 * template ({@code redis-lock.wait-time}), and {@link #retry} × {@link #retryDelay}
	 * if that is not set either; with {@link IfLocked#SKIP}, not to wait.
	 * @return the duration
	 */
	String waitTime() default "";

	/**
	 * Whether the lease is renewed while the method runs.
	 * <p>
	 * With {@code autoRenew = false} the lock is lost after {@link #timeout}, even if the
	 * method still runs; the method then ends with a {@link LockLostException}. It is an
	 * array only so that it can be left out: the last element counts, and Kotlin writes
	 * {@code [false]}. Default: that of the template, which renews unless its own options
	 * say {@link LockOptions#autoRenew autoRenew(false)}.
	 * @return whether to renew
	 */
	boolean[] autoRenew() default {};

	/**
	 * How long the lock may be held by renewing it: a method that hangs must not keep it
	 * forever.
	 * <p>
	 * A duration such as {@code "10m"}; after it the lock is lost, see {@link #onLost}.
	 * Default: that of the template ({@code redis-lock.max-hold}, without end).
	 * @return the duration
	 */
	String maxHold() default "";

	/**
	 * What happens to the method when its lock is lost while it runs.
	 * <p>
	 * {@link OnLost#THROW}: when the method has ended, it throws a
	 * {@link LockLostException}. {@link OnLost#INTERRUPT} interrupts the method's thread
	 * at once, or cancels the future or subscription. {@link OnLost#IGNORE} returns what
	 * the method returns. An array, as {@link #autoRenew} is. Default: that of the
	 * template, which throws unless its own options say otherwise.
	 * @return throw, interrupt or ignore
	 */
	OnLost[] onLost() default {};

	/**
	 * What to do when another holder has the lock for the whole waiting time.
	 * <p>
	 * Never applies to a store that does not reply, nor to another lock that the method
	 * itself fails to get.
	 * @return throw, or skip the call
	 * @see #fallback()
	 */
	IfLocked ifLocked() default IfLocked.THROW;

	/**
	 * The method to call instead when another holder has the lock for the whole waiting
	 * time.
	 * <p>
	 * A method of the same class with the same parameters, and optionally a last one of
	 * type {@link LockNotAcquiredException}: {@code "later"} for
	 * {@code private Receipt later(Order order, LockNotAcquiredException busy)}. Its name
	 * is taken literally: <code>${…}</code> is not resolved. It may be private, returns
	 * what the method returns, and runs without the lock, the transaction and other
	 * advice. Excludes {@link IfLocked#SKIP}. Default: none.
	 * @return the method's name
	 */
	String fallback() default "";

	/**
	 * Keep the lock closed at least that long, counted from its grant, even when the
	 * method has ended.
	 * <p>
	 * For jobs that take less time than the clocks of the instances differ and, with
	 * {@link #permits}, to limit a rate. A duration such as {@code "1m"}. Default: zero.
	 * @return the duration
	 */
	String atLeastFor() default "";

	/**
	 * The bean that takes the lock, for an application with locks on more than one Redis.
	 * <p>
	 * The name of a bean of type {@link LockOperations}, in which <code>${…}</code> is a
	 * property. Startup fails if the bean is missing. Default: the one such bean, or the
	 * {@code @Primary} one.
	 * @return the bean's name
	 */
	String template() default "";

}
