package io.github.redislock.simulation.redis;

/**
 * An error reply of the server, in its own words.
 */
public final class ErrorReplyException extends RuntimeException {

	ErrorReplyException(String text) {
		super(text, null, false, false);
	}

	/**
	 * Return the server's text: a code such as {@code OOM}, and words.
	 */
	public String text() {
		return String.valueOf(getMessage());
	}

}
