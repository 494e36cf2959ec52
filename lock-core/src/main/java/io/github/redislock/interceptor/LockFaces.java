package io.github.redislock.interceptor;

import java.util.function.Supplier;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;

import org.springframework.util.function.SingletonSupplier;

/**
 * The operations on one set of locks, for all kinds of callers. Looked up at the first
 * use, since advice is created too early for the dependencies of locks.
 */
public final class LockFaces {

	private final Supplier<LockOperations> blocking;

	private final Supplier<AsyncLockOperations> async;

	/** Not typed, since its type needs Reactor. */
	private final Supplier<Object> reactive;

	LockFaces(Supplier<LockOperations> blocking) {
		this.blocking = SingletonSupplier.of(blocking);
		this.async = SingletonSupplier.of(() -> blocking().async());
		this.reactive = SingletonSupplier.of(() -> Reactive.create(blocking()));
	}

	LockOperations blocking() {
		return this.blocking.get();
	}

	AsyncLockOperations async() {
		return this.async.get();
	}

	ReactiveLockOperations reactive() {
		return (ReactiveLockOperations) this.reactive.get();
	}

	/**
	 * Loaded only with Reactor.
	 */
	private static final class Reactive {

		private static ReactiveLockOperations create(LockOperations blocking) {
			return new ReactiveLockTemplate(blocking);
		}

	}

}
