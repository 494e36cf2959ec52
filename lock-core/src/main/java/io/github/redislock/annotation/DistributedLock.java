package io.github.redislock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.LockContext;
import io.github.redislock.LockFence;
import io.github.redislock.LockLostException;
import io.github.redislock.LockMode;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockStoreException;
import io.github.redislock.OnLost;

import org.springframework.core.annotation.AliasFor;

/**
 * Runs a bean's method, or all public methods of a bean, under a lock that all instances
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
 * By default, the lock is acquired before the method, its transaction and its cache, and
 * released after them. If the caller of a blocking method already has a transaction, the
 * lock is released when that transaction has ended. Inside the method,
 * {@link LockContext#current()} returns the lock's handle. The caller gets a
 * {@link LockNotAcquiredException} if another holder has the lock for the whole waiting
 * time, a {@link LockStoreException} if the store does not reply (the method did not
 * run), and a {@link LockLostException} if the lock was lost before the method ended (see
 * {@link #onLost}).
 * <p>
 * The lock is held until the method's work has ended. If the method returns a future,
 * that is when the future completes. For {@code Mono}, {@code Flux} and all reactive
 * types that Spring knows, it is held until the subscription ends; each subscription
 * calls the method and acquires the lock separately. For a suspending Kotlin function, it
 * is held until the function completes. None of these blocks the caller's thread. A
 * method that returns a future runs on a thread of the template (see
 * {@link io.github.redislock.LockConfiguration#executor}), or on its worker thread if it
 * is {@code @Async}. Unless the method is {@code @Async}, cancelling the future or the
 * subscription ends the wait or the work.
 * <p>
 * The annotation works on methods of classes and interfaces, even if they are inherited
 * or overridden, or if only a proxy has them, as in Spring Data repositories. Only calls
 * that come through the bean's proxy are locked: a call from within the same object
 * bypasses it, which causes a warning at startup in most cases. Startup, or the creation
 * of a lazy bean, fails if a method cannot be locked, for example because it is private
 * or static, because a lock cannot follow its work, or because an expression uses an
 * unknown variable.
 * <p>
 * On a class, the annotation applies to all public methods that the class and its
 * subclasses declare; on an interface, to the methods that the interface declares. It
 * does not apply to methods inherited from a superclass without the annotation, to those
 * of {@link Object}, or to container callbacks such as {@code afterPropertiesSet},
 * {@code isRunning}, {@code onApplicationEvent} or setters with {@code @Autowired}. With
 * a {@link #name}, all methods to which the annotation applies share one lock, or one for
 * each {@link #key} if there is a key. Without a name, methods with different names have
 * separate locks. An annotation on a method completely replaces the one on its type. To
 * exclude a method, make it non-public.
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
	 * The name of the lock. Calls with the same name, and the same {@link #key} if there
	 * is one, use the same lock, even if they call different methods.
	 * <p>
	 * The text may contain SpEL expressions in <code>#{…}</code>, as for {@link #key},
	 * and properties in <code>${…}</code>: {@code "nightly"}, {@code "order:#{#id}:pay"},
	 * {@code "${app.region}:stock"}. Startup fails if there is a {@code #} anywhere else.
	 * <p>
	 * Default: the name of the bean's class with its package, a dot and the method's
	 * name, as in {@code com.acme.OrderService.pay}; metrics use
	 * {@code OrderService.pay}. Overloaded methods share this default, and with it a
	 * lock, which causes a warning at startup: give each a name.
	 * <p>
	 * Applications on the same Redis share all lock names, unless they have different
	 * prefixes ({@code redis-lock.key-prefix}).
	 * @return the name
	 */
	@AliasFor("value")
	String name() default "";

	/**
	 * What is locked, as a SpEL expression over the arguments. Its value is appended to
	 * the name after a colon.
	 * <p>
	 * The syntax is that of {@code @Cacheable}: {@code "#orderId"},
	 * {@code "#order.customer.id"}, {@code "#from + '-' + #to"}, {@code "#p0"} or
	 * {@code "#a0"} for the first argument, and {@code #root.method},
	 * {@code #root.methodName}, {@code #root.args}, {@code #root.target},
	 * {@code #root.targetClass}. In Java, parameter names are known only if the code is
	 * compiled with {@code -parameters}. Types, constructors, beans and assignments are
	 * refused at startup. Arguments are never evaluated as expressions.
	 * <p>
	 * In the text of the key, {@code :} becomes {@code %3A} and {@code %} becomes
	 * {@code %25}, so that two different pairs of name and key never yield the same lock.
	 * Values of expressions in the {@link #name} are used unchanged.
	 * <p>
	 * The expression must yield one value, or several values in a collection, an array or
	 * a stream, as in {@code "#items.![id]"}. For several values, the call acquires the
	 * locks of all of them or none, and their order does not matter. Each of these locks
	 * also excludes calls with only that value. See
	 * {@link io.github.redislock.LockTarget#allOf}.
	 * {@link io.github.redislock.LockTarget#of(String, Object)} says which values can be
	 * keys, and takes the same. This also applies to expressions in the {@link #name},
	 * and to the operands of {@code +}, except that {@code null} becomes the text
	 * {@code null} there.
	 * <p>
	 * If the expression fails, or yields {@code null}, blank text, no element, or a value
	 * that cannot name a lock, the call fails with an
	 * {@link io.github.redislock.InvalidLockNameException} before the method runs. If the
	 * value is a stream, the lock consumes it, so the method can no longer read it.
	 * Default: no key. With {@link #mode READ} or {@link #permits} the key must be one
	 * value, because several locks cannot be shared.
	 * @return the expression
	 */
	String key() default "";

	/**
	 * Who may hold the lock at the same time.
	 * <p>
	 * With {@link LockMode#READ}, any number of calls of methods with this name and mode
	 * run at the same time, while no call writes. Each call has its own lease.
	 * {@link LockMode#EXCLUSIVE}, the default, excludes readers and other writers.
	 * Readers do not overtake a waiting writer.
	 * <p>
	 * A writer may call a method that reads, and still holds the lock for writing. A
	 * reader cannot get the lock for writing as well: a blocking attempt fails with an
	 * {@link IllegalStateException}, because the caller would wait for itself. See
	 * {@link io.github.redislock.LockTarget#forReading}. A quorum does not support shared
	 * locks.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many calls, of all instances together, may hold the lock at the same time.
	 * <p>
	 * {@code permits = "3"} lets three calls with this name, and {@link #key} if there is
	 * one, run at the same time. The next call waits for its turn as for any lock. The
	 * permit of an instance that died is available again when its lease and the grace
	 * period are over. Methods with the same lock name may declare different numbers,
	 * which causes a warning. A call is admitted if the lock has fewer holders than its
	 * own method declares. An exclusive method with the same lock excludes all calls with
	 * permits.
	 * <p>
	 * With {@link #atLeastFor}, permits limit a rate: {@code permits = "10", atLeastFor =
	 * "1s"} admits at most ten calls in any second. Permits are not supported with
	 * {@link LockMode#READ} or on a quorum. See
	 * {@link io.github.redislock.LockTarget#permits}.
	 * <p>
	 * A number of at least 1, or a property such as <code>"${app.exports:3}"</code>,
	 * which is read once. Empty text means no permits; startup fails for any other text.
	 * For a number that changes while the application runs, use
	 * {@link LockOperations#execute} with {@code LockTarget.permits}. Default: none.
	 * @return the number
	 */
	String permits() default "";

	/**
	 * The lease: if the holder dies, the lock becomes free when this time and a grace
	 * period are over.
	 * <p>
	 * By default, the lease does not limit the method, because it is renewed while the
	 * method runs (see {@link #autoRenew}). A duration such as {@code "30s"},
	 * {@code "500ms"}, {@code "PT5M"} or <code>"${app.lock-timeout}"</code>, at least 10
	 * ms and at most 3650 days. Default: the template's lease
	 * ({@code redis-lock.timeout}, 30 s).
	 * @return the duration
	 */
	String timeout() default "";

	/**
	 * How long to wait for a lock that is not free, in multiples of {@link #retryDelay}.
	 * <p>
	 * With {@code 0}, the call asks once and does not wait. {@link #waitTime} is clearer
	 * and takes precedence; a default waiting time ({@code redis-lock.wait-time}) does
	 * not. Default: the template's number ({@code redis-lock.retry}, 3); 0 with
	 * {@link IfLocked#SKIP}.
	 * @return the number, or -1 for the default
	 */
	int retry() default -1;

	/**
	 * The pause between two requests of a caller that polls the store: after an error, or
	 * if the release of the lock is not announced (see {@link LockOptions#retryDelay}).
	 * <p>
	 * Otherwise the lock is handed over to the next waiter without polling. A duration
	 * such as {@code "100ms"}, at least 1 ms. Default: the template's pause
	 * ({@code redis-lock.retry-delay}, 100 ms).
	 * @return the duration
	 */
	String retryDelay() default "";

	/**
	 * The total time to wait for the lock. Callers wait in the order of arrival, except
	 * on a quorum.
	 * <p>
	 * A duration such as {@code "5s"}. With {@code "0s"} the call does not wait; with
	 * {@code "forever"} it waits until it holds the lock. If only {@link #retry} is set,
	 * the time is {@code retry × retryDelay}. Default: the template's waiting time
	 * ({@code redis-lock.wait-time}) or, if it has none, its {@code retry × retryDelay};
	 * zero with {@link IfLocked#SKIP}.
	 * @return the duration
	 */
	String waitTime() default "";

	/**
	 * How many calls of this instance may wait for the lock at the same time. The next
	 * call is refused at once: see {@link LockOptions#maxWaiters}.
	 * <p>
	 * With {@code 0}, no call waits. Default: the template's number
	 * ({@code redis-lock.max-waiters}, 10000).
	 * @return the number, or -1 for the default
	 */
	int maxWaiters() default -1;

	/**
	 * Whether the lease is renewed while the method runs.
	 * <p>
	 * With {@code autoRenew = false} the lock is lost after {@link #timeout}, even if the
	 * method still runs; the method then ends with a {@link LockLostException} by
	 * default. This attribute is an array only so that it can be left out; the last
	 * element counts. In Kotlin, write {@code [false]}. Default: the template's setting,
	 * which is to renew unless its own options say {@link LockOptions#autoRenew
	 * autoRenew(false)}.
	 * @return whether to renew
	 */
	boolean[] autoRenew() default {};

	/**
	 * How long renewals may keep the lock, so that a method that hangs does not keep it
	 * forever.
	 * <p>
	 * A duration such as {@code "10m"}, after which the lock is lost (see
	 * {@link #onLost}). A longer {@link #timeout} is shortened to it. Default: the
	 * template's limit ({@code redis-lock.max-hold}, unlimited).
	 * @return the duration
	 */
	String maxHold() default "";

	/**
	 * What happens to the method when its lock is lost while it runs.
	 * <p>
	 * {@link OnLost#THROW} throws a {@link LockLostException} when the method has ended.
	 * {@link OnLost#INTERRUPT} interrupts the method's thread at once, or cancels the
	 * future or subscription. {@link OnLost#IGNORE} returns what the method returns. This
	 * attribute is an array for the same reason as {@link #autoRenew}. Default: the
	 * template's setting, which is to throw unless its own options say otherwise.
	 * @return throw, interrupt or ignore
	 */
	OnLost[] onLost() default {};

	/**
	 * What to do when the lock is refused, for example because another holder has it for
	 * the whole waiting time.
	 * <p>
	 * Does not apply if the store does not reply, or if the method itself fails to get
	 * another lock.
	 * @return throw, or skip the call
	 * @see #fallback()
	 */
	IfLocked ifLocked() default IfLocked.THROW;

	/**
	 * The method to call instead when the lock is refused.
	 * <p>
	 * A method of the same class with the same parameters, and optionally an additional
	 * last parameter of type {@link LockNotAcquiredException}: {@code "later"} for
	 * {@code private Receipt later(Order order, LockNotAcquiredException busy)}. The name
	 * may not contain placeholders <code>${…}</code>. The fallback may be private, must
	 * return what the method returns, and runs without the lock and the advice inside it,
	 * such as the transaction. Cannot be combined with {@link IfLocked#SKIP}. Default:
	 * none.
	 * @return the method's name
	 */
	String fallback() default "";

	/**
	 * The minimum time for which the lock stays locked, counted from its grant, even if
	 * the method ends earlier.
	 * <p>
	 * Use it for jobs that may take less time than the difference between the instances'
	 * clocks or, with {@link #permits}, to limit a rate. A duration such as {@code "1m"}.
	 * Default: zero.
	 * @return the duration
	 */
	String atLeastFor() default "";

	/**
	 * The fence that refuses the method's transaction if a later holder of the lock has
	 * already written.
	 * <p>
	 * The name of a bean of type {@link LockFence}, which may contain properties in
	 * <code>${…}</code>. Startup fails if the bean or its table is missing, if the method
	 * returns a future or a reactive type (unless it is {@code @Async}) or suspends, or
	 * if its lock is shared. See {@link LockOptions#fence}. Default: none.
	 * @return the bean's name
	 */
	String fence() default "";

	/**
	 * The bean that acquires the lock, for an application with locks on more than one
	 * Redis.
	 * <p>
	 * The name of a bean of type {@link LockOperations}, which may contain properties in
	 * <code>${…}</code>. Startup fails if the bean is missing. Default: the only such
	 * bean, or the {@code @Primary} one.
	 * @return the bean's name
	 */
	String template() default "";

}
