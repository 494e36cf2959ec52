package io.github.redislock.autoconfigure;

import io.github.redislock.interceptor.declaration.LockSetupException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains why locks cannot work in this application.
 */
class LockSetupFailureAnalyzer extends AbstractFailureAnalyzer<LockSetupException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockSetupException cause) {
		return new FailureAnalysis(cause.getDescription(), cause.getAction(), cause);
	}

}
