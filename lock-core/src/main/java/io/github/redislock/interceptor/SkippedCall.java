package io.github.redislock.interceptor;

import io.github.redislock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Returns an empty result for a call that is skipped since another holder has the lock,
 * and reports it in the log.
 *
 * @param method the called method, for the log
 * @param style the form in which the method returns its result
 */
record SkippedCall(String method, CallStyle style) implements Refusal {

	private static final Log logger = LogFactory.getLog(SkippedCall.class);

	@Override
	public @Nullable Object result(LockNotAcquiredException refused, MethodInvocation invocation) {
		if (logger.isDebugEnabled()) {
			logger.debug("%s skipped: %s".formatted(this.method, refused.getMessage()));
		}
		return this.style.emptyResult();
	}

}
