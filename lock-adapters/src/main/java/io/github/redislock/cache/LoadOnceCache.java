package io.github.redislock.cache;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

import io.github.redislock.LockInterruptedException;
import io.github.redislock.LockOperations;
import io.github.redislock.cache.LoadOnceCacheManager.Turn;
import org.jspecify.annotations.Nullable;

import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleValueWrapper;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.dao.DataAccessException;
import org.springframework.util.Assert;

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
		// Fails here, and not at each miss, if no lock can have the name of the cache.
		new CacheKey(cache.getName(), Integer.MIN_VALUE).lock();
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
		CacheKey id = key(key);
		CompletableFuture<T> loaded = new CompletableFuture<>();
		try {
			ValueWrapper hit = get(key);
			return (hit != null) ? value(hit) : load(id, () -> {
				loaded.complete(loader.call());
				return loaded.join();
			});
		}
		catch (DataAccessException ex) {
			// The cache threw this exception: one from the loader would be wrapped.
			return this.manager.withoutCache(id, ex, loaded).get(key, loaded.isDone() ? loaded::join : loader);
		}
	}

	@Override
	public <T> CompletableFuture<T> retrieve(Object key, Supplier<CompletableFuture<T>> loader) {
		CacheKey id = key(key);
		// A failure of the loader is not one of the cache, even if it has the same type.
		AtomicReference<CompletableFuture<T>> load = new AtomicReference<>(new CompletableFuture<>());
		CompletableFuture<Supplier<CompletableFuture<T>>> loading = CompletableFuture.completedFuture(loader);
		return find(key)
			.thenCompose((hit) -> (hit != null) ? CompletableFuture.completedFuture(LoadOnceCache.<T>value(hit))
					: load(id, () -> load.updateAndGet((none) -> loading.thenCompose(Supplier::get))))
			.exceptionallyCompose((failure) -> (load.get().isCompletedExceptionally()
					|| !(failure.getCause() instanceof DataAccessException)) ? CompletableFuture.failedFuture(failure)
							: this.manager.withoutCache(id, failure, load.get())
								.retrieve(key, load.get().isDone() ? load::get : loader));
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
		CompletableFuture<Turn> turn = this.manager.turn(key, LockOperations::async, new CompletableFuture<>());
		return turn.thenCompose((end) -> find(key.key()))
			.thenCombine(turn, (again, end) -> this.manager.resolve(key, end, again))
			.thenCompose((known) -> (known != null) ? CompletableFuture.completedFuture(LoadOnceCache.<T>value(known))
					: super.retrieve(key.key(), loader).thenApply((value) -> {
						this.manager.remember(key, value);
						return value;
					}))
			.whenComplete((value, failure) -> turn.thenAccept(Turn::release));
	}

	private Turn await(CacheKey key) {
		CompletableFuture<Turn> caller = new CompletableFuture<>();
		// No other thread is needed, because only the caller's thread has to be woken.
		CompletableFuture<Turn> turn = this.manager.turn(key, (locks) -> locks.async(Runnable::run), caller);
		try {
			return turn.get();
		}
		catch (InterruptedException | ExecutionException ex) {
			// This is an interrupt, because the future does not fail.
			caller.cancel(false);
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
		Assert.notNull(key, () -> "key of cache '%s' must not be null".formatted(getName()));
		return new CacheKey(getName(), key);
	}

	@SuppressWarnings("unchecked")
	private static <T> @Nullable T value(ValueWrapper wrapper) {
		return (T) wrapper.get();
	}

}
