package io.github.redislock.internal.interceptor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * The style of methods that return one of the reactive types that Spring knows.
 */
final class AdaptedStyle extends PublisherStyle {

	private final ReactiveAdapter adapter;

	private final Class<?> type;

	/**
	 * Create a style.
	 * @param type the type of the values
	 */
	AdaptedStyle(ReactiveAdapter adapter, Class<?> type) {
		super(adapter.isMultiValue());
		this.adapter = adapter;
		this.type = type;
	}

	@Override
	Object wrap(Publisher<Object> publisher) {
		return this.adapter.fromPublisher(publisher);
	}

	@Override
	Publisher<Object> unwrap(@Nullable Object result) {
		return this.adapter.toPublisher(result);
	}

	@Override
	public Object emptyResult() {
		// A reactive type that must emit a value can still emit an empty optional or
		// list.
		Object empty = this.adapter.supportsEmpty() ? null : EmptyResults.of(this.type);
		return wrap(Mono.justOrEmpty(empty));
	}

	@Override
	public @Nullable String reasonNotSkippable() {
		return (this.adapter.supportsEmpty() || EmptyResults.of(this.type) != null) ? null
				: "returns a " + this.adapter.getReactiveType().getSimpleName();
	}

}
