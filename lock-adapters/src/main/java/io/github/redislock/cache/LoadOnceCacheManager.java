package io.github.redislock.cache;

import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockShutdownException;
import io.github.redislock.LockTarget;
import io.github.redislock.cache.LoadOnceListener.Outcome;
import io.github.redislock.cache.LoadOnceOptions.OnBusy;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.Cache.ValueWrapper;
import org.springframework.cache.CacheManager;
import org.springframework.cache.support.NoOpCache;
import org.springframework.cache.support.SimpleValueWrapper;
import org.springframework.util.ConcurrentLruCache;

/**
 * Caches in which one caller loads a value while the others wait for it up to a limit, in
 * all instances of the application.
 * <p>
 * A hit takes no lock. A miss with a loader
 * ({@link Cache#get(Object, java.util.concurrent.Callable)},
 * {@link Cache#retrieve(Object, Supplier)}, and so {@code @Cacheable(sync = true)})
 * acquires the lock {@code cache:NAME:KEY}, looks again, loads, stores and releases. The
 * lock does not belong to the caller's transaction. If the loader fails, its caller gets
 * the exception, and the next caller loads. If the loader's process dies, the next caller
 * loads when the lock has expired. If Redis does not reply, callers load without a lock,
 * and without the cache if that fails too. A loaded value is returned even if it cannot
 * be stored.
 * <p>
 * One load serves all instances only if they share the cache. If each process has its own
 * cache, the loads of a value run one after the other. An eviction does not wait for a
 * load, which may then store a value that is older than the eviction. Thread-safe.
 */
public final class LoadOnceCacheManager implements CacheManager {

	private static final Log logger = LogFactory.getLog(LoadOnceCacheManager.class);

	/** The least recently used values beyond this number are forgotten. */
	private static final int MOST_OLD_VALUES = 10_000;

	private final CacheManager caches;

	private final Supplier<LockOperations> locks;

	private final LoadOnceOptions options;

	private final LoadOnceListener listener;

	/** Whether an outage of Redis has been logged and has not ended since then. */
	private final AtomicBoolean outage = new AtomicBoolean();

	private final ConcurrentLruCache<CacheKey, AtomicReference<@Nullable OldValue>> oldValues;

	/**
	 * Create a manager around another one.
	 * @param caches provides the caches
	 * @param locks provides the locks, at each miss
	 * @param options which caches load each value once, and how their callers wait
	 * @param listener learns how each miss ends
	 */
	public LoadOnceCacheManager(CacheManager caches, Supplier<LockOperations> locks, LoadOnceOptions options,
			LoadOnceListener listener) {
		this.caches = caches;
		this.locks = locks;
		this.options = options;
		this.listener = listener;
		this.oldValues = new ConcurrentLruCache<>(options.staleFor().isZero() ? 0 : MOST_OLD_VALUES,
				(key) -> new AtomicReference<>());
	}

	/**
	 * Return a cache. This is the other manager's cache itself if it stores nothing,
	 * already loads each value once, or is not accepted by the options.
	 * @throws IllegalArgumentException if the cache is to load each value once, but no
	 * lock can have its name, for example because it is too long
	 */
	@Override
	public @Nullable Cache getCache(String name) {
		Cache cache = this.caches.getCache(name);
		if (cache == null || cache instanceof NoOpCache || LoadOnceCache.isIn(cache)
				|| !this.options.caches().test(name)) {
			return cache;
		}
		return new LoadOnceCache(cache, this);
	}

	@Override
	public Collection<String> getCacheNames() {
		return this.caches.getCacheNames();
	}

	/**
	 * Wait for the lock of a value, or for the reason to go on without it.
	 * @param caller ends the wait if it completes
	 * @return a future that does not fail
	 */
	CompletableFuture<Turn> turn(CacheKey key, Function<LockOperations, AsyncLockOperations> api,
			CompletableFuture<?> caller) {
		LockTarget lock = key.lock();
		AsyncLockOperations async = api.apply(this.locks.get());
		// An attempt that does not wait is not repeated if Redis is down.
		return async.tryAcquire(lock, this.options.lock(Duration.ZERO)).thenCompose((free) -> {
			CompletableFuture<AsyncLockHandle> granted = (free != null) ? CompletableFuture.completedFuture(free)
					: async.acquire(lock, this.options.lock(this.options.waitTime()));
			caller.whenComplete((value, failure) -> granted.cancel(false));
			return granted;
		}).handle((granted, failure) -> {
			Throwable refusal = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (refusal == null || refusal instanceof LockNotAcquiredException) {
				this.outage.set(false);
			}
			else if (!(refusal instanceof LockShutdownException || caller.isDone())) {
				logOutage(refusal);
			}
			return new Turn(granted, refusal);
		});
	}

	/**
	 * Decide how a miss ends, and report it.
	 * @param again what the caller has found in the cache since its turn
	 * @return the value for the caller, or {@code null} if the caller is to load it
	 */
	@Nullable ValueWrapper resolve(CacheKey key, Turn turn, @Nullable ValueWrapper again) {
		Outcome outcome = (turn.lock() != null) ? Outcome.LOADED : Outcome.UNLOCKED;
		ValueWrapper known = again;
		if (again != null) {
			outcome = Outcome.WAITED;
			remember(key, again.get());
		}
		else if (turn.refusal() instanceof LockNotAcquiredException busy) {
			known = recall(key);
			if (known != null) {
				outcome = Outcome.STALE;
			}
			else if (this.options.onBusy() == OnBusy.FAIL) {
				throw busy;
			}
		}
		this.listener.missed(key.lock(), outcome);
		return known;
	}

	/**
	 * Report that the cache failed, and return one that only loads.
	 * @param loaded complete if the cache failed after the load
	 */
	Cache withoutCache(CacheKey key, Throwable failure, CompletableFuture<?> loaded) {
		logOutage(failure);
		loaded.thenAccept((value) -> remember(key, value));
		if (!loaded.isDone()) {
			this.listener.missed(key.lock(), Outcome.UNLOCKED);
		}
		return new NoOpCache(key.cache());
	}

	private void logOutage(Throwable failure) {
		if (this.outage.compareAndSet(false, true)) {
			logger.warn("Requests for locks or cached values have failed: values are loaded without locks", failure);
		}
	}

	/**
	 * Remember the last value that this instance saw after a miss.
	 */
	void remember(CacheKey key, @Nullable Object value) {
		this.oldValues.get(key).set(new OldValue(new SimpleValueWrapper(value), System.nanoTime()));
	}

	private @Nullable ValueWrapper recall(CacheKey key) {
		OldValue old = this.oldValues.get(key).get();
		return (old != null && System.nanoTime() - old.since() < this.options.staleFor().toNanos()) ? old.value()
				: null;
	}

	void forget(CacheKey key) {
		this.oldValues.remove(key);
	}

	void forgetAll() {
		this.oldValues.clear();
	}

	/**
	 * The end of a wait.
	 *
	 * @param lock the lock, if it was granted
	 * @param refusal the reason, if it was not
	 */
	record Turn(@Nullable AsyncLockHandle lock, @Nullable Throwable refusal) {

		void release() {
			if (this.lock != null) {
				this.lock.release();
			}
		}

	}

	/**
	 * A value, and when this instance saw it, in nanoseconds.
	 */
	private record OldValue(ValueWrapper value, long since) {
	}

}
