package io.github.redislock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;

/**
 * Explains why methods cannot be locked: all of a class at once.
 */
class InvalidLockedMethodFailureAnalyzer extends AbstractFailureAnalyzer<InvalidLockedMethodException>
		implements Ordered {

	@Override
	public int getOrder() {
		// Runs before the analyzer for LockSetupException, which explains only one
		// method.
		return Ordered.LOWEST_PRECEDENCE - 1;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, InvalidLockedMethodException cause) {
		List<InvalidLockedMethodException> all = Stream
			.concat(Stream.of(cause),
					Arrays.stream(cause.getSuppressed())
						.filter(InvalidLockedMethodException.class::isInstance)
						.map(InvalidLockedMethodException.class::cast))
			.toList();
		return new FailureAnalysis(lines(all.stream().map(InvalidLockedMethodException::getDescription)),
				lines(all.stream().map(InvalidLockedMethodException::getAction)), cause);
	}

	private static String lines(Stream<String> texts) {
		return texts.distinct().collect(Collectors.joining(System.lineSeparator()));
	}

}
