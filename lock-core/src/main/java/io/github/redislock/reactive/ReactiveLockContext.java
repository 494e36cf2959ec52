package io.github.redislock.reactive;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.LockContext;
import io.github.redislock.LockedSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

import org.springframework.util.ClassUtils;

/**
 * The lock under which reactive work runs. <pre class="code">
 * &#64;DistributedLock(name = "ledger", key = "#account")
 * public Mono&lt;Entry&gt; book(String account, Entry entry) {
 *     return ReactiveLockContext.current().flatMap((lock) -&gt; this.ledger.append(entry, lock.fencingToken()));
 * }
 * </pre>
 *
 * @see LockContext
 */
public final class ReactiveLockContext {

	private static final boolean PROPAGATION_PRESENT = ClassUtils
		.isPresent("io.micrometer.context.ContextSnapshotFactory", ReactiveLockContext.class.getClassLoader());

	private final AsyncLockHandle lock;

	private final @Nullable ReactiveLockContext outer;

	private ReactiveLockContext(AsyncLockHandle lock, @Nullable ReactiveLockContext outer) {
		this.lock = lock;
		this.outer = outer;
	}

	/**
	 * Return the innermost lock under which the subscriber's work runs.
	 * @return the handle of the lock; fails with an {@link IllegalStateException} if
	 * there is no lock
	 */
	public static Mono<ReactiveLockHandle> current() {
		return Mono.deferContextual((context) -> {
			ReactiveLockContext present = find(context);
			if (present == null) {
				return Mono.error(new IllegalStateException("No lock is held for this reactive work: run it through"
						+ " ReactiveLockOperations.execute, or call the annotated method through its Spring bean,"
						+ " and do not subscribe to parts of it on their own"));
			}
			return Mono.just(new ReactiveLockHandle(present.lock));
		});
	}

	/**
	 * Return a copy of a context that has one more lock.
	 */
	static Context with(ContextView context, AsyncLockHandle lock) {
		return Context.of(context).put(ReactiveLockContext.class, new ReactiveLockContext(lock, find(context)));
	}

	/**
	 * Run a piece of code under a subscriber's locks and with its context.
	 */
	static <T> T call(ContextView context, LockedSupplier<T, RuntimeException> part) {
		ReactiveLockContext present = find(context);
		LockedSupplier<T, RuntimeException> locked = () -> (present != null) ? present.call(part) : part.get();
		return (PROPAGATION_PRESENT && !context.isEmpty()) ? CallersContext.call(context, locked) : locked.get();
	}

	private <T> T call(LockedSupplier<T, RuntimeException> part) {
		ReactiveLockContext around = this.outer;
		return (around != null) ? around.call(() -> this.lock.call(part)) : this.lock.call(part);
	}

	private static @Nullable ReactiveLockContext find(ContextView context) {
		return context.getOrDefault(ReactiveLockContext.class, null);
	}

}
