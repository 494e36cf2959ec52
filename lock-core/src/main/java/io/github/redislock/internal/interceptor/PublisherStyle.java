package io.github.redislock.internal.interceptor;

import io.github.redislock.LockOperations;
import io.github.redislock.LockedSupplier;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The style of methods whose work begins and ends with a subscription. Each subscription
 * calls the method and acquires the lock separately.
 */
abstract class PublisherStyle implements CallStyle {

	private final boolean several;

	/**
	 * Create a style.
	 * @param several whether the publisher may emit more than one value
	 */
	PublisherStyle(boolean several) {
		this.several = several;
	}

	@Override
	public @Nullable Object call(LockedCall call, LockOperations locks) {
		ReactiveLockOperations reactive = new ReactiveLockTemplate(locks);
		return wrap(this.several ? Flux.defer(() -> several(call.copy(), reactive))
				: Mono.defer(() -> one(call.copy(), reactive)));
	}

	/**
	 * Convert a publisher to the return type of the method.
	 */
	abstract @Nullable Object wrap(Publisher<Object> publisher);

	/**
	 * Convert the result of the method to a publisher.
	 */
	abstract Publisher<Object> unwrap(@Nullable Object result);

	private Mono<Object> one(LockedCall call, ReactiveLockOperations locks) {
		return locks
			.execute(call.target(), call.options(), Mono.defer(() -> Mono.from(published(call::proceedElsewhere))))
			.onErrorResume(call::isRefusal, (refusal) -> Mono.from(published(() -> call.refused(refusal))));
	}

	private Flux<Object> several(LockedCall call, ReactiveLockOperations locks) {
		return locks.execute(call.target(), call.options(), Flux.defer(() -> published(call::proceedElsewhere)))
			.onErrorResume(call::isRefusal, (refusal) -> published(() -> call.refused(refusal)));
	}

	private Publisher<Object> published(LockedSupplier<@Nullable Object, Throwable> work) {
		try {
			return unwrap(work.get());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

}
