package io.github.redislock.samples.quickstart.redis;

class RedisNotStartedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	RedisNotStartedException(Throwable cause) {
		super("No Redis is configured, and the sample could not start its own: " + cause.getMessage(), cause);
	}

}
