package io.github.redislock.interceptor;

import io.github.redislock.LockNotAcquiredException;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Answers nothing for a call that is skipped since somebody else has the lock, and says
 * so in the log.
 *
 * @param method the called method, for people
 * @param style in which way the method answers
 */
record SkippedCall(String method, CallStyle style) implements Refusal {

	private static final Log logger = LogFactory.getLog(SkippedCall.class);

	@Override
	public @Nullable Object answer(LockNotAcquiredException refused, MethodInvocation invocation) {
		if (logger.isDebugEnabled()) {
			logger.debug("%s skipped: %s".formatted(this.method, refused.getMessage()));
		}
		return this.style.nothing();
	}

}
