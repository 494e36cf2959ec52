package io.github.redislock.internal.redis;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.internal.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * A request was not sent to Redis in time, and never will be.
 */
final class NotSentException extends RejectedExecutionException {

	private static final long serialVersionUID = 1L;

	private NotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	/**
	 * Report that the connection took too long.
	 */
	static NotSentException unconnected(Duration limit, Throwable cause) {
		return new NotSentException(
				"the connection to Redis was not ready within %s".formatted(Durations.describe(limit)), cause);
	}

	/**
	 * Report that too many others are under way.
	 */
	static NotSentException crowded(Duration limit, int others) {
		return new NotSentException("not sent within %s: %d requests to Redis are already under way"
			.formatted(Durations.describe(limit), others), null);
	}

}
