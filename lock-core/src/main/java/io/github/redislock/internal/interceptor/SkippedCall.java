package io.github.redislock.internal.interceptor;

import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Returns an empty result for a skipped call, and logs at debug level why the call was
 * skipped.
 *
 * @param method the called method, for the log
 * @param style provides the empty result
 */
record SkippedCall(String method, CallStyle style) {

	private static final Log logger = LogFactory.getLog(SkippedCall.class);

	@Nullable Object result(Supplier<@Nullable String> reason) {
		if (logger.isDebugEnabled()) {
			logger.debug("%s skipped: %s".formatted(this.method, reason.get()));
		}
		return this.style.emptyResult();
	}

}
