package io.github.redislock.reactive;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Makes Micrometer's context propagation available in a native image: without it a wait
 * would not belong to the trace of its subscriber.
 */
final class ReactiveRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection().registerTypeIfPresent(classLoader, "io.micrometer.context.ContextSnapshotFactory");
	}

}
