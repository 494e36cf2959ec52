package io.github.redislock.transaction;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Makes Spring's transactions available in a native image: without that, a lock would be
 * released before the transaction that it protects has ended.
 */
final class TransactionRuntimeHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.transaction.support.TransactionSynchronizationManager");
	}

}
