package io.github.redislock.simulation.redis;

/**
 * An error with which the server replies, in its own words.
 */
public final class ErrorReplyException extends RuntimeException {

	ErrorReplyException(String text) {
		super(text, null, false, false);
	}

	/**
	 * Return what the server says: a code such as {@code OOM}, and words.
	 */
	public String text() {
		return String.valueOf(getMessage());
	}

}
