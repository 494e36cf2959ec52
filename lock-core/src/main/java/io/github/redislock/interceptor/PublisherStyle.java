package io.github.redislock.interceptor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * The work begins when somebody subscribes to it, and ends with the subscription. Each
 * subscription calls the method anew, under a lock of its own.
 */
abstract class PublisherStyle implements CallStyle {

	private final boolean several;

	/**
	 * Create a style.
	 * @param several whether the method answers more than one value
	 */
	PublisherStyle(boolean several) {
		this.several = several;
	}

	@Override
	public @Nullable Object call(LockedCall call, LockFaces locks) {
		return answer(this.several ? Flux.defer(() -> several(call.copy(), locks))
				: Mono.defer(() -> one(call.copy(), locks)));
	}

	/**
	 * Return a publisher in the form in which the method answers.
	 */
	abstract @Nullable Object answer(Publisher<Object> publisher);

	/**
	 * Return what the method answers as a publisher.
	 */
	abstract Publisher<Object> publisher(@Nullable Object answer);

	private Mono<Object> one(LockedCall call, LockFaces locks) {
		return locks.reactive()
			.execute(call.target(), call.options(), Mono.defer(() -> Mono.from(work(call))))
			.onErrorResume(call::isRefusal, (refusal) -> Mono.from(instead(call, refusal)));
	}

	private Flux<Object> several(LockedCall call, LockFaces locks) {
		return locks.reactive()
			.execute(call.target(), call.options(), Flux.defer(() -> work(call)))
			.onErrorResume(call::isRefusal, (refusal) -> instead(call, refusal));
	}

	private Publisher<Object> work(LockedCall call) {
		try {
			return publisher(call.proceedElsewhere());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	private Publisher<Object> instead(LockedCall call, Throwable refusal) {
		try {
			return publisher(call.refused(refusal));
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

}
