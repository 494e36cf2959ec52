package io.github.redislock.interceptor;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.ReactiveAdapter;

/**
 * The method answers one of the reactive types that Spring knows.
 */
final class AdaptedStyle extends PublisherStyle {

	private final ReactiveAdapter adapter;

	private final Class<?> type;

	/**
	 * Create a style.
	 * @param adapter knows what the method answers
	 * @param type the type of the values
	 */
	AdaptedStyle(ReactiveAdapter adapter, Class<?> type) {
		super(adapter.isMultiValue());
		this.adapter = adapter;
		this.type = type;
	}

	@Override
	Object answer(Publisher<Object> publisher) {
		return this.adapter.fromPublisher(publisher);
	}

	@Override
	Publisher<Object> publisher(@Nullable Object answer) {
		return this.adapter.toPublisher(answer);
	}

	@Override
	public Object nothing() {
		// Who cannot be empty may at least answer an empty optional, or an empty list.
		Object empty = this.adapter.supportsEmpty() ? null : EmptyAnswers.of(this.type);
		return answer(Mono.justOrEmpty(empty));
	}

	@Override
	public @Nullable String whyNothingIsWrong() {
		return (this.adapter.supportsEmpty() || EmptyAnswers.of(this.type) != null) ? null
				: "answers a " + this.adapter.getReactiveType().getSimpleName();
	}

}
