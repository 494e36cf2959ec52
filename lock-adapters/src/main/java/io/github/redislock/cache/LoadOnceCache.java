package io.github.redislock.cache;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redislock.LockInterruptedException;
import io.github.redislock.cache.LoadOnceCacheManager.Turn;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleValueWrapper;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.dao.DataAccessException;

/**
 * A cache that normally lets one caller at a time load the value of a key.
 * <p>
 * Extends Spring's decorator, because Spring Boot finds the meters of a cache behind it.
 * Unlike that decorator, this cache passes writes on at once: whether they wait for a
 * transaction is up to the cache behind it. Thread-safe.
 */
final class LoadOnceCache extends TransactionAwareCacheDecorator {

	private final LoadOnceCacheManager manager;

	LoadOnceCache(Cache cache, LoadOnceCacheManager manager) {
		super(cache);
		this.manager = manager;
	}

	/**
	 * Return whether a cache is of this type, or decorates one that is. With a second
	 * decorator of this type, a caller would wait for its own lock.
	 */
	static boolean isIn(Cache cache) {
		return cache instanceof LoadOnceCache
				|| (cache instanceof TransactionAwareCacheDecorator decorator && isIn(decorator.getTargetCache()));
	}

	@Override
	public <T> @Nullable T get(Object key, Callable<T> loader) {
		try {
			ValueWrapper hit = get(key);
			return (hit != null) ? value(hit) : load(key(key), loader);
		}
		catch (DataAccessException ex) {
			// The cache threw this exception: one from the loader would be wrapped.
			return this.manager.withoutCache(key(key), ex).get(key, loader);
		}
	}

	@Override
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
		return find(key).handle((hit, failure) -> {
			if (failure != null) {
				return (failure.getCause() instanceof DataAccessException)
						? this.manager.withoutCache(key(key), failure).retrieve(key, loader)
						: CompletableFuture.<T>failedFuture(failure);
			}
			return (hit != null) ? CompletableFuture.completedFuture(LoadOnceCache.<T>value(hit))
					: load(key(key), loader);
		}).thenCompose(Function.identity());
	}

	private <T> @Nullable T load(CacheKey key, Callable<T> loader) {
		Turn turn = await(key);
		try {
			ValueWrapper known = this.manager.resolve(key, turn, get(key.key()));
			if (known != null) {
				return value(known);
			}
			// Do not call put(…), because it may return before the value is stored.
			T value = super.get(key.key(), loader);
			this.manager.remember(key, value);
			return value;
		}
		finally {
			turn.release();
		}
	}

	private <T> CompletableFuture<T> load(CacheKey key, Supplier<CompletableFuture<T>> loader) {
		return this.manager.turn(key, this.manager.locks().async())
			.thenCompose((turn) -> find(key.key()).thenCompose((again) -> {
				ValueWrapper known = this.manager.resolve(key, turn, again);
				if (known != null) {
					return CompletableFuture.completedFuture(LoadOnceCache.<T>value(known));
				}
				return super.retrieve(key.key(), loader).thenApply((value) -> {
					this.manager.remember(key, value);
					return value;
				});
			}).whenComplete((value, failure) -> turn.release()));
	}

	private Turn await(CacheKey key) {
		// No other thread is needed, because only the caller's thread has to be woken.
		CompletableFuture<Turn> turn = this.manager.turn(key, this.manager.locks().async(Runnable::run));
		try {
			return turn.get();
		}
		catch (InterruptedException | ExecutionException ex) {
			// This is an interrupt, because the future does not fail.
			turn.thenAccept(Turn::release);
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(key.lock());
		}
	}

	private CompletableFuture<@Nullable ValueWrapper> find(Object key) {
		CompletableFuture<?> found = retrieve(key);
		return ((found != null) ? found : CompletableFuture.completedFuture(null))
			.thenApply((value) -> (value == null || value instanceof ValueWrapper) ? (ValueWrapper) value
					: new SimpleValueWrapper(value));
	}

	@Override
	public void put(Object key, @Nullable Object value) {
		this.manager.forget(key(key));
		getTargetCache().put(key, value);
	}

	@Override
	public void evict(Object key) {
		this.manager.forget(key(key));
		getTargetCache().evict(key);
	}

	@Override
	public boolean evictIfPresent(Object key) {
		this.manager.forget(key(key));
		return super.evictIfPresent(key);
	}

	@Override
	public void clear() {
		this.manager.forgetAll();
		getTargetCache().clear();
	}

	@Override
	public boolean invalidate() {
		this.manager.forgetAll();
		return super.invalidate();
	}

	private CacheKey key(Object key) {
		return new CacheKey(getName(), key);
	}

	@SuppressWarnings("unchecked")
	private static <T> @Nullable T value(ValueWrapper wrapper) {
		return (T) wrapper.get();
	}

}
