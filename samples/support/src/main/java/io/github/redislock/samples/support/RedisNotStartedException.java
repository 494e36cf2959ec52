package io.github.redislock.samples.support;

/**
 * Thrown if the Redis that comes with the samples could not be started.
 */
public class RedisNotStartedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	RedisNotStartedException(Throwable cause) {
		super("No Redis is configured, and the sample could not start its own: " + cause.getMessage(), cause);
	}

}
