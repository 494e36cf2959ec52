package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.redislock.LockOperations;
import io.github.redislock.LockedSupplier;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.reactive.ReactiveLockTemplate;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;
import org.springframework.core.ReactiveAdapter;

/**
 * The style of methods whose work begins and ends with a subscription. Each subscription
 * calls the method and acquires the lock separately.
 *
 * @param several whether the publisher may emit more than one value
 * @param form converts a publisher to the return type of the method
 * @param publisher converts the result of the method to a publisher
 * @param empty provides the result of a skipped call
 * @param reasonNotSkippable why calls of the method cannot be skipped, or {@code null} if
 * they can
 */
record PublisherStyle(boolean several, Function<Publisher<Object>, Object> form,
		Function<@Nullable Object, Publisher<Object>> publisher, Supplier<@Nullable Object> empty,
		@Nullable String reasonNotSkippable) implements CallStyle {

	/**
	 * A constant that others can use when this class cannot be loaded without Reactor.
	 */
	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	/**
	 * Return the style of methods that return one of the reactive types that Spring
	 * knows.
	 * @param type the type of the values
	 */
	static CallStyle of(ReactiveAdapter adapter, Class<?> type) {
		// A reactive type that must emit a value can still emit an empty optional or
		// list.
		Supplier<@Nullable Object> empty = () -> adapter.supportsEmpty() ? null : EmptyResults.of(type);
		boolean skippable = adapter.supportsEmpty() || EmptyResults.of(type) != null;
		return new PublisherStyle(adapter.isMultiValue(), adapter::fromPublisher, adapter::toPublisher,
				() -> adapter.fromPublisher(Mono.justOrEmpty(empty.get())),
				skippable ? null : "returns a " + adapter.getReactiveType().getSimpleName());
	}

	/**
	 * Return the style of a suspending Kotlin function. Spring's proxies convert the
	 * result of the call into a publisher, and await the publisher that the advice
	 * returns.
	 */
	static CallStyle suspending(Method method) {
		Class<?> type = new MethodParameter(method, -1).getParameterType();
		boolean flow = type.getName().equals(FLOW);
		boolean unit = type == void.class || type.getName().equals("kotlin.Unit");
		boolean nullable = unit || Nullness.forMethodReturnType(method) != Nullness.NON_NULL;
		return new PublisherStyle(flow, (publisher) -> publisher, PublisherStyle::published,
				() -> EmptyResults.of(type), (nullable || flow || EmptyResults.of(type) != null) ? null
						: "returns a " + type.getSimpleName() + " that is never null");
	}

	@Override
	public @Nullable Object call(LockedCall call, LockOperations locks) {
		ReactiveLockOperations reactive = new ReactiveLockTemplate(locks);
		return this.form.apply(this.several ? Flux.defer(() -> several(call.copy(), reactive))
				: Mono.defer(() -> one(call.copy(), reactive)));
	}

	@Override
	public @Nullable Object emptyResult() {
		return this.empty.get();
	}

	private Mono<Object> one(LockedCall call, ReactiveLockOperations locks) {
		return locks
			.execute(call.target(), call.options(), Mono.defer(() -> Mono.from(attempt(call::proceedElsewhere))))
			.onErrorResume(call::isRefusal, (refusal) -> Mono.from(attempt(() -> call.refused(refusal))));
	}

	private Flux<Object> several(LockedCall call, ReactiveLockOperations locks) {
		return locks.execute(call.target(), call.options(), Flux.defer(() -> attempt(call::proceedElsewhere)))
			.onErrorResume(call::isRefusal, (refusal) -> attempt(() -> call.refused(refusal)));
	}

	private Publisher<Object> attempt(LockedSupplier<@Nullable Object, Throwable> work) {
		try {
			return this.publisher.apply(work.get());
		}
		catch (Throwable ex) {
			return Mono.error(ex);
		}
	}

	@SuppressWarnings("unchecked")
	private static Publisher<Object> published(@Nullable Object result) {
		return (result instanceof Publisher<?> publisher) ? (Publisher<Object>) publisher : Mono.justOrEmpty(result);
	}

}
