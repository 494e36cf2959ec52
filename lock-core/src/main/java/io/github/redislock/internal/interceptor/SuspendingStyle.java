package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;

import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

import org.springframework.core.MethodParameter;
import org.springframework.core.Nullness;

/**
 * The style of suspending Kotlin functions. Spring's proxies convert the result of the
 * call into a publisher, and await the publisher that the advice returns.
 */
final class SuspendingStyle extends PublisherStyle {

	static final String FLOW = "kotlinx.coroutines.flow.Flow";

	private final Class<?> type;

	private final boolean nullable;

	private SuspendingStyle(Class<?> type, boolean nullable) {
		super(type.getName().equals(FLOW));
		this.type = type;
		this.nullable = nullable;
	}

	static SuspendingStyle of(Method method) {
		Class<?> type = new MethodParameter(method, -1).getParameterType();
		boolean unit = type == void.class || type.getName().equals("kotlin.Unit");
		return new SuspendingStyle(type, unit || Nullness.forMethodReturnType(method) != Nullness.NON_NULL);
	}

	@Override
	Object wrap(Publisher<Object> publisher) {
		return publisher;
	}

	@Override
	@SuppressWarnings("unchecked")
	Publisher<Object> unwrap(@Nullable Object result) {
		return (result instanceof Publisher<?> publisher) ? (Publisher<Object>) publisher : Mono.justOrEmpty(result);
	}

	@Override
	public @Nullable Object emptyResult() {
		return EmptyResults.of(this.type);
	}

	@Override
	public @Nullable String reasonNotSkippable() {
		boolean empty = this.nullable || this.type.getName().equals(FLOW) || EmptyResults.of(this.type) != null;
		return empty ? null : "returns a " + this.type.getSimpleName() + " that is never null";
	}

}
