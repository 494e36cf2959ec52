package io.github.redislock.interceptor;

import java.util.function.Supplier;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockOperations;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/**
 * The operations on one set of locks, for callers of every kind. Looked up when they are
 * needed first, since advice is made before the beans that locks depend on may be.
 */
public final class LockFaces {

	private final Supplier<LockOperations> blocking;

	private final Supplier<AsyncLockOperations> async;

	/** Its type is not there without Reactor. */
	private final Supplier<Object> reactive;

	LockFaces(ObjectProvider<LockOperations> blocking, ObjectProvider<AsyncLockOperations> async) {
		this.blocking = SingletonSupplier.of(blocking::getObject);
		this.async = SingletonSupplier.of(() -> async(this.blocking.get(), async));
		this.reactive = SingletonSupplier.of(() -> Reactive.create(this));
	}

	/**
	 * Return whether locks can be taken for callers of every kind.
	 */
	public static boolean areComplete(LockOperations blocking, BeanFactory beanFactory) {
		return blocking instanceof LockTemplate
				|| beanFactory.getBeanProvider(AsyncLockOperations.class).getIfAvailable() != null;
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

	private static AsyncLockOperations async(LockOperations blocking, ObjectProvider<AsyncLockOperations> async) {
		return (blocking instanceof LockTemplate template) ? template.async() : async.getObject();
	}

	/**
	 * Loaded only with Reactor.
	 */
	private static final class Reactive {

		private static ReactiveLockOperations create(LockFaces faces) {
			return (faces.blocking() instanceof LockTemplate template) ? new ReactiveLockTemplate(template)
					: new ReactiveLockTemplate(faces.async());
		}

	}

}
