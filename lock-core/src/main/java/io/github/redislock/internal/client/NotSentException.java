package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

import io.github.redislock.internal.support.Durations;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a request was not sent to Redis in time. It will not be sent later.
 */
final class NotSentException extends RejectedExecutionException {

	private static final long serialVersionUID = 1L;

	private NotSentException(String message, @Nullable Throwable cause) {
		super(message, cause);
	}

	static NotSentException unconnected(Duration limit, Throwable cause) {
		return new NotSentException(
				"the connection to Redis was not ready within %s".formatted(Durations.describe(limit)), cause);
	}

	static NotSentException crowded(Duration limit, int others) {
		return new NotSentException("not sent within %s: %s requests to Redis are already under way"
			.formatted(Durations.describe(limit), others), null);
	}

}
