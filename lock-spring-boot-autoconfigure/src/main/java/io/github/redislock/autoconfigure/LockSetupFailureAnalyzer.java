package io.github.redislock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.internal.interceptor.declaration.LockSetupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains why locks cannot work in this application, for all methods of a class at once.
 */
// Runs before Spring Boot's analyzers, which would explain the cause.
@Order(Ordered.LOWEST_PRECEDENCE - 1)
class LockSetupFailureAnalyzer extends AbstractFailureAnalyzer<LockSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockSetupException cause) {
		List<LockSetupException> all = Stream.concat(Stream.of(cause), Arrays.stream(cause.getSuppressed()))
			.filter(LockSetupException.class::isInstance)
			.map(LockSetupException.class::cast)
			.toList();
		return new FailureAnalysis(lines(all.stream().map(LockSetupException::getDescription)),
				lines(all.stream().map(LockSetupException::getAction)), cause);
	}

	private static String lines(Stream<String> texts) {
		return texts.distinct().collect(Collectors.joining(System.lineSeparator()));
	}

}
